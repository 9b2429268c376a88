"""Entries of MEMORY.md kept one with what they stand for: three sides are compared, as in a merge.

What was written last (the records), what is to stand there (wanted), and what does stand there. What differs from the
record somebody changed by hand: that stays as they left it, and is told. The rest of the text is never touched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from workbench import text
from workbench.notes import entries, projection

# Characters of MEMORY.md without its generated block; above it the oldest entries go to the archive.
CAP = 12_000
_ERASED = entries.digest(text.ERASED)


@dataclass(frozen=True)
class Wanted:
    """An entry that is to stand in MEMORY.md or its archive."""

    stamp: str
    text: str


@dataclass(frozen=True)
class Record:
    """What was last written of an entry.

    :param digests: of its text; two while it is being changed.
    :param written: whether it did stand in the file.
    :param hand: whether its wording is somebody's own.
    :param archived: whether it stands in the archive.
    """

    stamp: str
    digests: tuple[str, ...]
    written: bool = True
    hand: bool = False
    archived: bool = False


@dataclass(frozen=True)
class Records:
    """What was last written, by key.

    :param moving: digests of the lines that were being moved to the archive.
    :param archive: digest of the whole archive: one that is as it was left is not searched.
    """

    entries: Mapping[str, Record] = field(default_factory=dict)
    moving: tuple[str, ...] = ()
    archive: str = ""


@dataclass
class Plan:
    """What is to be written.

    :param before: the records to keep while that is being done, so that whoever finds it half done knows.
    :param after: the records when it is done.
    :param edited: entries that somebody changed by hand, with what they say now; ``deleted``: that they took out.
    :param standing: digests of what stands in MEMORY.md below a time.
    :param moved: how many entries go to the archive.
    """

    document: bytes
    archive: bytes
    before: Records = Records()
    after: Records = Records()
    edited: dict[str, str] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    standing: frozenset[str] = frozenset()
    moved: int = 0


@dataclass(frozen=True, order=True)
class _Place:
    """Where an entry stands: in the archive or not, from where to where; and what it says there."""

    archived: bool
    start: int
    end: int
    text: str

    @property
    def digest(self) -> str:
        return entries.digest(self.text)


class _Found:
    """What stands below times in both files; each stretch is somebody's once."""

    def __init__(self, document: bytes, archive: bytes) -> None:
        files = ((False, document), (True, archive))
        every = [(archived, stretch) for archived, file in files for stretch in entries.stretches(file)]
        self._free = dict(enumerate(every))
        self._saying: dict[str, list[tuple[int, _Place]]] = {}
        for number, (archived, stretch) in self._free.items():
            said = {entries.digest(end[1]): end for end in reversed(stretch.ends)}  # the first that says it
            for digest, end in said.items():
                self._saying.setdefault(digest, []).append((number, _Place(archived, stretch.start, *end)))

    def take(self, stamp: str, digests: Collection[str], at_any_time: bool = True) -> _Place | None:
        """The stretch of this time that says one of these, with as many of its lines as it can; else of any time."""
        saying = [
            (self._free[number][1].stamp != stamp, number, -place.end, place)
            for one in digests
            for number, place in self._saying.get(one, ())
            if number in self._free
        ]
        elsewhere, number, _, place = min(saying, default=(True, -1, 0, None))
        if place is None or (elsewhere and not at_any_time):
            return None
        del self._free[number]
        return place

    def take_like(self, stamp: str, said: str) -> _Place | None:
        """The stretch of this time that is most like a text."""
        grams, best = entries.trigrams(said), None
        for number, (_, stretch) in self._free.items():
            if stretch.stamp == stamp:
                other = entries.trigrams(stretch.whole[1])
                likeness = (len(grams & other) / len(grams | other), -number)
                best = max(best or likeness, likeness)
        if best is None:
            return None
        archived, stretch = self._free.pop(int(-best[1]))
        return _Place(archived, stretch.start, *stretch.whole)


def plan(
    document: bytes,
    archive: bytes,
    records: Records,
    wanted: Mapping[str, Wanted],
    told: Mapping[str, str],
    cap: int = CAP,
) -> Plan:
    """What both files have to say.

    :param wanted: by key, the oldest first.
    :param told: digests of the wordings of entries that somebody changed and that were told before: they stay.
    """
    given, archive = archive, _taken_back(document, archive, records.moving)
    resting = _resting(archive, records, wanted)
    merge = _Merge(_Found(document, b"" if resting else archive), told, records.entries)
    places = _places(merge.found, records.entries, wanted, resting)
    for key, record in records.entries.items():
        if key in resting:
            merge.after[key] = record
        elif key not in wanted:
            merge.leave(record, places.get(key))
        elif key in places:
            merge.keep(key, record, wanted[key], places[key])
    for key, wish in wanted.items():
        if key not in merge.after:
            merge.enter(key, wish, places.get(key))
    made, after = merge.made(document, archive, wanted), merge.after
    moving = _make_room(made, after, cap)
    same = (merge.before, moving, made.archive) == (records.entries, records.moving, given)
    made.before = records if same else Records(merge.before, moving)
    made.after = Records(after, archive=_digest(made.archive) if made.archive else "")
    made.standing = frozenset(
        entries.digest(said) for stretch in entries.stretches(made.document) for _, said in stretch.ends
    )
    return made


class _Merge:
    """What becomes of each entry.

    ``changes``: what is to be reworded, or taken out (None); ``fresh``: keys of entries to be written.
    """

    def __init__(self, found: _Found, told: Mapping[str, str], records: Mapping[str, Record]) -> None:
        self.found, self.told, self.records = found, told, records
        self.before = dict(records)
        self.after: dict[str, Record] = {}
        self.changes: list[tuple[_Place, str | None]] = []
        self.fresh: list[str] = []
        self.edited: dict[str, str] = {}
        self.deleted: list[str] = []

    def leave(self, record: Record, place: _Place | None) -> None:
        """An entry that is not wanted any more goes, unless its wording is somebody's own."""
        gone = place or self.found.take(record.stamp, [_ERASED], at_any_time=False)
        if gone is not None and not (record.hand and gone.digest != _ERASED):
            self.changes.append((gone, None))

    def keep(self, key: str, record: Record, wish: Wanted, place: _Place) -> None:
        """An entry that reads as it was written last gets the wording of now, unless that is somebody's own."""
        settled = place.digest == entries.digest(wish.text)
        if not settled and not record.hand:
            self.changes.append((place, wish.text))
        stands = replace(place, text=place.text if record.hand else wish.text)
        self._note(key, record, _record(wish, stands, hand=record.hand and not settled))

    def enter(self, key: str, wish: Wanted, place: _Place | None) -> None:
        """An entry that is not there as it was written: it never was, or somebody reworded it or took it out."""
        record = self.records.get(key)
        if record is None or not record.written:
            self.after[key] = _record(wish, place or _Place(False, 0, 0, wish.text))
            self.before[key] = replace(self.after[key], written=False)
            if place is None:
                self.fresh.append(key)
            return
        stands = self.found.take_like(record.stamp, wish.text)
        if stands is None:
            self.deleted.append(key)
            return
        self._note(key, record, _record(wish, stands, hand=True))
        if self.told.get(key) != stands.digest:
            self.edited[key] = stands.text

    def made(self, document: bytes, archive: bytes, wanted: Mapping[str, Wanted]) -> Plan:
        """Both files with what becomes of their entries."""
        document = _changed(document, (each for each in self.changes if not each[0].archived))
        archive = _changed(archive, (each for each in self.changes if each[0].archived))
        for key in self.fresh:
            document = entries.with_entry(document, wanted[key].stamp, wanted[key].text)
        return Plan(document, archive, edited=self.edited, deleted=self.deleted)

    def _note(self, key: str, old: Record, new: Record) -> None:
        """Keep what is known before, while one becomes the other, and after."""
        self.after[key] = new
        self.before[key] = replace(new, digests=tuple(dict.fromkeys((*old.digests, *new.digests))))


def _resting(archive: bytes, records: Records, wanted: Mapping[str, Wanted]) -> frozenset[str]:
    """The entries of the archive, where nothing is to be done about any of them: then it need not be read."""
    there = {key: record for key, record in records.entries.items() if record.archived}
    if not there or records.archive != _digest(archive):
        return frozenset()
    same = all(key in wanted and record == _resting_as(wanted[key], record) for key, record in there.items())
    return frozenset(there) if same else frozenset()


def _resting_as(wish: Wanted, record: Record) -> Record:
    said = record.digests if record.hand else (entries.digest(wish.text),)
    return Record(wish.stamp, said, hand=record.hand, archived=True)


def _places(
    found: _Found, records: Mapping[str, Record], wanted: Mapping[str, Wanted], resting: Collection[str]
) -> dict[str, _Place]:
    """Where each entry stands that reads as it was written last; of one that may not have been, as it is to read."""
    places = {key: found.take(record.stamp, record.digests) for key, record in records.items() if key not in resting}
    for key, wish in wanted.items():
        if places.get(key) is None and (key not in records or not records[key].written):
            places[key] = found.take(wish.stamp, [entries.digest(wish.text)])
    return {key: place for key, place in places.items() if place is not None}


def _record(wish: Wanted, place: _Place, hand: bool = False) -> Record:
    return Record(wish.stamp, (place.digest,), hand=hand, archived=place.archived)


def _changed(document: bytes, changes: Iterable[tuple[_Place, str | None]]) -> bytes:
    for place, said in sorted(changes, key=lambda change: -change[0].start):
        if said is None:
            document = entries.without(document, place.start, place.end)
        else:
            document = entries.reworded(document, place.start, place.end, said)
    return document


def _make_room(made: Plan, after: dict[str, Record], cap: int) -> tuple[str, ...]:
    """Move the oldest entries to the archive until MEMORY.md is short enough; the newest one stays.

    Of what others wrote below a time only what can't be two things is an entry.

    :param after: the records, which follow.
    :returns: digests of the lines that are moved.
    """
    moving: list[str] = []
    ours = {record.digests[0]: key for key, record in after.items() if not record.archived}
    while (over := len(projection.human(made.document).decode("utf-8", "replace")) - cap) > 0:
        chosen = []
        for _, start, end, key in sorted(_movable(made.document, ours))[:-1]:
            if over <= 0:
                break
            over -= len(made.document[start:end].decode("utf-8", "replace"))
            chosen.append((start, end))
            if key:
                after[key] = replace(after[key], archived=True)
        if not chosen:
            break
        for start, end in chosen:
            lines = made.document[start:end]
            moving.append(_lines_digest(lines))
            made.archive = entries.with_bytes(made.archive, lines if lines.endswith(b"\n") else lines + b"\n")
        for start, end in sorted(chosen, reverse=True):
            made.document = entries.without(made.document, start, end)
    made.moved = len(moving)
    return tuple(moving)


def _movable(document: bytes, ours: Mapping[str, str]) -> Iterator[tuple[str, int, int, str]]:
    """Each entry below a time: the time, where it begins and ends, and its key where it has one."""
    for stretch in entries.stretches(document):
        says = ((end, ours[said]) for end, text_ in reversed(stretch.ends) if (said := entries.digest(text_)) in ours)
        whole = (stretch.whole[0], "") if len(stretch.ends) == stretch.paragraph else None
        if (found := next(says, whole)) is not None:
            yield stretch.stamp, stretch.start, *found


def _taken_back(document: bytes, archive: bytes, moving: Collection[str]) -> bytes:
    """The archive without the copies of lines whose move was broken off: they still stand in MEMORY.md."""
    if not moving:
        return archive
    copied = {_lines_digest(document[start:end]) for start, end in _spans(document)}.intersection(moving)
    gone = {start: end for start, end in _spans(archive) if _lines_digest(archive[start:end]) in copied}
    for start, end in sorted(gone.items(), reverse=True):
        archive = entries.without(archive, start, end)
    return archive


def _spans(document: bytes) -> Iterator[tuple[int, int]]:
    for stretch in entries.stretches(document):
        for end, _ in stretch.ends:
            yield stretch.start, end


def _lines_digest(lines: bytes) -> str:
    return _digest(lines.strip())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
