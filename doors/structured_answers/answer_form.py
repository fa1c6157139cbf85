"""The form that a model fills in for a JSON Schema: a tree without references, with an end everywhere.

A leaf is one value with its basis. Whether a value fits is decided by the schemas that a leaf carries, in full; the
tree itself only says where there can be values. Pure: workflows load it.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from elcano.graphs.errors import build_json_pointer
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import ensure_list, shorten_text

Scalar: TypeAlias = str | int | float | bool
MOST_ITEMS: Final = 1_000
"""Items of a list, and names of an open object, that are looked at."""
LONGEST_TEXT: Final = 50_000
"""Characters of a value; a report has less."""
_TYPES: Final[Mapping[type, str]] = {bool: "boolean", int: "integer", float: "number", str: "string"}
_KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""Pattern of names that every model provider accepts."""


@dataclass(frozen=True)
class Place:
    """One place in an answer."""

    kind: Literal["object", "list", "leaf", "either"]
    """`either`: one of several forms."""
    description: str = ""
    at: str = field(default="", compare=False)
    """The pointer of a leaf's schema in the whole one."""
    fields: tuple["Field", ...] = ()
    entries: "Place | None" = None
    """Objects only: values under names that the schema leaves open."""
    entry_rules: str = ""
    """The schema, as JSON, of an object with one such name."""
    items: "Place | None" = None
    most: int = MOST_ITEMS
    """Items of a list; more are left out."""
    unique: bool = False
    """Whether no item may be there twice."""
    either: tuple["Place", ...] = ()
    types: tuple[str, ...] = ()
    """Types of a leaf: `string`, `number`, `integer`, `boolean`."""
    choices: tuple[Scalar, ...] = ()
    """The only values that there are; empty: all of these types."""
    schemas: tuple[str, ...] = ()
    """As JSON: a value of a leaf has to fit each of them."""


@dataclass(frozen=True)
class Field:
    """A named place of an object."""

    name: str
    key: str
    """Its name as models are given it."""
    place: Place


def choose_key(name: str, number: int) -> str:
    """The name of a field that every provider takes; `number` distinguishes those with other signs."""
    return name if _KEY.fullmatch(name) else f"field_{number}"


def list_filled_fields(place: Place, said: Json, at: str = "") -> Iterator[tuple[str, Place, JsonObject]]:
    """Yield each leaf of an answer with its pointer and place; a leaf that the answer omits is empty."""
    if place.kind == "object":
        given = said if isinstance(said, dict) else {}
        for one in place.fields:
            found = given.get(one.key, given.get(one.name))
            yield from list_filled_fields(one.place, found, at + build_json_pointer(one.name))
        if place.entries is not None:
            known = {name for one in place.fields for name in (one.name, one.key)}
            for name in [name for name in given if name not in known][:MOST_ITEMS]:
                yield from list_filled_fields(place.entries, given[name], at + build_json_pointer(name))
    elif place.items is not None:
        for number, item in enumerate(ensure_list(said)[:MOST_ITEMS]):
            yield from list_filled_fields(place.items, item, f"{at}/{number}")
    elif place.either:
        yield from list_filled_fields(_choose_alternative(place, said), said, at)
    elif place.kind == "leaf":
        yield at, place, _read_leaf(said)


def _read_leaf(said: Json) -> JsonObject:
    if isinstance(said, dict):
        return {name: said[name] for name in ("value", "citations", "reason") if name in said}
    return {} if said is None or isinstance(said, list) else {"value": said}


def _choose_alternative(place: Place, said: Json) -> Place:
    """The alternative in which most of what is said could be a value, the first of several."""

    def count_values(alternative: Place) -> int:
        return sum(
            coerce_value(one, leaf.get("value")) is not None for _, one, leaf in list_filled_fields(alternative, said)
        )

    return max(place.either, key=count_values)


def coerce_value(leaf: Place, value: Json) -> Scalar | None:
    """A value as the types and choices of a leaf have it: `12` for `"12"` or `12.0`; None if it is none of them."""
    if isinstance(value, str) and "string" not in leaf.types and value[:1] in "-0123456789tf" and len(value) < 40:
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if isinstance(value, float) and (not math.isfinite(value) or ("number" not in leaf.types and value % 1)):
        return None
    if isinstance(value, float) and "number" not in leaf.types:
        value = int(value)
    if not isinstance(value, Scalar):
        return None
    kind = _TYPES[type(value)]
    if kind not in leaf.types and not (kind == "integer" and "number" in leaf.types):
        return None
    if leaf.choices and not any(
        value == one and isinstance(value, bool) == isinstance(one, bool) for one in leaf.choices
    ):
        return None
    return value


def explain_uncoercible(leaf: Place, value: Json) -> str:
    """Why a value is none of its leaf, in half a sentence."""
    if leaf.choices and not isinstance(value, dict | list):
        return f"it is none of {shorten_text(', '.join(map(repr, leaf.choices)), 200)}"
    return f"it is no {' or '.join(leaf.types)}"


_CITATIONS: Final[JsonObject] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"evidence": {"type": "string"}, "quote": {"type": "string"}},
        "required": ["evidence", "quote"],
        "additionalProperties": False,
    },
}


def build_answer_schema(place: Place) -> JsonObject:
    """The JSON Schema of what a model answers: at each leaf an object of value, citations and reason.

    It has types, choices and descriptions alone, which every provider takes; the model is shown the whole schema, too.
    """
    described: JsonObject = {"description": place.description} if place.description else {}
    if place.kind == "object":
        properties: JsonObject = {}
        for one in place.fields:
            inner = build_answer_schema(one.place)
            if one.key != one.name:
                inner["description"] = f"{one.name!r}. {one.place.description}".strip()
            properties[one.key] = inner
        others: Json = False if place.entries is None else build_answer_schema(place.entries)
        return {"type": "object", **described, "properties": properties, "additionalProperties": others}
    if place.items is not None:
        return {"type": "array", **described, "items": build_answer_schema(place.items)}
    if place.either:
        return {"anyOf": [build_answer_schema(one) for one in place.either], **described}
    value: JsonObject = {"anyOf": [*_list_value_schemas(place), {"type": "null"}]}
    properties = {"value": value, "citations": _CITATIONS, "reason": {"type": "string"}}
    return {"type": "object", **described, "properties": properties, "additionalProperties": False}


def _list_value_schemas(leaf: Place) -> Iterator[Json]:
    for kind in leaf.types:
        values: list[Json] = [
            one
            for one in leaf.choices
            if _TYPES[type(one)] == kind or (kind == "number" and _TYPES[type(one)] == "integer")
        ]
        if values and kind != "boolean":
            yield {"type": kind, "enum": values}
        elif values or not leaf.choices:
            yield {"type": kind}
