"""The content of a JSON Schema once it is read: a tree without references, so that no walk over it can go round.

Of what fits a shape, everything can be said beforehand: which fields an expression can read, and the least that fits.
It becomes the output model for a language model, and the model's answer becomes data. The model's own JSON Schema is
what a provider is sent, with every description, and what an answer is checked by; a wrong answer goes back to the model
with what is wrong. Numbers in quotation marks and the like are read as every agent reads them, so what the state holds
fits the schema that its author wrote.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, create_model

from elcano.graphs.frozen import Frozen, Json, JsonObject

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
        case "integer":
            return next(
                number for number in _list_candidates(bounds, 1) if is_within_bounds(bounds, number) and number % 1 == 0
            )
        case "number":
            return next(number for number in _list_candidates(bounds, 0.5) if is_within_bounds(bounds, number))


def least_of(shape: Shape) -> JsonObject:
    """Return the least object that fits: the required fields, and null for the rest."""
    return {one.name: build_minimal_shape_value(one.shape) if one.required else None for one in shape.properties}


def is_satisfiable(shape: Shape) -> bool:
    """Whether a number fits the bounds of a number."""
    step = 1 if shape.kind == "integer" else 0.5
    whole = shape.kind == "integer"
    return any(
        is_within_bounds(shape.bounds, one) and not (whole and one % 1) for one in _list_candidates(shape.bounds, step)
    )


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
    told = one.shape.description
    if one.shape.items is not None and one.shape.items.passage:
        told = f"{told} {KEYS}".strip()
    if one.required:
        return kind, Field(description=told or None)
    return (kind if one.shape.nullable else kind | None), Field(default=None, description=told or None)


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
