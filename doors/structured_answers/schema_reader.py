"""Reads the form of a JSON Schema, or all that is wrong with it, each with its JSON pointer.

`$ref` and `allOf` are joined, alternatives become alternatives of the form. Keywords that bound values are not read
here but applied to each value by `jsonschema`. Recursion and keywords that hold under a condition are refused by name.
Pure: workflows load it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final, NamedTuple

from elcano.doors.structured_answers.answer_form import MOST_ITEMS, Field, Place, Scalar, choose_key
from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import shorten_text, suggest_name

MAX_CHARACTERS: Final = 40_000
"""Maximum length of a schema as JSON. It is sent with every request."""
MAX_FIELDS: Final = 200
"""Fields of the form, definitions counted wherever they are used. Models fill in some dozens well."""
MAX_DEPTH: Final = 12
"""Maximum nesting of objects, lists and alternatives."""
MAX_PLACES: Final = 1_500
OPEN_TYPES: Final = ("string", "number", "integer", "boolean")
"""The types of single values."""
_NOTES: Final = frozenset(
    {
        *("$schema", "$id", "id", "$anchor", "$comment", "$defs", "definitions", "title", "description", "default"),
        *("examples", "example", "deprecated", "readOnly", "writeOnly", "nullable"),
    }
)
_OF_OBJECTS: Final = frozenset({"properties", "required", "additionalProperties", "patternProperties"})
_KNOWN: Final = frozenset(
    {
        *_NOTES,
        *_OF_OBJECTS,
        *("type", "enum", "const", "allOf", "anyOf", "oneOf", "not", "$ref"),
        *("pattern", "minLength", "maxLength", "format", "contentEncoding", "contentMediaType"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("items", "minItems", "maxItems", "uniqueItems", "propertyNames", "minProperties", "maxProperties"),
    }
)
_CONDITION: Final = "conditions are not supported: ask for the properties, each may be null"
_POSITIONS: Final = "positions of a list are not distinguished: write an object with a property for each"
_REFUSED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies"), _CONDITION),
    **dict.fromkeys(("contains", "minContains", "maxContains", "unevaluatedItems"), "it is not supported"),
    **dict.fromkeys(("prefixItems", "additionalItems"), _POSITIONS),
    **dict.fromkeys(("$dynamicRef", "$recursiveRef"), "only `$ref` to a place of the same schema is followed"),
    "unevaluatedProperties": "it is not supported: write `additionalProperties`",
}
_BOUNDS: Final = (
    *(("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")),
    ("minimum", "maximum"),
)


class FormRead(NamedTuple):
    """A form, or the faults of its schema."""

    form: Place | None
    faults: tuple[Fault, ...]


def read_form(schema: JsonObject) -> FormRead:
    """Read the form of a schema that its metaschema takes."""
    try:
        return _read_form_text(json.dumps(schema))
    except (RecursionError, ValueError) as error:
        return FormRead(None, (Fault(f"it cannot be read: {type(error).__name__}"),))


@lru_cache(maxsize=64)
def _read_form_text(text: str) -> FormRead:
    if len(text) > MAX_CHARACTERS:
        return FormRead(None, (Fault(f"{len(text):,} characters as JSON are more than {MAX_CHARACTERS:,}"),))
    reader = _Reader(json.loads(text))
    form = reader.read_root()
    faults = tuple({(fault.pointer, str(fault)): fault for fault in reader.faults}.values())
    return FormRead(None if faults else form, faults)


@dataclass
class _Joined:
    """The keywords that hold at a place, after joining `$ref` and `allOf`."""

    at: str
    raw: Any
    """The schema as it was written."""
    keywords: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, tuple[Any, str, tuple[str, ...]]] = field(default_factory=dict)
    """Schemas with their JSON pointers and the references followed to get there, by name."""
    references: tuple[str, ...] = ()
    """References that were followed to get here."""


class _Faulty(Exception):
    """A place cannot be read; its faults are noted."""


class _Reader:
    """Reads one schema and collects its faults: the first of each property."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._places = 0
        self._fields = 0
        self._too_large = False
        self.faults: list[Fault] = []

    def read_root(self) -> Place | None:
        try:
            form = self._read(self._schema, "", ("#",), 0)
            if not self.faults and not all(one.kind == "object" for one in form.either or (form,)):
                raise self._fault(
                    "/type" if "type" in self._schema else "", "the answer must be an object with properties"
                )
        except _Faulty:
            return None
        return form

    def _fault(self, at: str, message: str) -> _Faulty:
        self.faults.append(Fault(message, at))
        return _Faulty()

    def _refuse_size(self, at: str, message: str) -> _Faulty:
        """Note only the first limit that is passed: every place after it passes it too."""
        if self._too_large:
            return _Faulty()
        self._too_large = True
        return self._fault(at, message)

    def _read(self, schema: Any, at: str, references: tuple[str, ...], depth: int) -> Place:
        """The form at a place.

        Raises:
            _Faulty: there is none; so do all that follow.
        """
        return self._read_joined(self._join(schema, at, references), depth)

    def _join(self, schema: Any, at: str, references: tuple[str, ...]) -> _Joined:
        """All that a schema says at a place, with what it refers to and its `allOf`."""
        joined = _Joined(at, schema, references=references)
        self._places += 1
        if self._places > MAX_PLACES:
            text = f"there are more than {MAX_PLACES:,} places in it, definitions counted wherever used"
            raise self._refuse_size(at, text)
        if schema is False:
            raise self._fault(at, "`false` allows no value here: leave it out")
        if not isinstance(schema, Mapping):
            return joined
        if faults := [*_find_keyword_faults(schema, at)]:
            self.faults += faults
            raise _Faulty
        joined.keywords = {key: one for key, one in schema.items() if key not in ("$ref", "allOf", "properties")}
        parts = [(one, at + build_json_pointer("allOf", place)) for place, one in enumerate(schema.get("allOf", ()))]
        if "$ref" in schema:
            target = schema["$ref"]
            referred = self._resolve(target, at)
            if target in references:
                path = " -> ".join((*references[references.index(target) :], target))
                raise self._fault(at + "/$ref", f"recursion is not supported: {shorten_text(path, 100)}")
            joined.references = references = (*references, target)
            parts.append((referred, target.removeprefix("#")))
        joined.properties = {
            name: (one, at + build_json_pointer("properties", name), references)
            for name, one in schema.get("properties", {}).items()
        }
        for part, pointer in parts:
            self._add(joined, self._join(part, pointer, references))
        return joined

    def _add(self, joined: _Joined, other: _Joined) -> None:
        """Add the keywords of a second schema for the same place, which must not contradict the first."""
        for keyword, said in other.keywords.items():
            here = joined.keywords.setdefault(keyword, said)
            if keyword == "required":
                joined.keywords[keyword] = [*dict.fromkeys((*here, *said))]
            elif here != said and keyword not in _NOTES:
                raise self._fault(
                    other.at + build_json_pointer(keyword), f"`{keyword}` is said twice here: write it once"
                )
        for name, found in other.properties.items():
            first = joined.properties.get(name)
            joined.properties[name] = found if first is None else ({"allOf": [first[0], found[0]]}, *first[1:])
        joined.references = tuple(dict.fromkeys((*joined.references, *other.references)))

    def _resolve(self, target: object, at: str) -> Any:
        here: Any = self._schema
        if not isinstance(target, str) or not (target == "#" or target.startswith("#/")):
            raise self._fault(
                at + "/$ref", f"{shorten_text(str(target), 100)!r} is no place of this schema: refer to `#/$defs/NAME`"
            )
        for part in target.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(here, Mapping) or name not in here:
                near = get_close_matches(name[:100], here, n=1) if isinstance(here, Mapping) else []
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise self._fault(at + "/$ref", f"there is no {shorten_text(target, 100)!r} in the schema{hint}")
            here = here[name]
        return here

    def _read_joined(self, joined: _Joined, depth: int) -> Place:
        at, keywords = joined.at, joined.keywords
        if depth > MAX_DEPTH or self._too_large:
            raise self._refuse_size(at, f"it is nested deeper than {MAX_DEPTH} levels")
        for keyword in ("oneOf", "anyOf"):
            if keyword in keywords:
                return self._read_alternatives(joined, keyword, depth)
        if (crossed := _find_crossed_bounds(keywords)) is not None:
            raise self._fault(at + build_json_pointer(crossed), "its bounds cross: no value fits")
        said = keywords.get("type") or _infer_types(joined)
        types = [said] if isinstance(said, str) else said
        found: list[Place] = []
        if plain := tuple(one for one in OPEN_TYPES if one in types):
            found.append(self._read_leaf(joined, plain))
        if "array" in types:
            found.append(self._read_list(joined, depth))
        if "object" in types:
            found.append(self._read_object(joined, depth))
        if not found:
            raise self._fault(at, "it allows null alone: leave it out")
        return found[0] if len(found) == 1 else Place("either", _describe(joined), either=tuple(found))

    def _read_leaf(self, joined: _Joined, types: tuple[str, ...]) -> Place:
        self._fields += 1
        if self._fields > MAX_FIELDS:
            text = f"it has more than {MAX_FIELDS} fields, definitions counted wherever they are used"
            raise self._refuse_size(joined.at, text)
        listed = joined.keywords.get("enum", []) if "const" not in joined.keywords else [joined.keywords["const"]]
        choices = tuple(one for one in listed if isinstance(one, Scalar))
        schemas = (json.dumps(joined.raw),)
        return Place("leaf", _describe(joined), at=joined.at, types=types, choices=choices, schemas=schemas)

    def _read_alternatives(self, joined: _Joined, keyword: str, depth: int) -> Place:
        places: list[Place] = []
        before = self._fields
        for number, one in enumerate(joined.keywords[keyword]):
            if one == {"type": "null"}:
                continue
            pointer = joined.at + build_json_pointer(keyword, number)
            rest = {key: value for key, value in joined.keywords.items() if key != keyword}
            both = _Joined(pointer, joined.raw, rest, dict(joined.properties), joined.references)
            other = self._join(one, pointer, joined.references)
            self._add(both, other)
            both.keywords |= {key: other.keywords[key] for key in ("description",) if key in other.keywords}
            found = self._read_joined(both, depth + 1)
            places += found.either or (found,)
        different = tuple(dict.fromkeys(places))
        if not different:
            raise self._fault(joined.at, "it allows null alone: leave it out")
        if all(one.kind == "leaf" for one in places):
            self._fields = before + 1
            choices = tuple(dict.fromkeys(choice for one in places for choice in one.choices))
            types = tuple(one for one in OPEN_TYPES if any(one in place.types for place in places))
            limited = choices if all(one.choices for one in places) else ()
            schemas = (json.dumps(joined.raw),)
            return Place("leaf", _describe(joined), at=joined.at, types=types, choices=limited, schemas=schemas)
        return different[0] if len(different) == 1 else Place("either", _describe(joined), either=different)

    def _read_list(self, joined: _Joined, depth: int) -> Place:
        pointer = joined.at + build_json_pointer("items")
        items = self._read(joined.keywords.get("items", {}), pointer, joined.references, depth + 1)
        most = min(MOST_ITEMS, int(joined.keywords.get("maxItems", MOST_ITEMS)))
        unique = joined.keywords.get("uniqueItems") is True
        return Place("list", _describe(joined), items=items, most=most, unique=unique)

    def _read_object(self, joined: _Joined, depth: int) -> Place:
        keywords, properties = joined.keywords, joined.properties
        entries, closed = self._read_entries(joined, depth)
        for name in keywords.get("required", ()):
            if name in properties or entries is not None:
                continue
            pointer = joined.at + build_json_pointer("required")
            if closed:
                hint = suggest_name(name[:100], properties, f"there are: {', '.join([*properties][:20]) or 'none'}")
                self._fault(pointer, f"there is no property {shorten_text(name, 100)!r}; {hint}")
            properties[name] = ({}, pointer, ())
        fields = []
        for number, (name, (schema, pointer, references)) in enumerate(properties.items(), 1):
            if schema is False:
                continue
            try:
                place = self._read(schema, pointer, references, depth + 1)
            except _Faulty:  # the other properties may have faults too
                continue
            fields.append(Field(name, choose_key(name, number), place))
        if not fields and entries is None and not self.faults:
            self._fault(joined.at, "an object needs properties: name at least one that can be filled in")
        named = {name: found[0] for name, found in properties.items()}
        rules = {key: keywords[key] for key in ("patternProperties", "additionalProperties") if key in keywords}
        entry_rules = json.dumps({"properties": named, **rules}) if entries else ""
        return Place("object", _describe(joined), fields=tuple(fields), entries=entries, entry_rules=entry_rules)

    def _read_entries(self, joined: _Joined, depth: int) -> tuple[Place | None, bool]:
        """Read the schema of open names, None if nothing is asked there, and whether no other names may be."""
        others = joined.keywords.get("additionalProperties")
        raw = [
            (schema, joined.at + build_json_pointer("patternProperties", pattern))
            for pattern, schema in joined.keywords.get("patternProperties", {}).items()
        ]
        if isinstance(others, Mapping) and others:
            raw.append((others, joined.at + build_json_pointer("additionalProperties")))
        if not raw and not joined.properties and others is not False:
            raw.append(({}, joined.at))
        places = [self._read(schema, pointer, joined.references, depth + 1) for schema, pointer in raw]
        found = tuple(dict.fromkeys(inner for one in places for inner in one.either or (one,)))
        if len(found) < 2:
            return (found[0] if found else None), others is False
        return Place("either", either=found), others is False


def _find_keyword_faults(schema: Mapping[str, Any], at: str) -> Iterator[Fault]:
    """Keywords that are not supported, and those that are misspelled; other unknown ones are notes."""
    if at and "$id" in schema:
        yield Fault("only the whole schema may have an `$id`", at + "/$id")
    if isinstance(schema.get("items"), list):
        yield Fault(_POSITIONS, at + "/items")
    for keyword in schema:
        if keyword in _REFUSED:
            yield Fault(f"`{keyword}`: {_REFUSED[keyword]}", at + build_json_pointer(keyword))
        elif keyword not in _KNOWN and not keyword.startswith(("x-", "$")):
            near = [one for one in _KNOWN if one.lower() == keyword.lower()]
            near = near or get_close_matches(keyword[:50], _KNOWN, n=1, cutoff=0.85)
            if near:
                message = f"{shorten_text(keyword, 50)!r} is no keyword; did you mean {near[0]!r}?"
                yield Fault(message, at + build_json_pointer(keyword))


def _find_crossed_bounds(keywords: Mapping[str, Any]) -> str | None:
    crossed = (one for one, high in _BOUNDS if one in keywords and high in keywords and keywords[one] > keywords[high])
    return next(crossed, None)


def _infer_types(joined: _Joined) -> tuple[str, ...]:
    """The types that a schema without any must mean, by its other keywords."""
    if joined.properties or _OF_OBJECTS & joined.keywords.keys():
        return ("object",)
    return ("array",) if "items" in joined.keywords else OPEN_TYPES


def _describe(joined: _Joined) -> str:
    description = joined.keywords.get("description")
    return description if isinstance(description, str) else ""
