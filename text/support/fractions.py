"""Shares in words or digits, `three quarters of`, `ein Drittel der`, `3/4 of`, which also stand as `75%` or `¾`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

_COUNTS: Final = {
    1: "a one ein eine einem un une uno una um uma",
    2: "two zwei deux dos dois duas",
    3: "three drei trois tres três",
    4: "four vier quatre cuatro quatro",
    5: "five fünf cinq cinco",
    7: "seven sieben sept siete sete",
    9: "nine neun neuf nueve nove",
}
_PARTS: Final = {
    2: "half halves hälfte moitié mitad metade",
    3: "third thirds drittel tiers tercio tercios terço terços",
    4: "quarter quarters fourth fourths viertel quart quarts cuarto cuartos quarto quartos",
    5: "fifth fifths fünftel cinquième cinquièmes quinto quintos",
    6: "sixth sixths sechstel sixième sixièmes",
    8: "eighth eighths achtel huitième huitièmes",
    10: "tenth tenths zehntel dixième dixièmes décimo décimos",
}
_COUNT_OF: Final = {word: count for count, words in _COUNTS.items() for word in words.split()}
_PART_OF: Final = {word: part for part, words in _PARTS.items() for word in words.split()}
# Only before what it is a share of: `a third study` is an ordinal, `the first half` a place.
_OF: Final = r"(?=[ \u00a0](?:of|der|des|aller|von|de|du|d['\u2019]|del|dos|das|do|da)\b)"
_SHARE: Final = re.compile(
    rf"\b(?:(?:(?P<count>{'|'.join(_COUNT_OF)})[ \u00a0-])?(?P<part>{'|'.join(_PART_OF)})"
    rf"|(?<![\d/.,])(?P<over>[1-9])/(?P<under>[2-9]|10)(?![\d/]))\b{_OF}",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?:first|second|other|latter|former|last|lower|upper|late|early|later|earlier|better|top|bottom|left|right|\w+ern"
    r"|erste[nrs]?|zweite[nrs]?|andere[nrs]?|untere[nrs]?|obere[nrs]?|premi\u00e8re|seconde|autre|primera|segunda|otra"
    r"|primeira|outra)[ \u00a0]$",
    re.IGNORECASE,
)
_LONGEST_PLACE: Final = 30
"""Characters of such a word that are looked at."""
_RATIO: Final = re.compile(
    r"(?<![\d.,])(\d{1,7})(?:[ \u00a0](?:out of|of|in|von|sur|de|su)(?:[ \u00a0](?:the|all|den|les|los))?[ \u00a0]|/)"
    r"(\d{1,7})(?![\d/])",
    re.IGNORECASE,
)
_SAME: Final = Decimal("0.005")
_NEAR: Final = Decimal("0.03")
_PLACES: Final = tuple(Decimal(1).scaleb(-places) for places in range(4))


_IN: Final = "three four five six seven eight nine ten"
_ONE_IN: Final = re.compile(
    rf"\b(?P<count>one|two|three|four|five|six|seven|eight|nine)[ \u00a0](?:in|out of)[ \u00a0](?:every[ \u00a0])?"
    rf"(?P<whole>{_IN.replace(' ', '|')})\b(?![ \u00a0](?:decade|year|month|week|day|night|hour|minute|second)s?\b)",
    re.IGNORECASE,
)
"""`one in five adults`, which is no `one in five years`."""


_DIGIT: Final = "一二三四五六七八九"
_IDEOGRAPHIC: Final = re.compile(
    rf"(?P<under>[{_DIGIT}\d]|十)分[之の](?P<over>[{_DIGIT}\d])|(?P<whole>[2-9]|10)분의[ \u00a0]?(?P<part>[1-9])"
)
"""`三分之二`, `三分の二`, `3분의 2`"""


@dataclass(frozen=True)
class Share:
    """A share, as it is written, with every value by which it may be written otherwise."""

    written: str
    start: int
    end: int
    exact: Decimal

    @property
    def values(self) -> frozenset[Decimal]:
        """The share and its percentage, exact and rounded: two thirds are 67, 66.7 and 66.67 (per cent)."""
        percent = self.exact * 100
        return frozenset({self.exact, *(percent.quantize(place).normalize() for place in _PLACES)})


def find_shares(text: str) -> Iterator[Share]:
    """Every share of `text` that says what it is a share of."""
    for found in _SHARE.finditer(text):
        if found["over"]:
            over, under = int(found["over"]), int(found["under"])
        elif _PLACE.search(text, max(found.start() - _LONGEST_PLACE, 0), found.start()):  # `the second half of 2020`
            continue
        else:
            over, under = _COUNT_OF.get((found["count"] or "a").lower(), 1), _PART_OF[found["part"].lower()]
            if not found["count"] and under > 2:  # `the third of` is an ordinal
                continue
        if over < under:
            yield Share(found[0], found.start(), found.end(), Decimal(over) / Decimal(under))
    for found in _IDEOGRAPHIC.finditer(text):
        under, over = (_read_digit(found[one] or found[two]) for one, two in (("under", "whole"), ("over", "part")))
        if over < under:
            yield Share(found[0], found.start(), found.end(), Decimal(over) / Decimal(under))
    for found in _ONE_IN.finditer(text):
        whole = _IN.split().index(found["whole"].lower()) + 3
        count = "one two three four five six seven eight nine".split().index(found["count"].lower()) + 1  # noqa: SIM905
        if count < whole:
            yield Share(found[0], found.start(), found.end(), Decimal(count) / Decimal(whole))


def _read_digit(written: str) -> int:
    return int(written) if written.isdigit() and written.isascii() else f"零{_DIGIT}十".index(written)


@lru_cache(maxsize=256)
def find_ratios(text: str) -> tuple[Decimal, ...]:
    """The ratio of every count that says of how many it is: `15 of 20`, `15/20`; each share of a statement asks."""
    found = ((int(part), int(whole)) for part, whole in _RATIO.findall(text))
    return tuple(Decimal(part) / Decimal(whole) for part, whole in found if 0 < part < whole)


def is_same_share(share: Decimal, ratio: Decimal, bound: str, *, rounded: bool) -> bool:
    """Return whether a ratio bears a share out: it is the share, or on the side that `bound` names.

    `rounded`: the share is only said to be about that.
    """
    near = _NEAR if rounded else _SAME
    return abs(ratio - share) <= near or (bound == "least" and ratio > share) or (bound == "most" and ratio < share)
