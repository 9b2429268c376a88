"""What has to stay exact when a conversation is summed up: paths, addresses, commands, numbers, names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

# Kind → how many are kept.
KINDS = {"paths": 25, "urls": 15, "commands": 12, "numbers": 20, "names": 20}
_MAX = 160
_URL = re.compile(r"\b(?:https?|ssh|git|ftp|wss?|file|postgres(?:ql)?|redis|mysql|s3)://[^\s<>\"'`|\\)\]}]{2,400}")
_PATH = re.compile(
    r"(?<![\w/.:~@<-])(?:~|\.{1,2})?(?:/[\w.@%+-]{1,80}){1,20}/?"  # /usr/bin, ~/x, ./a
    r"|(?<![\w/.:~@<-])[A-Za-z]:(?:\\[\w .@%+-]{1,80}){1,20}"  # C:\x\y
    r"|(?<![\w/.:~@<-])[\w@.-]{1,80}(?:/[\w.@%+-]{1,80}){0,20}\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w(])"  # src/a.py, a.py
)
_FILE = re.compile(
    r"\.(?:bash|c|cc|cfg|conf|cpp|cs|css|csv|db|env|go|h|hpp|html?|ini|ipynb|java|jpe?g|js|json|jsonl|jsx|kt|lock|log|lua"
    r"|md|mjs|parquet|pdf|php|png|proto|py|pyi|rb|rs|sass|scss|sh|sql|sqlite3?|svelte|svg|swift|tar|tf|toml|ts|tsv|tsx"
    r"|txt|vue|xml|ya?ml|zip|zig)$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?:\b([A-Za-z_][A-Za-z_-]{1,30})[ =:]{1,2})?(?<![\w.])([#$€£~v]?\d[\d.,:]{0,30}(?:-\d[\d-]{0,20})?)"
    r"(?: ?(%|°C?|[kKMGT]i?B|[mµn]s|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|rows?|tokens?|px"
    r"|times?|users?|requests?|percent)(?!\w))?"
)
_NAME = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"  # a UUID
    r"|\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b"  # a commit
    r"|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}\b"  # an address
    r"|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]{1,40}){1,8}\b"  # a variable of the environment
    r"|\b[A-Z]{2,10}-\d{1,7}\b"  # a ticket
)
_SPAN = re.compile(r"`([^`\n]{2,160})`")
_FENCED = re.compile(r"^\s{0,3}(?:```|~~~)")
_PROMPT = re.compile(r"\s{0,8}[$❯] (\S.{1,300})")
_SHELL = re.compile(r"\s{0,3}(?:```|~~~)\s?(?:ba|z|fi)?(?:sh|console|shell|shell-session|terminal)\s*$")
_SECRET = re.compile(r"\[secret: [^\]\n]{1,60}\]")
_COMMON = frozenset(
    """
    a an and are as at by for from has have in is it of on or over than that the to was with
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a list of them
)
_END = ".,;:!?)"


class Identifiers:
    """Gathers identifiers, those said often and lately before others."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        self._order = 0

    def add(self, kind: str, value: str, weight: int = 1) -> None:
        """Take one; what is no value of its own is left out."""
        value = " ".join(value.split())
        if not 2 <= len(value) <= _MAX or "`" in value or "[secret" in value:
            return
        self._order += 1
        told = self._seen[kind].pop(value, (0, 0))[0]
        self._seen[kind][value] = (told + weight, self._order)

    def read(self, text: str, weight: int = 1) -> None:
        """Take what stands in a text whose credentials are masked."""
        text = _SECRET.sub(" ", text)
        for command in _commands(text):
            self.add("commands", command, weight)
        for span in _SPAN.findall(text):
            self.add("names" if not _is_path(span) else "paths", span, weight)
        for url in _URL.findall(text):
            self.add("urls", url.rstrip(_END), weight)
        text = _URL.sub(" ", text)
        for path in _PATH.findall(text):
            if _is_path(path.rstrip(_END)):
                self.add("paths", path.rstrip(_END), weight)
        for name in _NAME.findall(text):
            self.add("names", name, weight)
        for number in _numbers(_NAME.sub(" ", _PATH.sub(" ", text))):
            self.add("numbers", number, weight)

    def lines(self) -> list[str]:
        """One line a kind, in the order in which they were said last."""
        found = []
        for kind, limit in KINDS.items():
            best = sorted(self._seen[kind].items(), key=lambda item: (-item[1][0], -item[1][1]))[:limit]
            kept = [value for value, _ in sorted(best, key=lambda item: item[1][1])]
            if kept:
                found.append(f"{kind}: " + ", ".join(f"`{value}`" for value in kept))
        return found

    def remember(self, lines: Iterable[str]) -> None:
        """Take those of an earlier summary."""
        for line in lines:
            kind, colon, values = line.partition(": ")
            if colon and kind in KINDS:
                for value in _SPAN.findall(values):
                    self.add(kind, value)


def _is_path(value: str) -> bool:
    if " " in value or not any(c.isalpha() for c in value):
        return False
    rooted = value.startswith(("/", "~/", "./", "../")) or value[1:3] == ":\\"
    return (rooted and len(value) > 2) or _FILE.search(value) is not None


def _commands(text: str) -> Iterator[str]:
    """Lines behind a prompt, and lines of blocks of the shell."""
    shell = fenced = False
    for line in text.splitlines():
        if _FENCED.match(line):
            shell, fenced = not fenced and _SHELL.match(line) is not None, not fenced
        elif prompt := _PROMPT.match(line):
            yield prompt[1]
        elif shell and line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()


def _numbers(text: str) -> Iterator[str]:
    """Numbers with the word before and the unit behind them; a short one without either says nothing."""
    for before, number, unit in _NUMBER.findall(text):
        number = number.rstrip(".,:")
        word = "" if before.casefold() in _COMMON else before
        digits = sum(c.isdigit() for c in number)
        if digits < 4 and not unit and number[0] not in "#$€£v" and (digits < 2 or not word):
            continue
        yield " ".join(part for part in (word, number, unit) if part)
