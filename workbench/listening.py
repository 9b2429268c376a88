"""Being told of changes in folders, as the system tells of them; where it can't, that is said once, and everything has
to be looked at each second."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from threading import Event
from typing import TypeAlias

# Milliseconds: between two looks at what nobody tells of; of silence that end a burst; that a burst is waited for.
TICK, _SILENCE, _BURST = 250, 100, 400
# Seconds of rest after listening broke off.
_REST = 1.0
# Paths that changed, and whether they went; None where what changed is not known.
Changed: TypeAlias = "dict[str, bool] | None"


class Listener:
    """Listens again and again, as folders come and go.

    :param stop: ends listening; :param deaf: told why changes are not told of, once for each reason.
    """

    def __init__(self, stop: Event, deaf: Callable[[str], None]) -> None:
        self._stop, self._tell, self._said = stop, deaf, ""

    def changes(self, folders: Collection[str], *, below: bool) -> Iterator[Changed]:
        """What changed in folders that are there, at least each tick. Ends when listening broke off.

        :param below: whether what lies deeper is meant, too.
        """
        import watchfiles

        if not folders:
            while True:
                yield {}
                self._stop.wait(TICK / 1_000)
        listening = watchfiles.watch(
            *folders,
            watch_filter=None,
            debounce=_BURST,
            step=_SILENCE,
            rust_timeout=TICK,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            recursive=below,
            ignore_permission_denied=True,
        )
        try:
            for changes in listening:
                # Of a path that went and came within a burst it counts that it is there.
                gone = {path: True for change, path in changes if change is watchfiles.Change.deleted}
                yield gone | {path: False for change, path in changes if change is not watchfiles.Change.deleted}
        except (OSError, RuntimeError) as error:
            # A folder went meanwhile, a name that is no text, no watches left in the system.
            if self._said != str(error):
                self._said = str(error)
                self._tell(f"changes are looked for once a second: {error}")
            yield None
            self._stop.wait(_REST)
