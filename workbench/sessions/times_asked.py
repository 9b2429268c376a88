"""What a question asks of time: the day, month or year that it names, and whether it asks when something was.

What happened on a day is told that day or soon after: a message of the time named is worth more, one said before it
hardly, one said after it the less the longer after. And when something was is answered where a time is said
(``yesterday``, ``in May``, ``two weeks ago``).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

# Added to a score in [0, 1]; of a long message the second says nothing.
_OF_THAT_TIME, _SAYS_A_TIME, _ALONE = 0.25, 0.08, 800
_LEAST = 0.01
_DAY = 86_400
_YEAR_SECONDS = 365.2425 * _DAY
# So many days before and after the time named a message is worth 1/e of one of that time.
_BEFORE, _AFTER = 3, 14
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
MONTH = f"(?:{'|'.join(_MONTHS)})"
_YEAR = r"(?:19|20)\d\d"
_LEADING = "after|before|by|during|from|in|last|of|on|since|this|until"
# 8 May 2026, 8th of May; May 8, 2026; May 2026; in May, in 2026; 2026-05-08, 2026-05.
_NAMED = [
    re.compile(rf"\b{form}\b", re.IGNORECASE)
    for form in (
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month>{MONTH})(?:,?\s+(?P<year>{_YEAR}))?",
        rf"(?P<month>{MONTH}),?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s*(?P<year>{_YEAR}))?",
        rf"(?P<month>{MONTH}),?\s+(?P<year>{_YEAR})",
        rf"(?P<year>{_YEAR})-(?P<month>\d\d)(?:-(?P<day>\d\d))?",
        rf"(?:{_LEADING})\s+(?:(?P<month>{MONTH})|(?P<year>{_YEAR}))",
    )
]
_WHEN = re.compile(
    r"\b(?:since\s+)?when\s+(?:am|are|can|could|did|do|does|had|has|have|is|should|shall|was|were|will|would)\b|\bhow\s+long\b"
    r"|\b(?:what|which)\s+(?:year|month|week|date|day|time)\b",
    re.IGNORECASE,
)
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMBER = r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of|several|\d+)"
_UNIT = "(?:hour|night|day|week(?:end)?|month|year|summer|winter|spring|autumn|fall)s?"
_MONTH_SAID = MONTH.replace("|may|", "|(?:in|last|next|this) may|")
_SAYS = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|recently|ago|since|just (?:now|got|started|finished)|{_DAYS}|{_YEAR}"
    rf"|(?:last|next|this|past|previous|{_NUMBER}|{_DAYS}) {_UNIT}|{_MONTH_SAID})\b",
    re.IGNORECASE,
)


# (year, month, day), as far as they are said.
Named = tuple[int | None, int | None, int | None]


@dataclass(frozen=True)
class Asked:
    """:param named: the time that the question names; ``when``: whether it asks when something was."""

    named: Named | None
    when: bool

    def bonus(self, at: float | None, said: str) -> float:
        """What is added to the score of a message.

        :param at: when it was said, in seconds since 1970.
        """
        near = _OF_THAT_TIME * _nearness(self.named, at) if self.named and at is not None else 0.0
        if not self.when:
            return near
        share = math.exp(-len(said) / _ALONE)
        return near + (_SAYS_A_TIME * share if share > _LEAST and _SAYS.search(said) else 0.0)


def asked(question: str) -> Asked:
    """What ``question`` asks of time."""
    return Asked(_named(question), _WHEN.search(question) is not None)


def _named(question: str) -> Named | None:
    for form in _NAMED:
        for found in form.finditer(question):
            part = found.groupdict()
            year, month, day = (_number(part.get(name)) for name in ("year", "month", "day"))
            if _span(year or 2000, month, day):  # a leap year
                return year, month, day
    return None


def _number(written: str | None) -> int | None:
    if written is None:
        return None
    return int(written) if written.isdecimal() else _MONTHS.index(written.lower()) + 1


def _nearness(named: Named, at: float) -> float:
    """1 for a moment within the time named, less for one before or after it; where no year is said, of any year."""
    year, month, day = named
    said = 1970 + int(at // _YEAR_SECONDS)
    return max(_beside(_span(each, month, day), at) for each in ([year] if year else [said - 1, said, said + 1]))


def _beside(span: tuple[float, float] | None, at: float) -> float:
    if span is None:
        return 0.0
    first, last = span
    return math.exp(-max(0.0, first - at) / (_BEFORE * _DAY) - max(0.0, at - last) / (_AFTER * _DAY))


def _span(year: int, month: int | None, day: int | None) -> tuple[float, float] | None:
    """The seconds from which to which a year, month or day lasts on the clock of this machine; None where there is no
    such day."""
    try:
        first = date(year, month or 1, day or 1)
        if day:
            behind = first + timedelta(days=1)
        else:
            last = month or 12
            behind = date(year + last // 12, last % 12 + 1, 1)
        begin, end = (datetime.combine(each, datetime.min.time()).timestamp() for each in (first, behind))
    except (ValueError, OverflowError):
        return None
    return begin, end
