"""The weight of a value: bytes that are counted, not measured, so that the same value weighs the same everywhere.

The weight of a text is its length in UTF-8; each value, name and text has `VALUE_BYTES` in addition, each list and
object `CONTAINER_BYTES`. A value is weighed as a tree: a part that occurs twice counts twice, as it does once the value
is written out. Values that cannot be written and read again (a number that is not finite, half a character, too many
levels) have no weight: they are refused.
"""

from collections.abc import Callable, Collection, Iterable
from math import isfinite
from typing import Final, NamedTuple

from pydantic import BaseModel

VALUE_BYTES: Final = 32
"""The minimum weight of any value; a list of a thousand zeros is no less work than a thousand names."""
CONTAINER_BYTES: Final = 128
"""The minimum weight of a list or an object: building, checking and writing one is the work of several values."""
CONTAINER_PARTS: Final = 6
"""Checking and writing a list or an object takes as long as this many numbers."""
MAX_LEVELS: Final = 64
"""Lists and objects within one another. Readers of JSON give up somewhere below 200, and a value travels in others."""
MAX_BITS: Final = 1_024
"""Maximum size of a whole number; JSON parsers give up somewhere above."""


class ValueTooLarge(Exception):
    """A value weighs too much or cannot be kept. Its text completes "the value ..."."""


class Weight(NamedTuple):
    """The weight of a value."""

    bytes: int
    levels: int
    """Lists and objects within one another; 0 for a number."""
    parts: int
    """Values in it and itself, a list or an object as `CONTAINER_PARTS`: how long work on each of them takes."""


class Scale:
    """Weighs values, each list and object once, however often it occurs in others. Mutable: it remembers them.

    Args:
        most: the maximum weight of a value in bytes.
        count: called for each visited list and object with the number of its values.
    """

    def __init__(self, most: int, count: Callable[[int], None] | None = None) -> None:
        self.most = most
        self._count = count
        self._known: dict[int, tuple[object, Weight]] = {}
        """Weights by identity; the object is kept too, so that no other can get its identity."""

    def weigh(self, value: object, level: int = 0) -> Weight:
        """The weight of a JSON value, or of a frozen model.

        Raises:
            ValueTooLarge: it weighs too much, or cannot be kept.
        """
        if (scalar := _scalar_bytes(value)) is not None:
            return Weight(self._in_bounds(scalar), 0, 1)
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._container(value, level))
        return known[1]

    def _container(self, value: object, level: int) -> Weight:
        if level >= MAX_LEVELS:
            raise _build_depth_error()
        kind = type(value)
        names: Iterable[str] = ()
        parts: Collection[object]
        if kind is list or kind is tuple:
            parts = value  # type: ignore[assignment]
        elif kind is dict:
            names, parts = value, value.values()  # type: ignore[assignment, attr-defined]
        elif isinstance(value, BaseModel):
            names, parts = value.__dict__, value.__dict__.values()
        else:
            raise ValueTooLarge(f"holds a {kind.__name__}, which is not JSON")
        if self._count is not None:
            self._count(len(parts))
        total, levels, count = CONTAINER_BYTES, 0, CONTAINER_PARTS
        for name in names:
            total += text_bytes(name)
        for part in parts:
            if (scalar := _scalar_bytes(part)) is not None:
                total += scalar
                count += 1
            else:
                weight = self.weigh(part, level + 1)
                total += weight.bytes
                count += weight.parts
                levels = max(levels, weight.levels)
            if total > self.most:
                break
        if levels + 1 > MAX_LEVELS:
            raise _build_depth_error()
        return Weight(self._in_bounds(total), levels + 1, count)

    def _in_bounds(self, found: int) -> int:
        if found > self.most:
            raise ValueTooLarge(f"weighs over {self.most:,} bytes")
        return found


def _scalar_bytes(value: object) -> int | None:
    """Return the weight of a value that is neither a list nor an object; None for these."""
    kind = type(value)  # a chain of exact types is the fastest there is, and this is most of the work
    if kind is str:
        return text_bytes(value)  # type: ignore[arg-type]
    if kind is int:
        if (bits := value.bit_length()) > MAX_BITS:  # type: ignore[attr-defined]
            raise ValueTooLarge(f"holds a number of {bits} bits; at most {MAX_BITS} can be kept")
    elif kind is float:
        if not isfinite(value):  # type: ignore[arg-type]
            raise ValueTooLarge("holds a number that is not finite")
    elif value is not None and kind is not bool:
        return None
    return VALUE_BYTES


def text_bytes(text: str) -> int:
    """The weight of a text in bytes.

    Raises:
        ValueTooLarge: it holds half a character, which no reader takes.
    """
    if text.isascii():
        return VALUE_BYTES + len(text)
    try:
        return VALUE_BYTES + len(text.encode())
    except UnicodeEncodeError as error:
        raise ValueTooLarge("holds half a character (a lone surrogate)") from error


def _build_depth_error() -> ValueTooLarge:
    return ValueTooLarge(f"has more than {MAX_LEVELS} levels of lists and objects")
