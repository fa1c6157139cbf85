"""Fields that requests and responses are made of: texts that clients send, and times; their descriptions and faults.

Requests are strict: an unknown field, a number in quotes or a control character is refused, with the field's name, in
the words of JSON; Pydantic says some of it in those of Python.
Times are RFC 3339 in UTC; inside, a time is a number, seconds since the epoch. A view declares its times as `Moment`.
Events and reports, which are answered as they are stored, are rewritten here.

The docstrings under fields are read from their source when they are first shown. Pydantic reads them as well
(`use_attribute_docstrings`), but while each class is made: a tenth of the API's start, for texts that only its OpenAPI
document has.
"""

import ast
import inspect
import re
import sys
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Final, Self, TypeAlias, overload

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from elcano.graphs.checks.references import ALIKE
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.tenants import RUN_ID
from elcano.graphs.text import remove_noncharacters


def read_field_docstrings(model: type) -> dict[str, str]:
    """The docstrings of a model's fields by the fields' names, including those that it inherits."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        if one.__module__.startswith("elcano."):
            found |= _read_module(one.__module__).get(one.__qualname__, {})
    return found


@cache
def _read_module(name: str) -> Mapping[str, dict[str, str]]:
    """The docstrings of fields, by the classes at the top of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {one.name: dict(_read_class(one)) for one in tree.body if isinstance(one, ast.ClassDef)}


def _read_class(node: ast.ClassDef) -> list[tuple[str, str]]:
    return [
        (field.target.id, inspect.cleandoc(text.value.value))
        for field, text in pairwise(node.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    ]


class Described(Frozen):
    """Base class of request and response models: the docstring under a field is its description in OpenAPI."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(core_schema)
        properties, texts = handler.resolve_ref_schema(found).get("properties", {}), read_field_docstrings(cls)
        for name, field in cls.model_fields.items():
            if name in texts:
                properties[field.alias or name].setdefault("description", texts[name])
        return found


class WorkflowData(Described):
    """Base class for data that comes from a workflow: fields that only a newer worker knows are ignored."""

    model_config = ConfigDict(extra="ignore")


CURSOR: Final = "The `next` of the page before; left out: the first page."
"""The description of `cursor`, by which every list continues."""
NUMBER_CURSOR: Final = r"^\d{0,6}$"
"""The form of a cursor that is the number of things before it."""
EXAMPLE_RUN: Final = "default-01kb1q3yw5v7c8m2n4p6r8t0vx"
_REORDERING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _refuse_control_characters(text: str) -> str:
    """Removes noncharacters, which come along with text copied from PDFs, and refuses control characters.

    These cannot be seen, and neither models nor terminals agree on them. Those that reverse what follows (U+202E and
    its like) are among them; marks that right-to-left text needs are not.
    """
    text = remove_noncharacters(text)
    for position, character in enumerate(text):
        if character in _REORDERING or (unicodedata.category(character) == "Cc" and character not in "\n\r\t"):
            raise PydanticCustomError(
                "control_character",
                "has the control character U+{code} at position {position}; remove it",
                {"code": f"{ord(character):04X}", "position": position},
            )
    return text


def _strip_required_text(text: str) -> str:
    """Text without the white space around it, of which something that can be seen must be left."""
    stripped = _refuse_control_characters(text).strip()
    if all(unicodedata.category(character)[0] in "CZ" for character in stripped):
        raise PydanticCustomError("blank", "is empty; write something")
    return stripped


@dataclass(frozen=True)
class TextForm:
    """The form of a text: an expression for programs, and the error shown for a text that has another."""

    pattern: str
    fault: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^{self.pattern}$"}

    def _check(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise PydanticCustomError("form", "{fault}", {"fault": self.fault})
        return text


Text: TypeAlias = Annotated[str, AfterValidator(_refuse_control_characters)]


Spoken: TypeAlias = Annotated[str, AfterValidator(_strip_required_text)]


_NO_RUN_ID: Final = "is no run's id; `GET /v1/runs` lists the ids of runs, and its `next` begins the following page"
RunId: TypeAlias = Annotated[str, TextForm(RUN_ID, _NO_RUN_ID)]


class Request(Described):
    """The base of what clients send."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="wrap")
    @classmethod
    def _explain_unknown_fields(cls, value: Any, build: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return build(value)
        except ValidationError as error:
            said = error.errors(include_url=False, include_context=False, include_input=False)
            faults = [cls._explain_error(one) for one in said]
            raise ValidationError.from_exception_data(cls.__name__, faults) from error

    @classmethod
    def _explain_error(cls, error: ErrorDetails) -> InitErrorDetails:
        message = error["msg"]
        if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
            message = explain_unknown_field(str(error["loc"][0]), cls.model_fields)
        kind = PydanticCustomError(error["type"], "{message}", {"message": message})
        return InitErrorDetails(type=kind, loc=error["loc"], input=None)


def explain_unknown_field(name: str, known: Collection[str]) -> str:
    """Say that there is no field of this name, and which one may be meant."""
    for close in get_close_matches(name[:100], known, n=1, cutoff=ALIKE):
        return f"there is no such field; did you mean {close!r}?"
    return f"there is no such field; there are: {', '.join(known) or 'none'}"


_OF_EVENTS: Final = ("since", "until")
"""Times in the data of an event, and of each of its `calls`."""
RETRIEVED: Final = "retrieved_at"
"""The time at which a passage or a work was read, anywhere in a report; 0: unknown."""
SCHEMA: Final = {"type": "string", "format": "date-time"}


@overload
def datetime_from_seconds(seconds: float) -> datetime: ...
@overload
def datetime_from_seconds(seconds: None) -> None: ...
def datetime_from_seconds(seconds: float | None) -> datetime | None:
    """A number of seconds since the epoch as a moment in UTC; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def format_rfc3339(seconds: float) -> str:
    """The same as text: `2026-11-23T18:51:08.250000Z`, always with microseconds, so that texts are ordered as times."""
    return _format_datetime(datetime_from_seconds(seconds))


def _format_datetime(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


Moment: TypeAlias = Annotated[
    datetime, PlainSerializer(_format_datetime, when_used="json"), WithJsonSchema(SCHEMA, mode="serialization")
]
"""A time in a view."""


def event_view(event: AgentEvent) -> JsonObject:
    """An event as clients get it."""
    row = event.model_dump(mode="json")
    calls = row["data"].get("calls")
    for data in (row["data"], *(calls if isinstance(calls, list) else ())):
        if isinstance(data, dict):
            data |= {name: format_rfc3339(data[name]) for name in _OF_EVENTS if isinstance(data.get(name), float)}
    return {**row, "at": format_rfc3339(event.at)}


def with_moments(value: Json) -> Json:
    """The JSON of a report, or of evidence, with the times in it as clients get them."""
    if isinstance(value, list):
        return [with_moments(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: _read_at(one) if name == RETRIEVED else with_moments(one) for name, one in value.items()}


def _read_at(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return format_rfc3339(value) if value else None


def declare_moments(schemas: Mapping[str, Any]) -> None:
    """Declare the rewritten timestamps in the schemas."""
    for name, schema in schemas.items():
        properties = schema.get("properties", {})
        if name == "AgentEvent":
            properties["at"] = {**SCHEMA, "title": "At", "description": "When, by the workflow's clock."}
        if RETRIEVED in properties:
            either = {"anyOf": [SCHEMA, {"type": "null"}], "title": "Retrieved At"}
            properties[RETRIEVED] = {**either, "description": "When it was last read; null if unknown."}


class Accepted(Described):
    """The run accepted the request."""

    run_id: str = Field(examples=[EXAMPLE_RUN])
    """The run."""


class VersionCard(Described):
    """A version of a graph or an agent of your own."""

    version: int = Field(ge=1, examples=[2])
    """Its number; it is named as `name@2`."""
    at: Moment = Field(examples=["2026-01-01T00:00:00Z"])
    """When it was kept."""


_PLAIN_FAULTS: Final[Mapping[str, str]] = {
    "missing": "is required",
    "model_attributes_type": "must be a JSON object",
    "model_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
}
"""Plain messages for Pydantic's errors, by error type."""
_SUBJECT: Final = re.compile(r"\A(?:Value error, |\w+ should\b)")
"""Subject of Pydantic's messages: `String should have at least 1 character`."""
_UNKNOWN: Final = "Extra inputs are not permitted"
"""Pydantic's message for an unknown field."""


def word_fault(error: Mapping[str, Any]) -> str:
    """Describe the fault of a field, to be read after its name."""
    text = error["msg"].replace(" after validation", "", 1).replace(_UNKNOWN, "is not known here", 1)
    # Of a text that a function reads first Pydantic counts items, too.
    text = re.sub(r"\AValue should have (at \w+ \d+) items?\b", r"must have a length of \1", text)
    return _PLAIN_FAULTS.get(error["type"]) or _SUBJECT.sub(lambda one: "must" if "should" in one[0] else "", text)
