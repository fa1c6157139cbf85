"""Parses a JSON Schema into its shape, or into all its faults, each with its JSON pointer.

Supported is what model providers support too and what can be checked without surprises: objects with named properties,
lists, texts, numbers, booleans, choices, null next to one of these, and local `$defs` that do not refer to themselves.
Everything else is refused by name. The input is bounded, so that no schema takes long.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.frozen import JsonObject
from elcano.graphs.schemas.shape import (
    LONGEST_TEXT,
    MOST_ITEMS,
    NOTES,
    Kind,
    Property,
    Shape,
    find_fitting_number,
    name_fault,
    number_range,
    parse_length_bounds,
    parse_schema_choices,
    said_as,
)
from elcano.graphs.text import shorten_text, suggest_name

MAX_CHARACTERS: Final = 40_000
"""Maximum length of a schema as JSON. It is sent with every request."""
MAX_PROPERTIES: Final = 100
"""Maximum number of properties in a schema, each definition counted wherever it is used. Models fill in some dozens
well."""
MAX_DEPTH: Final = 8
"""Maximum nesting of objects and lists."""
MAX_PLACES: Final = 400
"""Places of a schema that are read at all."""
MAX_LEAST: Final = 1_000
"""Values that the least answer has."""
PASSAGE: Final = "evidence"
"""The one `format` there is: the text is the key of a passage that was shown."""

_OF_KIND: Final[Mapping[Kind, frozenset[str]]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength", "format", "enum", "const"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "enum", "const"}),
    "boolean": frozenset(),
}
_KNOWN: Final = frozenset({"type", "anyOf", "$ref", *NOTES}.union(*_OF_KIND.values()))
_AT_ROOT: Final = frozenset({"$schema", "$defs"})


class ParsedSchema(NamedTuple):
    """The result of parsing a schema: a shape if there are no faults."""

    shape: Shape | None
    faults: tuple[Fault, ...]


def parse_schema(schema: JsonObject) -> ParsedSchema:
    """The shape of an agent's answer."""
    try:
        return _parse_schema_text(json.dumps(schema, sort_keys=False))
    except (RecursionError, ValueError) as error:
        return ParsedSchema(None, (Fault(f"it cannot be read: {type(error).__name__}"),))


@lru_cache(maxsize=256)
def _parse_schema_text(text: str) -> ParsedSchema:
    if len(text) > MAX_CHARACTERS:
        return ParsedSchema(None, (Fault(f"{len(text):,} characters as JSON are more than {MAX_CHARACTERS:,}"),))
    reader = _Reader(json.loads(text))
    shape = reader.root()
    faults = tuple({(fault.pointer, str(fault)): fault for fault in reader.faults}.values())
    return ParsedSchema(None if faults else shape, faults)


class _Reader:
    """Reads one schema and collects its faults."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._properties = 0
        self._places = 0
        self.faults: list[Fault] = []

    def root(self) -> Shape | None:
        defs = self._schema.get("$defs", {})
        if not isinstance(defs, Mapping):
            self._fault(build_json_pointer("$defs"), "it must be an object of schemas by name")
        shape = self._shape({key: one for key, one in self._schema.items() if key not in _AT_ROOT}, "", (), 0)
        if shape is not None and shape.kind != "object":
            self._fault(build_json_pointer("type"), f"the answer must be an object with properties, not {shape.kind!r}")
        elif shape is not None and shape.nullable:
            self._fault("", "the answer itself cannot be null")
        elif shape is not None and not self.faults and (values := _least_size(shape)) > MAX_LEAST:
            self._fault("", f"the least answer has {values:,} values by its `minItems`; at most {MAX_LEAST:,} may be")
        return shape

    def _fault(self, at: str, message: str) -> None:
        self.faults.append(Fault(message, at))

    def _shape(self, schema: object, at: str, seen: tuple[str, ...], depth: int) -> Shape | None:
        """Returns the shape at a place; None if it is faulty, which is reported."""
        self._places += 1
        if self._places > MAX_PLACES:
            if self._places == MAX_PLACES + 1:
                self._fault(at, f"there are more than {MAX_PLACES} places in it, definitions counted wherever used")
            return None
        if not isinstance(schema, Mapping):
            self._fault(at, "a schema must be a JSON object")
            return None
        if depth > MAX_DEPTH:
            self._fault(at, f"it is nested deeper than {MAX_DEPTH} levels")
            return None
        if "$ref" in schema:
            return self._referred(schema, at, seen, depth)
        if "anyOf" in schema:
            return self._or_null(schema, at, seen, depth)
        kind, nullable = self._kind(schema, at)
        self._keywords(schema, kind, at)
        if kind is None:
            return None
        description = schema.get("description", "")
        if not isinstance(description, str):
            self._fault(at + build_json_pointer("description"), "it must be a text")
            description = ""
        base = Shape(kind=kind, description=description, nullable=nullable)
        return self._filled(base, schema, at, seen, depth)

    def _kind(self, schema: Mapping[str, Any], at: str) -> tuple[Kind | None, bool]:
        said = schema.get("type")
        names = said if isinstance(said, list) else [said] if said is not None else _infer_types(schema)
        kinds = [name for name in names if name != "null"]
        if len(kinds) == 1 and len(names) <= 2 and isinstance(kinds[0], str) and kinds[0] in _OF_KIND:
            return cast(Kind, kinds[0]), "null" in names
        known = ", ".join(_OF_KIND)
        if said is None:
            self._fault(at, f"it has no `type`; write one of {known}")
        elif isinstance(said, str):
            hint = suggest_name(said, _OF_KIND, f"known: {known}")
            self._fault(at + build_json_pointer("type"), f"unknown type {shorten_text(said, 50)!r}; {hint}")
        else:
            self._fault(
                at + build_json_pointer("type"), f"it must be one of {known}, or a list of one of them and 'null'"
            )
        return None, False

    def _keywords(self, schema: Mapping[str, Any], kind: Kind | None, at: str) -> None:
        taken = _KNOWN if kind is None else NOTES | _OF_KIND[kind] | {"type"}
        for keyword in schema:
            if keyword in taken:
                continue
            name = shorten_text(keyword, 50)
            if keyword in _KNOWN:
                self._fault(at + build_json_pointer(keyword), f"{name!r} says nothing of a schema of type {kind!r}")
                continue
            hint = suggest_name(name, taken, f"taken are: {', '.join(sorted(taken))}", cutoff=0.75)
            self._fault(at + build_json_pointer(keyword), f"the keyword {name!r} is not taken; {hint}")

    def _referred(self, schema: Mapping[str, Any], at: str, seen: tuple[str, ...], depth: int) -> Shape | None:
        others = [key for key in schema if key != "$ref" and key not in NOTES]
        for key in others:
            self._fault(at + build_json_pointer(key), "next to `$ref` only a description is allowed")
        target, defs = schema["$ref"], self._schema.get("$defs")
        name = target.removeprefix("#/$defs/") if isinstance(target, str) else ""
        named = name.replace("~1", "/").replace("~0", "~")
        if not isinstance(target, str) or not target.startswith("#/$defs/"):
            self._fault(
                at + build_json_pointer("$ref"),
                f"{said_as(target)} is not taken: only `#/$defs/NAME` of the same schema is",
            )
        elif not isinstance(defs, Mapping) or named not in defs:
            there = [str(one) for one in defs] if isinstance(defs, Mapping) else []
            hint = suggest_name(named, there, f"known: {', '.join(there[:20]) or 'none'}")
            self._fault(at + build_json_pointer("$ref"), f"`$defs` has no {said_as(named)}; {hint}")
        elif named in seen:
            way = " -> ".join((*seen[seen.index(named) :], named))
            self._fault(
                at + build_json_pointer("$ref"),
                f"it leads back to itself ({shorten_text(way, 100)}): answers must have an end",
            )
        elif len(seen) >= MAX_DEPTH:
            self._fault(
                at + build_json_pointer("$ref"),
                f"it is the {len(seen) + 1}th reference in one another; at most {MAX_DEPTH} may be",
            )
        elif not others:
            shape = self._shape(defs[named], build_json_pointer("$defs", named), (*seen, named), depth)
            description = schema.get("description")
            return (
                shape if shape is None or not isinstance(description, str) else replace(shape, description=description)
            )
        return None

    def _or_null(self, schema: Mapping[str, Any], at: str, seen: tuple[str, ...], depth: int) -> Shape | None:
        either = schema["anyOf"]
        others = [key for key in schema if key != "anyOf" and key not in NOTES]
        parts = [one for one in either if one != {"type": "null"}] if isinstance(either, list) else []
        if others or not isinstance(either, list) or len(parts) != 1 or len(either) != 2:
            self._fault(at + build_json_pointer("anyOf"), 'it may say "or null" alone: one schema and {"type": "null"}')
            return None
        index = either.index(parts[0])
        shape = self._shape(parts[0], at + build_json_pointer("anyOf", index), seen, depth + 1)
        description = schema.get("description")
        if shape is None:
            return None
        return replace(
            shape, nullable=True, description=description if isinstance(description, str) else shape.description
        )

    def _filled(
        self, base: Shape, schema: Mapping[str, Any], at: str, seen: tuple[str, ...], depth: int
    ) -> Shape | None:
        match base.kind:
            case "object":
                return replace(base, properties=self._fields(schema, at, seen, depth))
            case "array":
                bounds = parse_length_bounds(schema, at, self._fault, "minItems", "maxItems", MOST_ITEMS)
                if "items" not in schema:
                    self._fault(at, "a list needs `items`: the schema of each of them")
                    return None
                items = self._shape(schema["items"], at + build_json_pointer("items"), seen, depth + 1)
                if items is not None and items.passage and bounds.least:
                    text = "keys of no passage are left out of such a list, so it cannot promise how many there are"
                    self._fault(at + build_json_pointer("minItems"), text)
                return replace(base, items=items, bounds=bounds)
            case "string":
                bounds = parse_length_bounds(schema, at, self._fault, "minLength", "maxLength", LONGEST_TEXT)
                if "format" in schema and schema["format"] != PASSAGE:
                    text = (
                        f"the format {said_as(schema['format'])} is not taken: only {PASSAGE!r}, keys of passages, is"
                    )
                    self._fault(at + build_json_pointer("format"), text)
                elif "format" in schema and not at.endswith("/items"):
                    self._fault(at + build_json_pointer("format"), f"{PASSAGE!r} is for the `items` of a list only")
                return replace(
                    base,
                    bounds=bounds,
                    choices=parse_schema_choices(schema, at, self._fault, _KNOWN, str),
                    passage=schema.get("format") == PASSAGE,
                )
            case "integer" | "number":
                bounds = number_range(schema, at, self._fault)
                listed = parse_schema_choices(schema, at, self._fault, _KNOWN, int) if base.kind == "integer" else ()
                shape = replace(base, bounds=bounds, choices=listed)
                if find_fitting_number(shape) is None:
                    self._fault(at, f"no {base.kind} lies within these bounds")
                return shape
            case "boolean":
                return base

    def _fields(self, schema: Mapping[str, Any], at: str, seen: tuple[str, ...], depth: int) -> tuple[Property, ...]:
        properties, required = schema.get("properties"), schema.get("required", [])
        if not isinstance(properties, Mapping) or not properties:
            self._fault(at + build_json_pointer("properties"), "an object needs properties: name at least one")
            return ()
        if schema.get("additionalProperties", False) is not False:
            self._fault(
                at + build_json_pointer("additionalProperties"),
                "it can only be false: what is not named is not answered",
            )
        self._properties += len(properties)
        if self._properties > MAX_PROPERTIES:
            if self._properties - len(properties) <= MAX_PROPERTIES:
                text = f"{self._properties} properties in all, definitions counted wherever they are used, are more "
                self._fault(at + build_json_pointer("properties"), text + f"than {MAX_PROPERTIES}")
            return ()
        if not isinstance(required, list) or not all(isinstance(one, str) for one in required):
            self._fault(at + build_json_pointer("required"), "it must be a list of names of properties")
            required = []
        for index, name in enumerate(required):
            if name not in properties:
                hint = suggest_name(name, properties, f"there are: {', '.join(list(properties)[:20])}")
                self._fault(at + build_json_pointer("required", index), f"there is no property {said_as(name)}; {hint}")
        found = []
        for name, one in properties.items():
            here = at + build_json_pointer("properties", name)
            if (fault := name_fault(name)) is not None:
                self._fault(here, fault)
            shape = self._shape(one, here, seen, depth + 1)
            if shape is not None:
                found.append(Property(name, shape, name in required))
        return tuple(found)


def _infer_types(schema: Mapping[str, Any]) -> list[str]:
    """The type that a schema without one must mean."""
    if isinstance(schema.get("properties"), Mapping):
        return ["object"]
    said = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if isinstance(said, list) and said and all(isinstance(one, str) for one in said):
        return ["string"]
    return []


def _least_size(shape: Shape) -> int:
    """Count the values of the smallest answer, without building it."""
    if shape.nullable:
        return 1
    if shape.items is not None:
        return 1 + int(shape.bounds.least or 0) * _least_size(shape.items)
    return 1 + sum(_least_size(one.shape) for one in shape.properties if one.required)
