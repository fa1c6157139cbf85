"""Turns a shape into the output model for a language model, and the model's answer into data.

The model's own JSON Schema is what a provider is sent, with every description, and what an answer is checked by; a
wrong answer goes back to the model with what is wrong. Numbers in quotation marks and the like are read as every agent
reads them, so what the state holds fits the schema that its author wrote.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field, create_model

from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.schemas.shape import LONGEST_TEXT, MOST_ITEMS, Property, Shape

KEYS: Final = "Keys of passages of the envelope's `evidence`."
"""What a model is told of a list that names passages."""


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
