"""What every command shares: the home, who acts, and how results are printed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from workbench import home as homes
from workbench import text
from workbench.cli import table
from workbench.errors import WorkbenchError
from workbench.home import Home

if TYPE_CHECKING:
    from pydantic import BaseModel

    from workbench.ledger.filters import Reader
    from workbench.ledger.model import Actor

_T = TypeVar("_T")
_Given = TypeVar("_Given", str, "str | None", "tuple[str, ...]")
_PATH = re.compile(r"[~.]($|/)|\.\./|/")

# So many notes that can not be read are named.
_UNREAD = 5
# Set by agents' harnesses in the shells they open, and the agent each names.
HARNESSES = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_ENTRYPOINT": "claude-code",
    "CODEX_SANDBOX": "codex",
    "GEMINI_CLI": "gemini-cli",
    "OPENCODE": "opencode",
    "CURSOR_AGENT": "cursor",
}


class TranscriptPath(click.Path):
    """A path on the command line; an empty one is a slip (an unset variable), never the present folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The path, or a usage error."""
        if not str(value):
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


@dataclass(frozen=True)
class Settings:
    """The global options."""

    home_option: str | None
    profile: str | None
    as_json: bool
    quiet: bool

    def new_home(self) -> Home:
        """The home named, made where it is missing."""
        from workbench.operations.home import open_home

        return self._told(open_home(homes.resolve(self.home_option, self.profile)))

    def home(self) -> Home:
        """The home named, which must be there."""
        from workbench.operations.home import existing

        return self._told(existing(homes.resolve(self.home_option, self.profile)))

    def _told(self, home: Home) -> Home:
        """The home, when it was said what of its settings is none."""
        from workbench import config

        if lost := _lost(home):
            click.echo(f"workbench: {text.one_line(lost, 1_000)}", err=True)
        for name, meant in config.unknown(home).items():
            hint = f"; is {meant} meant?" if meant else ""
            self.say(f"workbench: {home.config}: {text.one_line(name, 80)} is no setting, and does nothing{hint}")
        return home

    def emit(self, result: BaseModel | list[Any] | dict[str, Any], lines: Iterator[str] | list[str]) -> None:
        """Print ``result`` as one JSON document with ``--json``, else the lines, as wide as the terminal."""
        if self.as_json:
            click.echo(text.escaped_json(json.dumps(_plain(result), ensure_ascii=False, indent=2)))
            return
        for line in table.fitted(lines, sys.stdout):
            click.echo(line)

    def say(self, line: str) -> None:
        """Print a remark on standard error, unless ``-q``."""
        if not self.quiet:
            for part in table.fitted([text.visible(line)], sys.stderr):
                click.echo(part, err=True)

    def say_unread(self, wrong: list[str]) -> None:
        """Say which notes and folders could not be read; of many, the first."""
        for line in wrong[:_UNREAD]:
            click.echo(f"workbench: {text.one_line(line, 300)}", err=True)
        if (more := len(wrong) - _UNREAD) > 0:
            self.say(f"{more:,} more could not be read; `workbench rebuild notes` names them")

    def warn_backlog(self, backlog: int) -> None:
        """Say that effects are still to be carried out, and why."""
        from workbench.operations import effects

        if backlog:
            why = effects.troubles(homes.resolve(self.home_option, self.profile))
            left = text.counted(backlog, "effect")
            click.echo(f"workbench: {left} could not be carried out yet; the next command tries again", err=True)
            for reason in why:
                click.echo(f"workbench: {text.one_line(reason, 300)}", err=True)

    @contextlib.contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """A progress bar on a terminal, silence elsewhere; yields what is called with (done, in all)."""
        shown = sys.stderr.isatty() and not self.quiet and not self.as_json
        with click.progressbar(length=1, label=label, file=sys.stderr, hidden=not shown) as bar:

            def advance(done: int, length: int) -> None:
                bar.length = max(length, 1)
                bar.update(done - bar.pos)

            yield advance


def _lost(home: Home) -> str | None:
    """That the settings can't be read; of a file that nobody can read at all, whoever needs a setting says it."""
    from workbench import config

    try:
        return config.lost(home)
    except WorkbenchError:
        return None


def agents_harness(environ: Mapping[str, str] = os.environ) -> str | None:
    """The variable by which an agent's harness shows that it runs this shell; None where the person acts."""
    if environ.get("WORKBENCH_ACT_AS") == "owner":
        return None
    return next((name for name in HARNESSES if environ.get(name)), None)


def project_here(folder: Path) -> str:
    """The key of the project that ``folder`` belongs to, as conversations name it: the top folder of its repository,
    else the folder itself."""
    here = folder.absolute()
    return text.storable(str(next((parent for parent in (here, *here.parents) if (parent / ".git").exists()), here)))


def reader_here(actor: Actor) -> Reader | None:
    """What an agent that acts in this folder may see; None for the person, who sees everything."""
    from workbench.ledger.filters import Reader

    return Reader(actor.name, project_here(Path.cwd())) if actor.kind == "agent" else None


def reader_named(agent: str, project: str | None, workspace: str | None) -> Reader:
    """Who asks, as the options say: in the project of this folder where they name none."""
    from workbench.ledger.filters import Reader

    return Reader(agent, project or project_here(Path.cwd()), workspace)


def shown_to(settings: Settings) -> Reader | None:
    """Whom a list is for: the agent whose harness runs this, which is told so; None for the person."""
    from workbench.ledger.model import Actor

    harness = agents_harness()
    if harness is None:
        return None
    agent = Actor("agent", HARNESSES[harness])
    settings.say(f"{harness} says an agent runs this: shown is what {agent.name} may see here, nothing private")
    return reader_here(agent)


pass_settings = click.make_pass_decorator(Settings)


def warn_words_alone(problem: str | None) -> None:
    """Say why there is no search by meaning, where the settings ask for it."""
    if problem:
        click.echo(f"workbench: {text.one_line(problem, 300)}; search is by words alone", err=True)


def person(act: str, environ: Mapping[str, str] = os.environ, *, on: str = "a memory") -> Actor:
    """The person, where this channel is theirs: a terminal, or ``WORKBENCH_ACT_AS=owner``.

    This is a guard-rail, not a wall: a process of the same user can always write the files.

    :param act: what they want to do, and ``on`` what, for the refusal.
    :raises WorkbenchError: where an agent's harness, or no terminal, is at the other end.
    """
    from workbench.ledger.model import PERSON

    if environ.get("WORKBENCH_ACT_AS") == "owner":
        return PERSON
    if harness := agents_harness(environ):
        raise WorkbenchError(f"only the person can {act} {on}, and {harness} says an agent runs this; do it yourself")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WorkbenchError(f"only the person can {act} {on}: run this in a terminal, or set WORKBENCH_ACT_AS=owner")
    return PERSON


def person_is_here() -> bool:
    """Whether this channel is the person's."""
    try:
        person("read")
    except WorkbenchError:
        return False
    return True


def ruler(act: str, environ: Mapping[str, str] = os.environ) -> Actor:
    """Who asks for a ruling here: the person, or the agent whose harness runs this; the person then decides.

    :raises WorkbenchError: where neither a terminal nor a harness is at the other end.
    """
    from workbench.ledger.model import Actor

    if harness := agents_harness(environ):
        return Actor("agent", HARNESSES[harness])
    return person(act, environ)


def asked_again(run: Callable[[bool], _T], yes: bool) -> _T:
    """What ``run(yes)`` gives; where that wants a yes first, the person is asked for it, if there is a terminal.

    :raises NeedsYes: where nobody can be asked.
    """
    from workbench.ledger.lifecycle import NeedsYes

    try:
        return run(yes)
    except NeedsYes as error:
        if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        question = error.question
    click.confirm(f"{text.visible(question)}.\nGo on?", abort=True, err=True)
    return run(True)


def refuse_named(paths: tuple[Path, ...], environ: Mapping[str, str] = os.environ) -> None:
    """Refuse transcripts that an agent names: it could put words into the person's mouth.

    :raises WorkbenchError: where an agent's harness runs this, and names any.
    """
    if paths and (harness := agents_harness(environ)):
        raise WorkbenchError(
            f"only the person names transcripts to read, and {harness} says an agent runs this; without a name, what"
            " agents left on this machine is read"
        )


def filled(context: click.Context, param: click.Parameter, value: _Given) -> _Given:
    """An option's value, or its values; an empty one is a slip (an unset variable), and would mean everything."""
    given = (value,) if isinstance(value, str) else value or ()
    if not all(each.strip() for each in given):
        raise click.BadParameter("it is empty", context, param)
    return value


def folder(context: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A folder as it was named, ``~`` and what is relative written out; anything else as it is."""
    value = filled(context, param, value)
    if value is None or not _PATH.match(value):
        return value
    return os.path.normpath(Path(value).expanduser().absolute())


def project_option(context: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The key of the project that an option names: by its folder, or by the last part of it."""
    from workbench.operations import projects

    value = folder(context, param, value)
    if value is None:
        return None
    if Path(value).is_absolute():
        return project_here(Path(value))
    home = context.ensure_object(Settings).home()
    return projects.key_of(home, value, project_here(Path.cwd()))


def _plain(result: Any) -> Any:  # noqa: ANN401 - JSON
    if hasattr(result, "model_dump"):
        return result.model_dump(mode="json")
    if isinstance(result, list):
        return [_plain(item) for item in result]
    return result
