"""The content of a JSON Schema once it is read: a tree without references, so that no walk over it can go round.

Of what fits a shape, everything can be said beforehand: which fields an expression can read, and the least that fits.
It becomes the output model for a language model, and the model's answer becomes data. The model's own JSON Schema is
what a provider is sent, with every description, and what an answer is checked by; a wrong answer goes back to the model
with what is wrong. Numbers in quotation marks and the like are read as every agent reads them, so what the state holds
fits the schema that its author wrote.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, create_model

from elcano.graphs.errors import build_json_pointer
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.text import shorten_text

Kind: TypeAlias = Literal["object", "array", "string", "number", "integer", "boolean"]

INVENTED: Final = "(invented)"
"""The value of a required text for which no answer was given."""
LONGEST_TEXT: Final = 50_000
"""Characters of a text whose schema sets no `maxLength`: a report has less."""
MOST_ITEMS: Final = 1_000
"""Items of a list whose schema sets no `maxItems`."""


@dataclass(frozen=True)
class Bounds:
    """Least and most: characters of a text, items of a list, or a number; None: not bounded by the schema."""

    least: int | float | None = None
    most: int | float | None = None
    above: int | float | None = None
    """More than this, not this."""
    below: int | float | None = None


@dataclass(frozen=True)
class Shape:
    """One place in an answer."""

    kind: Kind
    description: str = ""
    nullable: bool = False
    choices: tuple[str | int, ...] = ()
    """The only values that there are; empty: all of the kind."""
    bounds: Bounds = Bounds()
    properties: tuple["Property", ...] = ()
    items: "Shape | None" = None
    """The items of a list."""
    passage: bool = False
    """Whether it names a shown passage: the model gives its key, the state holds its id."""


@dataclass(frozen=True)
class Property:
    """One field of an object. An optional field is null if the answer omits it."""

    name: str
    shape: Shape
    required: bool


def build_minimal_shape_value(shape: Shape) -> Json:
    """The smallest value that fits: what a walk without a model answers."""
    if shape.nullable:
        return None
    if shape.choices:
        return shape.choices[0]
    bounds = shape.bounds
    match shape.kind:
        case "object":
            return least_of(shape)
        case "array":
            assert shape.items is not None
            return [build_minimal_shape_value(shape.items) for _ in range(int(bounds.least or 0))]
        case "string":
            text = INVENTED.ljust(int(bounds.least or 0), ".")
            return text if bounds.most is None else text[: int(bounds.most)]
        case "boolean":
            return False
        case "integer" | "number":
            return find_fitting_number(shape)


def least_of(shape: Shape) -> JsonObject:
    """Return the least object that fits: the required fields, and null for the rest."""
    return {one.name: build_minimal_shape_value(one.shape) if one.required else None for one in shape.properties}


def find_fitting_number(shape: Shape) -> int | float | None:
    """A number within the bounds of a number: 0 if that is; None if none is."""
    whole = shape.kind == "integer"
    listed = _list_candidates(shape.bounds, 1 if whole else 0.5)
    return next((one for one in listed if is_within_bounds(shape.bounds, one) and not (whole and one % 1)), None)


def is_within_bounds(bounds: Bounds, number: int | float) -> bool:
    """Whether a number is within its bounds."""
    return (
        (bounds.least is None or number >= bounds.least)
        and (bounds.most is None or number <= bounds.most)
        and (bounds.above is None or number > bounds.above)
        and (bounds.below is None or number < bounds.below)
    )


def _list_candidates(bounds: Bounds, step: float) -> list[int | float]:
    """List numbers of which one fits if any does: 0, the bounds, their neighbours and numbers between them."""
    ends = [end for end in (bounds.least, bounds.above, bounds.most, bounds.below) if end is not None]
    near = [number for end in ends for number in (end, int(end), end + step, int(end) + 1, end - step, int(end) - 1)]
    between = [(one + other) / 2 for one in ends for other in ends]
    return [0, *near, *between]


KEYS: Final = "Keys of passages of the envelope's `evidence`."
"""The instruction to a model for a list that names passages."""


def model_of(shape: Shape, name: str) -> type[Frozen]:
    """The model of an object, called `name`."""
    fields: dict[str, Any] = {one.name: _build_model_field(one, name) for one in shape.properties}
    made: type[Frozen] = create_model(
        name, __base__=Frozen, __module__=__name__, __doc__=shape.description or None, **fields
    )
    return made


def with_ids(shape: Shape, said: Json, ids: Mapping[str, str]) -> Json:
    """An answer with the ids of passages for their keys; what names no passage that was shown is left out."""
    if shape.kind == "object" and isinstance(said, dict):
        return object_with_ids(shape, said, ids)
    if shape.kind == "array" and isinstance(said, list) and (of := shape.items) is not None:
        if of.passage:
            return [*dict.fromkeys(ids[key] for key in said if isinstance(key, str) and key in ids)]
        return [with_ids(of, one, ids) for one in said]
    return said


def object_with_ids(shape: Shape, said: JsonObject, ids: Mapping[str, str]) -> JsonObject:
    """The same of an object."""
    of = {one.name: one.shape for one in shape.properties}
    return {name: with_ids(of[name], value, ids) for name, value in said.items()}


def _build_model_field(one: Property, within: str) -> tuple[Any, Any]:
    kind = _build_field_type(one.shape, f"{within}_{one.name}")
    description = one.shape.description
    if one.shape.items is not None and one.shape.items.passage:
        description = f"{description} {KEYS}".strip()
    if one.required:
        return kind, Field(description=description or None)
    return (kind if one.shape.nullable else kind | None), Field(default=None, description=description or None)


def _build_field_type(shape: Shape, name: str) -> Any:
    kind = _build_base_type(shape, name)
    return kind | None if shape.nullable else kind


def _build_base_type(shape: Shape, name: str) -> Any:
    bounds = shape.bounds
    if shape.choices:
        return Literal[shape.choices]
    match shape.kind:
        case "object":
            return model_of(shape, name)
        case "array":
            assert shape.items is not None
            most = MOST_ITEMS if bounds.most is None else int(bounds.most)
            items: Any = _build_field_type(shape.items, f"{name}_item")
            listed: Any = tuple.__class_getitem__((items, ...))
            return Annotated[listed, Field(min_length=int(bounds.least or 0), max_length=most)]
        case "string":
            if shape.passage:
                return str
            most = LONGEST_TEXT if bounds.most is None else int(bounds.most)
            return Annotated[str, Field(min_length=int(bounds.least or 0), max_length=most)]
        case "boolean":
            return bool
        case "integer" | "number":
            number = int if shape.kind == "integer" else float
            limits = {"ge": bounds.least, "le": bounds.most, "gt": bounds.above, "lt": bounds.below}
            given: dict[str, Any] = {key: end for key, end in limits.items() if end is not None}
            if number is float:
                given["allow_inf_nan"] = False
            return Annotated[number, Field(**given)]


MAX_CHOICES: Final = 100
LARGEST: Final = 10**15
"""A bound is no larger number: beyond it, floating point cannot tell neighbours apart."""
NOTES: Final = frozenset({"title", "description", "examples", "$comment"})
"""Keywords that bound nothing."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")

Tell: TypeAlias = Callable[[str, str], None]
"""Takes a fault: its place and what is wrong."""


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
    for key in (key for key in schema if key in known and key not in more):
        tell(at + build_json_pointer(key), f"next to `{keyword}` it says nothing: leave it out")
    return tuple(dict.fromkeys(said))


def _is_bounded_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and abs(value) <= LARGEST if isinstance(value, float) else abs(value) <= LARGEST
