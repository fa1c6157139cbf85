"""The faults of a schema, and the keywords that bound a value: each is read by itself and each fault reported."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, Final, NamedTuple, TypeAlias

from elcano.graphs.frozen import Frozen
from elcano.graphs.schemas.shape import Bounds
from elcano.graphs.text import shorten_text

MAX_CHOICES: Final = 100
LARGEST: Final = 10**15
"""A bound is no larger number: beyond it, floating point cannot tell neighbours apart."""
NOTES: Final = frozenset({"title", "description", "examples", "$comment"})
"""Keywords that bound nothing."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")

Tell: TypeAlias = Callable[[str, str], None]
"""Takes a fault: its place and what is wrong."""


class SchemaFault(NamedTuple):
    """A fault in a schema, or in what contains it."""

    pointer: str
    """Where, as a JSON pointer (RFC 6901); empty: the whole."""
    message: str


def build_json_pointer(*parts: str | int) -> str:
    """A JSON pointer."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def prefix_fault_pointers(faults: Iterable[SchemaFault], at: str) -> Iterable[SchemaFault]:
    """Faults of a part, with their places in the whole."""
    return (SchemaFault(at + fault.pointer, fault.message) for fault in faults)


def name_fault(name: str) -> str | None:
    """Why a field of an answer or an input cannot be called so; None if it can."""
    if not _NAME.fullmatch(name):
        wanted = "letters a-z, digits and underscores, a letter first, 64 at most, so that expressions can read it"
        return f"{said_as(name)} cannot be a field's name: {wanted}"
    if hasattr(Frozen, name):
        return f"{name!r} has a meaning of its own here: take another name, such as {name + '_'!r}"
    return None


def said_as(value: object) -> str:
    """A value as a fault names it."""
    return repr(shorten_text(value if isinstance(value, str) else json.dumps(value, default=str), 100))


def parse_length_bounds(schema: Mapping[str, Any], at: str, tell: Tell, low: str, high: str, most: int) -> Bounds:
    """Parse two length keywords: whole numbers up to `most`, the low one first."""
    bounds: list[Any] = []
    for keyword in (low, high):
        value = schema.get(keyword)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most):
            tell(at + build_json_pointer(keyword), f"it must be a whole number from 0 to {most:,}")
            value = None
        bounds.append(value)
    if None not in bounds and bounds[0] > bounds[1]:
        tell(at + build_json_pointer(low), f"{bounds[0]} is more than `{high}`, {bounds[1]}")
    return Bounds(least=bounds[0], most=bounds[1])


def number_range(schema: Mapping[str, Any], at: str, tell: Tell) -> Bounds:
    """Read the bounds that a schema sets on a number."""
    values: list[int | float | None] = []
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        value = schema.get(keyword)
        if value is not None and not _is_bounded_number(value):
            tell(at + build_json_pointer(keyword), f"it must be a number between -{LARGEST:,} and {LARGEST:,}")
            value = None
        values.append(value)
    return Bounds(least=values[0], most=values[1], above=values[2], below=values[3])


def parse_schema_choices(
    schema: Mapping[str, Any], at: str, tell: Tell, known: frozenset[str], kind: type
) -> tuple[str | int, ...]:
    """Parse the only values that a schema allows, if it lists them; no other `known` keyword may accompany them."""
    if "const" in schema:
        keyword, said = "const", [schema["const"]]
    elif "enum" in schema:
        keyword, said = "enum", schema["enum"]
    else:
        return ()
    if not isinstance(said, list) or not 1 <= len(said) <= MAX_CHOICES:
        tell(at + build_json_pointer(keyword), f"it must be a list of 1 to {MAX_CHOICES} values")
        return ()
    if any(type(one) is not kind for one in said) or any(isinstance(one, str) and len(one) > 200 for one in said):
        wanted = "texts of at most 200 characters" if kind is str else "whole numbers"
        tell(at + build_json_pointer(keyword), f"its values must be {wanted}, as its type says")
        return ()
    more = NOTES | {"type", keyword}
    for beside in (key for key in schema if key in known and key not in more):
        tell(at + build_json_pointer(beside), f"beside `{keyword}` it says nothing: leave it out")
    return tuple(dict.fromkeys(said))


def _is_bounded_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and abs(value) <= LARGEST if isinstance(value, float) else abs(value) <= LARGEST
