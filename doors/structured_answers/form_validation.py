"""Validates answers against the asker's schema, and that schema itself: by `jsonschema`, formats included.

An answer fits if it would once its nulls are known: a property may be null whatever its schema says, and of `oneOf`
several may fit as long as something within is not known. Formats that are not known to `jsonschema` say nothing.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema import ValidationError as SchemaMismatch
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

from elcano.activities.schema_validation import UNUSABLE, build_validator, compile_pattern
from elcano.doors.structured_answers.answer_form import LONGEST_TEXT, Place
from elcano.doors.structured_answers.schema_reader import MAX_CHARACTERS, read_form
from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import format_count, shorten_text

SHOWN_CHARACTERS: Final = 200
"""Maximum characters of the reason why something does not fit."""
LONGEST_FORMATTED: Final = 2_000
"""Characters of a text with a `format`: an address, a date, an identifier."""
MOST_FAULTS: Final = 50
_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")

Check = Callable[..., Iterator[SchemaMismatch]]


class FormValidation:
    """Validation against one schema, for one answer to it."""

    def __init__(self, schema: JsonObject) -> None:
        self._strict = build_validator(schema, {"format": _bound_format}, formats=True)
        kept = {
            "properties": _skip_nulls,
            "oneOf": _allow_several,
            "not": _skip_unknown,
            "maxProperties": _skip_nulls,
            "format": _bound_format,
        }
        self._tolerant = build_validator(schema, kept, formats=True)

    def explain_misfit(self, schemas: Sequence[str], value: Json) -> str:
        """Why a value does not fit schemas that are parts of this one, given as JSON; empty if it does."""
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            return f"it is longer than {LONGEST_TEXT:,} characters"
        try:
            found = [one for part in schemas for one in self._strict.evolve(schema=json.loads(part)).iter_errors(value)]
        except UNUSABLE as error:
            return _read_message(error)
        return _read_message(max(found, key=lambda one: len(one.absolute_path))) if found else ""

    def find_misfit(self, answer: Json) -> tuple[tuple[str | int, ...], str] | None:
        """The place in an answer that does not fit and the reason, the deepest of several; None if all fits."""
        try:
            found = [*self._tolerant.iter_errors(answer)]
        except UNUSABLE as error:
            return (), _read_message(error)
        if not found:
            return None
        deepest = max(found, key=lambda one: len(one.absolute_path))
        while deepest.context:
            deepest = max(deepest.context, key=lambda one: len(one.absolute_path))
        return tuple(deepest.absolute_path), _read_message(deepest)


def _read_message(error: Exception) -> str:
    message = getattr(error, "message", "") or str(error) or type(error).__name__
    if getattr(error, "validator", "") == "minItems":
        least = error.validator_value  # type: ignore[attr-defined]
        message = f"{format_count(len(error.instance), 'item')} of at least {least} can be based on a passage"  # type: ignore[attr-defined]
    return shorten_text(" ".join(message.split()), SHOWN_CHARACTERS)


def _bound_format(check: Check) -> Check:
    """Some formats are parsed by grammars, which take long for long texts."""

    def checked(validator: Validator, name: object, instance: object, schema: object) -> Iterator[SchemaMismatch]:
        if isinstance(instance, str) and len(instance) > LONGEST_FORMATTED:
            yield SchemaMismatch(f"a text with a format is no longer than {LONGEST_FORMATTED:,} characters")
        else:
            yield from check(validator, name, instance, schema)

    return checked


def _skip_nulls(check: Check) -> Check:
    def checked(validator: Validator, named: Mapping[str, Any], instance: Any, schema: object) -> Any:
        known = (
            {key: one for key, one in instance.items() if one is not None} if isinstance(instance, dict) else instance
        )
        return check(validator, named, known, schema)

    return checked


def _allow_several(check: Check) -> Check:
    def checked(validator: Validator, either: Any, instance: Any, schema: object) -> Any:
        follow = Draft202012Validator.VALIDATORS["anyOf"] if _has_null(instance) else check
        return follow(validator, either, instance, schema)

    return checked


def _skip_unknown(check: Check) -> Check:
    def checked(validator: Validator, refused: Any, instance: Any, schema: object) -> Any:
        return () if _has_null(instance) else check(validator, refused, instance, schema)

    return checked


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(one is None or _has_null(one) for one in value.values())
    return isinstance(value, list) and any(map(_has_null, value))


def find_schema_faults(schema: JsonObject) -> Iterator[Fault]:
    """Everything for which no answer can be given in a schema, each with its place."""
    try:
        size = len(json.dumps(schema))
        faults = [] if size > MAX_CHARACTERS else [*_find_mistakes(schema)]
    except RecursionError:
        yield Fault("it is nested too deep to be read")
        return
    if faults:
        yield from faults
        return
    form, found = read_form(schema)
    yield from found
    if form is not None:
        validation = FormValidation(schema)
        for leaf in _list_leaves(form):
            if leaf.choices and all(validation.explain_misfit(leaf.schemas, one) for one in leaf.choices):
                why = validation.explain_misfit(leaf.schemas, leaf.choices[0])
                yield Fault(f"none of its values fits what else it demands: {why}", leaf.at)


def _find_mistakes(schema: JsonObject) -> Iterator[Fault]:
    """Find violations of the metaschema, and patterns that cannot be applied."""
    if not isinstance(schema.get("$schema", ""), str):
        yield Fault("it must be the address of a draft of JSON Schema", "/$schema")
        return
    kind = validator_for(schema, default=Draft202012Validator)
    for number, error in enumerate(kind(kind.META_SCHEMA).iter_errors(schema)):
        if number == MOST_FAULTS:
            return
        yield Fault(_explain_mistake(error), build_json_pointer(*error.absolute_path))
    yield from _find_pattern_faults(schema, "")


def _explain_mistake(error: SchemaMismatch) -> str:
    if error.absolute_path and error.absolute_path[-1] == "type" and isinstance(error.instance, str):
        near = get_close_matches(error.instance[:50], _TYPES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(_TYPES)}"
        return f"unknown type {shorten_text(error.instance, 50)!r}; {hint}"
    return shorten_text(f"no schema has this: {error.message}", SHOWN_CHARACTERS)


def _find_pattern_faults(schema: Json, at: str) -> Iterator[Fault]:
    if isinstance(schema, list):
        for number, one in enumerate(schema):
            yield from _find_pattern_faults(one, f"{at}/{number}")
    if not isinstance(schema, dict):
        return
    named = schema.get("patternProperties")
    patterns = (
        [(one, f"{at}/patternProperties{build_json_pointer(one)}") for one in named] if isinstance(named, dict) else []
    )
    if isinstance(own := schema.get("pattern"), str):
        patterns.append((own, f"{at}/pattern"))
    for pattern, place in patterns:
        try:
            compile_pattern(pattern)
        except UNUSABLE as error:
            yield Fault(f"it cannot be applied: {shorten_text(str(error), SHOWN_CHARACTERS)}", place)
    for name, one in schema.items():
        if name not in ("enum", "const", "default", "examples"):
            yield from _find_pattern_faults(one, at + build_json_pointer(name))


def _list_leaves(place: Place) -> Iterator[Place]:
    if place.kind == "leaf":
        yield place
    inner = (*(one.place for one in place.fields), place.entries, place.items, *place.either)
    for one in inner:
        if one is not None:
            yield from _list_leaves(one)
