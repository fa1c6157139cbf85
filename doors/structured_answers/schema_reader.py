"""Reads the form of a JSON Schema, or all that is wrong with it, each with its JSON pointer.

A place has rules: the schemas that all hold there, which `allOf` and `$ref` bring together. Their alternatives become
alternatives of the form, and what a condition may demand (`then`, `dependentSchemas`) is asked as well. A schema that
refers to itself is unrolled a few times. Keywords that bound values are not read here but applied to each value later;
read are those that could leave no value at all. Pure: workflows load it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final, NamedTuple

from elcano.doors.structured_answers.answer_form import MOST_ITEMS, Field, Place, choose_key
from elcano.doors.structured_answers.schema_rules import (
    ASIDE,
    OPEN_TYPES,
    Rule,
    find_description,
    find_keyword_faults,
    forbids,
    infer_types,
    join_choices,
    join_entry_rules,
    join_types,
    list_bound_faults,
    list_parts,
    list_properties,
    read_bound,
    split_alternatives,
)
from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import shorten_text

MAX_CHARACTERS: Final = 40_000
"""Maximum length of a schema as JSON. It is sent with every request."""
MAX_FIELDS: Final = 200
"""Fields of the form, definitions counted wherever they are used. Models fill in some dozens well."""
MAX_DEPTH: Final = 12
"""Maximum nesting of objects, lists and alternatives."""
MAX_PLACES: Final = 1_500
MAX_REPEATS: Final = 3
"""Maximum expansions of a schema that refers to itself; fewer if the form would be too large."""
CLOSED: Final = "this deep within itself the form is not asked for"
NULL_ALONE: Final = "the schema allows null alone"
_FREE: Final = ""
"""In a path: here an answer may end."""
_EXPANDED: Final = ASIDE | {"$ref", "allOf"}


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
    for repeats in range(MAX_REPEATS, 0, -1):
        reader = _Reader(json.loads(text), repeats)
        form = reader.read_root()
        if not (reader.too_large and reader.unrolled):
            break
    faults = tuple({(fault.pointer, str(fault)): fault for fault in reader.faults}.values())
    return FormRead(None if faults else form, faults)


class _Reader:
    """Reads one schema and collects its faults."""

    def __init__(self, schema: Mapping[str, Any], repeats: int) -> None:
        self._schema = schema
        self._repeats = repeats
        self._places = 0
        self._fields = 0
        self.faults: list[Fault] = []
        self.too_large = False
        self.unrolled = False
        """Whether it refers to itself."""

    def read_root(self) -> Place | None:
        form = self._read([Rule(self._schema, "")], ("#",), 0)
        if form is not None and not self.faults and not all(one.kind == "object" for one in form.either or (form,)):
            self._fault("/type" if "type" in self._schema else "", "the answer must be an object with properties")
        return form

    def _fault(self, at: str, message: str) -> None:
        self.faults.append(Fault(message, at))

    def _refuse_size(self, at: str, message: str) -> None:
        if not self.too_large:
            self.too_large = True
            self._fault(at, message)

    def _count_field(self, at: str) -> None:
        self._fields += 1
        if self._fields > MAX_FIELDS:
            self._refuse_size(at, f"it has more than {MAX_FIELDS} fields, definitions counted wherever they are used")

    def _read(self, raw: Sequence[Rule], path: tuple[str, ...], depth: int) -> Place | None:
        """Returns the form at a place whose schemas are `raw`; None if it is faulty, which is reported."""
        at = raw[0].pointer
        self._places += 1
        if self._places > MAX_PLACES:
            self._refuse_size(at, f"there are more than {MAX_PLACES:,} places in it, definitions counted wherever used")
        elif depth > MAX_DEPTH:
            self._refuse_size(at, f"it is nested deeper than {MAX_DEPTH} levels")
        if self.too_large:
            return None
        rules: list[Rule] = []
        for one in raw:
            found = self._expand(one, path, ())
            if found is None:
                return None if self.faults else Place("closed", CLOSED)
            more, path = found
            rules += more
        place = self._read_rules(rules, raw, path, depth)
        followed = [one for one in path if one != _FREE]
        return replace(place, again=True) if place and len(followed) > len({*followed}) else place

    def _expand(
        self, rule: Rule, path: tuple[str, ...], seen: tuple[str, ...]
    ) -> tuple[list[Rule], tuple[str, ...]] | None:
        """The rules that a schema brings: itself, what it refers to, and those of `allOf`; None: it ends here."""
        if not isinstance(rule.schema, Mapping):
            if rule.schema is False:
                self._fault(rule.pointer, "`false` allows no value here: leave it out")
            return [Rule({}, rule.pointer, rule.aside)], path
        self.faults += find_keyword_faults(rule)
        found = [Rule({key: one for key, one in rule.schema.items() if key not in _EXPANDED}, rule.pointer, rule.aside)]
        parts = [*list_parts(rule)]
        if "$ref" in rule.schema:
            target = rule.schema["$ref"]
            referred = self._resolve(target, rule.pointer)
            if referred is None or self._leads_back(target, rule.pointer, path, seen):
                return None
            path, seen = (*path, target), (*seen, target)
            parts.append(Rule(referred, target.removeprefix("#"), rule.aside))
        for one in parts:
            more = self._expand(one, path, seen)
            if more is None:
                return None
            found += more[0]
            path = more[1]
        return found, path

    def _leads_back(self, target: str, at: str, path: tuple[str, ...], seen: tuple[str, ...]) -> bool:
        """Whether a reference is not followed, since it leads to where it is: without end, or once more than asked."""
        if target in seen:
            way = " -> ".join((*seen, target))
            self._fault(at + "/$ref", f"it refers to itself without end: {shorten_text(way, 100)}")
            return True
        if target not in path:
            return False
        self.unrolled = True
        if _FREE not in path[len(path) - path[::-1].index(target) :]:
            text = f"every {target} must have another in it, without end: require it no more, or allow null"
            self._fault(at + "/$ref", text)
            return True
        return path.count(target) > self._repeats

    def _resolve(self, target: object, at: str) -> Any:
        here: Any = self._schema
        if not isinstance(target, str) or not (target == "#" or target.startswith("#/")):
            text = f"{shorten_text(str(target), 100)!r} is no place of this schema: refer to `#/$defs/NAME`"
            self._fault(at + "/$ref", text)
            return None
        for part in target.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(here, list) and name.isdecimal() and int(name) < len(here):
                here = here[int(name)]
            elif isinstance(here, Mapping) and name in here:
                here = here[name]
            else:
                near = get_close_matches(name[:100], here, n=1) if isinstance(here, Mapping) else []
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self._fault(at + "/$ref", f"there is no {shorten_text(target, 100)!r} in the schema{hint}")
                return None
        return here

    def _read_rules(
        self, rules: Sequence[Rule], raw: Sequence[Rule], path: tuple[str, ...], depth: int
    ) -> Place | None:
        """The form where all of `rules` hold."""
        if (alternatives := split_alternatives(rules)) is not None:
            return self._read_alternatives(*alternatives, raw, path, depth)
        at, description = raw[0].pointer, find_description(rules)
        if faults := [*list_bound_faults(rules)]:
            self.faults += faults
            return None
        types, choices = join_types(rules), join_choices(rules)
        if types is None:
            types = infer_types(rules, choices)
        if choices == () or not types:
            self._fault(at, "no value can be given here: its `type`, `enum` and `const` rule each other out")
            return None
        plain = tuple(one for one in OPEN_TYPES if one in types)
        schemas = tuple(json.dumps(one.schema) for one in raw if not one.aside)
        leaf = Place("leaf", description, at=at, types=plain, choices=choices or (), schemas=schemas)
        found: list[Place | None] = [leaf] if plain else []
        if plain:
            self._count_field(at)
        if "array" in types:
            found.append(self._read_list(rules, description, at, path, depth))
        if "object" in types:
            found.append(self._read_object(rules, description, at, path, depth))
        places = [one for one in found if one is not None]
        if len(places) < len(found):
            return None
        if not places:
            return Place("closed", NULL_ALONE)
        return places[0] if len(places) == 1 else Place("either", description, either=tuple(places))

    def _read_alternatives(
        self,
        others: Sequence[Rule],
        rule: Rule,
        keyword: str,
        raw: Sequence[Rule],
        path: tuple[str, ...],
        depth: int,
    ) -> Place | None:
        places: list[Place] = []
        before, why = self._fields, NULL_ALONE
        listed = rule.schema[keyword]
        for number, one in enumerate(listed):
            here = Rule(one, rule.pointer + build_json_pointer(keyword, number))
            if one == {"type": "null"}:
                continue
            found = self._read([*others, here], (*path, _FREE) if len(listed) > 1 else path, depth + 1)
            if found is None:
                return None
            if found.kind == "closed":
                why = found.description
            else:
                places += found.either or (found,)
        description = find_description([rule, *others])
        if places and all(one.kind == "leaf" for one in places):
            self._fields = before + 1
            choices = tuple(dict.fromkeys(choice for one in places for choice in one.choices))
            limited = choices if all(one.choices for one in places) else ()
            types = tuple(one for one in OPEN_TYPES if any(one in place.types for place in places))
            schemas = tuple(json.dumps(one.schema) for one in raw)
            return Place("leaf", description, at=raw[0].pointer, types=types, choices=limited, schemas=schemas)
        different = tuple(dict.fromkeys(places))
        if len(different) < 2:
            return different[0] if different else Place("closed", why)
        return Place("either", description, either=different)

    def _read_list(self, rules: Sequence[Rule], told: str, at: str, path: tuple[str, ...], depth: int) -> Place | None:
        least, most = read_bound(rules, "minItems", max) or 0, read_bound(rules, "maxItems", min)
        raw = [Rule(one.schema["items"], one.pointer + "/items") for one in rules if "items" in one.schema]
        items = self._read(raw or [Rule({}, at)], path if least else (*path, _FREE), depth + 1)
        if items is None or items.kind == "closed":
            return items
        unique = any(one.schema.get("uniqueItems") is True for one in rules)
        if unique and items.choices and least > len(items.choices):
            self._fault(at + "/minItems", f"{least} different items cannot be had from {len(items.choices)} values")
        return Place(
            "list", told, items=items, most=min(MOST_ITEMS, MOST_ITEMS if most is None else int(most)), unique=unique
        )

    def _read_object(
        self, rules: Sequence[Rule], told: str, at: str, path: tuple[str, ...], depth: int
    ) -> Place | None:
        named = list_properties(rules)
        required = {name: one for one in rules if not one.aside for name in one.schema.get("required", ())}
        open_rules = [one for one in rules if not one.aside]
        entries, closed = self._read_entries(open_rules, at, bool(named), path, depth)
        for name, one in required.items():
            if name not in named and closed and entries is None:
                near = get_close_matches(name[:100], named, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join([*named][:20]) or 'none'}"
                self._fault(one.pointer + "/required", f"there is no property {shorten_text(name, 100)!r}; {hint}")
            elif name not in named and entries is None:
                named[name] = [Rule({}, one.pointer + "/required")]
        fields: list[Field] = []
        for number, (name, raw) in enumerate(named.items(), 1):
            if any(forbids(one, name) for one in open_rules) or any(one.schema is False for one in raw):
                if name in required:
                    self._fault(raw[0].pointer, "it is required, and the schema allows no such property")
                continue
            place = self._read(raw, path if name in required else (*path, _FREE), depth + 1)
            if place is not None:
                fields.append(Field(name, choose_key(name, number), place))
        if not fields and entries is None and not self.faults:
            self._fault(at, "an object needs properties: name at least one that can be filled in")
        entry_rules = join_entry_rules(open_rules) if entries else ""
        return Place("object", told, fields=tuple(fields), entries=entries, entry_rules=entry_rules)

    def _read_entries(
        self, rules: Sequence[Rule], at: str, named: bool, path: tuple[str, ...], depth: int
    ) -> tuple[Place | None, bool]:
        """Read the schema of open names, None if nothing is asked there, and whether no other names may be."""
        raw: list[list[Rule]] = []
        for one in rules:
            for pattern, inner in one.schema.get("patternProperties", {}).items():
                raw.append([Rule(inner, one.pointer + build_json_pointer("patternProperties", pattern))])
            others = one.schema.get("additionalProperties")
            if isinstance(others, Mapping) and others:
                raw.append([Rule(others, one.pointer + "/additionalProperties")])
        closed = any(one.schema.get("additionalProperties") is False for one in rules)
        if not raw and not named and not closed:
            raw = [[Rule({}, at)]]
        places = [self._read(one, (*path, _FREE), depth + 1) for one in raw]
        found = tuple(dict.fromkeys(one for one in places if one is not None and one.kind != "closed"))
        if len(found) < 2:
            return (found[0] if found else None), closed
        return Place("either", either=tuple(inner for one in found for inner in one.either or (one,))), closed
