"""The content of a JSON Schema once it is read: a tree without references, so that no walk over it can go round.

Of what fits a shape, everything can be said beforehand: which fields an expression can read, and the least that fits.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from elcano.graphs.frozen import Json, JsonObject

Kind: TypeAlias = Literal["object", "array", "string", "number", "integer", "boolean"]

INVENTED: Final = "(invented)"
"""Stands where a text has to stand and nobody said one."""
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
    """Of a list."""
    passage: bool = False
    """It names a passage that was shown: the model says its key, the state holds its id."""


@dataclass(frozen=True)
class Property:
    """One field of an object. One that is not required is null where it is not answered."""

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
    """Numbers of which one fits if any does: 0, the bounds, what lies beside them and between them."""
    ends = [end for end in (bounds.least, bounds.above, bounds.most, bounds.below) if end is not None]
    near = [number for end in ends for number in (end, int(end), end + step, int(end) + 1, end - step, int(end) - 1)]
    between = [(one + other) / 2 for one in ends for other in ends]
    return [0, *near, *between]
