"""Amounts that several numbers of a text make up together: `1 h 30 min`, `1億2000万`, `two thousand three hundred`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from elcano.text.amounts import Number, NumberReading
from elcano.text.unit_comparison import get_smaller_units

_BETWEEN_PARTS: Final = re.compile(r"[ \u00a0]?(?:,[ \u00a0]|and[ \u00a0]|und[ \u00a0]|et[ \u00a0])?")
_SPELLED_ON: Final = re.compile(r"[ \u00a0](?:(?:and|e|y|et|und|en)[ \u00a0])?(?:(?:one|an?)[ \u00a0])?")
"""What stands within `two thousand three hundred`."""
_PARTED_MYRIADS: Final = re.compile(r"[兆조亿億억万萬만][ \u00a0]?")
"""The signs that end the first part of a number by ten thousands: `1億2000万`."""


def combine_parts(text: str, numbers: Iterable[Number]) -> Iterator[Number]:
    """The numbers, those as one that are one amount in two units, as in `1 h 30 min`."""
    waiting: Number | None = None
    for one in numbers:
        if waiting is not None and (both := _combine_amounts(text, waiting, one)) is not None:
            waiting = both
            continue
        if waiting is not None:
            yield waiting
        waiting = one
    if waiting is not None:
        yield waiting


def _combine_amounts(text: str, one: Number, following: Number) -> Number | None:
    if one.spelled and following.spelled and _SPELLED_ON.fullmatch(text, one.end, following.start):
        larger, more = one.readings[0], following.readings[0]
        if not one.unit and more.value < larger.step and larger.step >= 1000:
            added = NumberReading(larger.value + more.value, more.step)
            return replace(following, text=text[one.start : following.end], start=one.start, readings=(added,))
    if (
        _PARTED_MYRIADS.fullmatch(text, one.end - 1, following.start)
        and len(one.readings) == len(following.readings) == 1
    ):
        larger, more = one.readings[0], following.readings[0]
        if not (one.unit or following.signed) and more.value < larger.step <= larger.value:
            value = larger.value + more.value
            return replace(
                following,
                text=text[one.start : following.end],
                start=one.start,
                readings=(NumberReading(value, more.step),),
            )
    factor = get_smaller_units(one.unit, following.unit) if one.unit and following.unit else None
    if factor is None or len(one.readings) != 1 or len(following.readings) != 1:
        return None
    if not _BETWEEN_PARTS.fullmatch(text, one.unit_end, following.start) or one.ordinal or following.signed:
        return None
    more = following.readings[0]
    if not 0 <= more.value < factor:
        return None
    value = one.readings[0].value * factor + more.value
    return replace(
        following,
        text=text[one.start : following.end],
        start=one.start,
        readings=(NumberReading(value, more.step),),
        signed=one.signed,
    )
