"""Shares in words or digits, `three quarters of`, `ein Drittel der`, `3/4 of`, which also stand as `75%` or `¾`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache
from typing import Final

from elcano.text.number_words import number_word

_COUNTS: Final = {
    1: "a one ein eine einem einer einen eines un une uno una um uma een bir одна один одну",
    2: "two zwei deux dos dois duas due twee две",
    3: "three drei trois tres três tre drie три",
    4: "four vier quatre cuatro quatro quattro",
    5: "five fünf cinq cinco cinque vijf",
    7: "seven sieben sept siete sete sette zeven",
    9: "nine neun neuf nueve nove negen",
}
_PARTS: Final = {
    2: "half halves hälfte moitié mitad metade metà половина половины половину",
    3: "third thirds drittel tiers tercio tercios terço terços terzo terzi derde треть трети",
    4: "quarter quarters fourth fourths viertel quart quarts cuarto cuartos quarto quartos quarti kwart четверть"
    " четверти",
    5: "fifth fifths fünftel cinquième cinquièmes quinto quintos quinti vijfde",
    6: "sixth sixths sechstel sixième sixièmes sesto sesti zesde",
    8: "eighth eighths achtel huitième huitièmes ottavo ottavi achtste",
    10: "tenth tenths zehntel dixième dixièmes décimo décimos decimo decimi tiende",
}
_COUNT_OF: Final = {word: count for count, words in _COUNTS.items() for word in words.split()}
_PART_OF: Final = {word: part for part, words in _PARTS.items() for word in words.split()}
_OF: Final = (
    r"[ \u00a0](?:of|der|des|aller|von|de|du|d['\u2019]|del|dos|das|do|da|dei|degli|delle|di|van|всех)(?!\w)"
    r"|(?<=\w)[ \u00a0](?=[\u0430-\u044f]{4,}(?:ов|ей|ий|ых|их)(?!\w))"
)
"""What it is a share of: `a third study` is an ordinal, `the first half` a place."""
_ALONE: Final = (
    r"(?=[ \u00a0]?[.,;:)]|\Z|[ \u00a0](?:in|from|over|since|after|and|compared|when|im|seit|en|entre|und|et|y)(?!\w))"
)
"""What may follow a share that something changes by or to: `it fell by a third`."""
_CHANGED: Final = re.compile(
    r"(?<!\w)(?:by|to|um|auf|d['\u2019]|de|en|a|à|del|di|met|tot|op|на)[ \u00a0]?\Z", re.IGNORECASE
)
_SHARE: Final = re.compile(
    rf"\b(?:(?:(?P<count>{'|'.join(_COUNT_OF)})[ \u00a0-])?(?P<part>{'|'.join(_PART_OF)})"
    rf"|(?<![\d/.,])(?P<over>[1-9])/(?P<under>[2-9]|10)(?![\d/]))\b(?P<of>(?={_OF}))?(?P<alone>{_ALONE})?",
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
_SAME: Final = (Decimal("0.005"), Decimal("0.05"))
_NEAR: Final = (Decimal("0.03"), Decimal("0.1"))
"""How far a ratio may be off a share: at most so much, and so much of the share."""
_DIGITS: Final = tuple(Context(prec=digits) for digits in range(2, 6))
"""Of one digit, 1 in 400 would be 0 %, as nearly all small shares."""


_WHOLE: Final = r"(?!2000(?!\d))\d{1,3}(?:,?000)?|[^\W\d_]{3,12}"
"""No `one in 2000`, which is a year."""
_MORE_COUNTS: Final = "six|eight|sechs|acht|huit|seis|ocho|sei|otto|oito|zes"
_ONE_IN: Final = re.compile(
    rf"(?<![\w.,/-])(?P<count>[1-9]|{'|'.join(_COUNT_OF)}|{_MORE_COUNTS})[ \u00a0]"
    r"(?:(?P<among>in|(?:de|em)[ \u00a0]cada)|(?P<of>of)|out[ \u00a0]of|von|sur|su|op(?:[ \u00a0]de)?|из)[ \u00a0]"
    rf"(?:every[ \u00a0]|je[ \u00a0])?(?P<whole>{_WHOLE})(?![\w,]|[.]\d|[ \u00a0]?[%/]"
    r"|[ \u00a0](?:decade|year|month|week|day|night|hour|minute|second|thousand|million|hundred)s?\b)",
    re.IGNORECASE,
)
"""`one in five adults`, `1 in 20`; neither `one in five years` nor `one trial in five hospitals`."""
_LABEL: Final = re.compile(
    r"\b(?:class|day|figure|grade|group|level|phase|stage|step|table|type|week|year)[ \u00a0]\Z", re.IGNORECASE
)
"""What is numbered, as in `grade 1 in 20 patients`."""


_MOST_SEVERAL: Final = 10
_ARTICLES: Final = frozenset(["a", "ein", "eine", "einem", "einen", "un", "une", "una", "um", "uma", "een"])
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
        return frozenset({self.exact, *(rounding.plus(percent).normalize() for rounding in _DIGITS)})


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
        changed = found["alone"] is not None and found["count"]
        changed = changed and _CHANGED.search(text, max(found.start() - 6, 0), found.start())
        ordinal = found["part"] and found["part"].lower().endswith(("th", "third"))  # `two third-party vendors`
        several = over > 1 and under not in (2, 4) and not found["over"] and not ordinal  # nor `two quarters` of a year
        if over < under and (found["of"] is not None or several or changed):
            yield Share(found[0], found.start(), found.end(), Decimal(over) / Decimal(under))
    for found in _IDEOGRAPHIC.finditer(text):
        under, over = (_read_digit(found[one] or found[two]) for one, two in (("under", "whole"), ("over", "part")))
        if over < under:
            yield Share(found[0], found.start(), found.end(), Decimal(over) / Decimal(under))
    for found in _ONE_IN.finditer(text):
        count, whole = (_read_count(found[name]) for name in ("count", "whole"))
        if found["among"] is None:  # `one of three trials`, `vier von 44`
            counted = not found["whole"].isalpha() or (found["of"] and count == 1)
        else:  # `three in 25 mice`
            article = found["among"].lower() == "in" and found["count"].lower() in _ARTICLES
            counted = article or (count > 1 and whole > _MOST_SEVERAL)
        label = _LABEL.search(text, max(found.start() - _LONGEST_PLACE, 0), found.start())
        if 0 < count < whole > 2 and not (counted or label):
            yield Share(found[0], found.start(), found.end(), Decimal(count) / Decimal(whole))


def _read_count(written: str) -> int:
    """The number that a word or digits say; 0: none."""
    word = written.lower()
    if word[0].isdigit():
        return int(word.replace(",", ""))
    return _COUNT_OF.get(word) or number_word(word) or 0


def _read_digit(written: str) -> int:
    return int(written) if written.isdigit() and written.isascii() else f"零{_DIGIT}十".index(written)


@lru_cache(maxsize=256)
def find_ratios(text: str) -> tuple[Decimal, ...]:
    """The ratio of every count that says of how many it is: `15 of 20`, `15/20`; each share of a statement asks."""
    found = ((int(part), int(whole)) for part, whole in _RATIO.findall(text))
    return tuple(Decimal(part) / Decimal(whole) for part, whole in found if 0 < part < whole)


def find_ratio_at(text: str, start: int) -> tuple[Decimal, Decimal] | None:
    """The count that begins at `start`, and of how many it is."""
    found = _RATIO.match(text, start)
    return (Decimal(found[1]), Decimal(found[2])) if found and 0 < int(found[1]) < int(found[2]) else None


def is_same_share(share: Decimal, ratio: Decimal, bound: str, *, rounded: bool) -> bool:
    """Return whether a ratio bears a share out: it is the share, or on the side that `bound` names.

    `rounded`: the share is only said to be about that.
    """
    most, part = _NEAR if rounded else _SAME
    return (
        abs(ratio - share) <= min(most, part * share)
        or (bound == "least" and ratio > share)
        or (bound == "most" and ratio < share)
    )
