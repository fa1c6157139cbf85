"""The columns of a table: typed by hand, or the properties of an `output_schema`; they become the form of its rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from elcano.doors.evidence_tables.document_graph import get_fields, list_columns
from elcano.graphs.added_steps import find_answer_schema_faults
from elcano.graphs.frozen import JsonObject
from elcano.service.errors import FieldFault
from elcano.service.fields import Request, Spoken, Text

MOST_COLUMNS: Final = 20
"""The answer to one form is 3,000 tokens at most: twenty values with their quotes. So a row costs one model call."""

ColumnType: TypeAlias = Literal["text", "number", "integer", "yes_no"]
_TYPES: Final[Mapping[ColumnType, str]] = {
    "text": "string",
    "number": "number",
    "integer": "integer",
    "yes_no": "boolean",
}


class ColumnRequest(Request):
    """One column of a table."""

    name: Spoken = Field(max_length=100, examples=["Participants"])
    """Its head; no two columns have the same."""
    question: Spoken = Field(max_length=1_000, examples=["How many participants were randomised?"])
    """Question put to each document."""
    type: ColumnType = Field(default="text", examples=["integer"])
    """The type of its values."""
    choices: list[Annotated[Text, Field(min_length=1, max_length=200)]] = Field(
        default=[], max_length=50, examples=[["parallel", "crossover"]]
    )
    """For texts: the only values that there are; left out: any."""


def build_schema(columns: list[ColumnRequest]) -> JsonObject:
    """Build the form of columns that were typed by hand."""
    properties: JsonObject = {}
    for one in columns:
        chosen: JsonObject = {"enum": [*one.choices]} if one.choices else {}
        properties[one.name] = {"type": _TYPES[one.type], "description": one.question, **chosen}
    return {"type": "object", "properties": properties}


def find_type(schema: JsonObject, name: str) -> str:
    """The type of a column's values in JSON; empty: there are several."""
    field = get_fields(schema)[name]
    kind = field.get("type") if isinstance(field, dict) else None
    return kind if isinstance(kind, str) else ""


def find_column_faults(columns: list[ColumnRequest]) -> Iterator[FieldFault]:
    """Find columns that no table can have: two of one name or one question, and choices of what is no text."""
    names: dict[str, int] = {}
    questions: dict[str, int] = {}
    for number, one in enumerate(columns):
        if (earlier := names.setdefault(_fold(one.name), number)) != number:
            yield _name_fault(number, "name", f"is the name of column {earlier + 1} as well: name it otherwise")
        elif (earlier := questions.setdefault(_fold(one.question), number)) != number:
            yield _name_fault(number, "question", f"is the question of column {earlier + 1} as well: leave one out")
        if one.choices and one.type != "text":
            yield _name_fault(number, "choices", "are for columns of the type `text`")
        elif len(set(one.choices)) < len(one.choices):
            yield _name_fault(number, "choices", "has the same choice twice")


def find_added_column_faults(columns: list[ColumnRequest], existing: Mapping[str, str]) -> Iterator[FieldFault]:
    """Find columns that a table with the `existing` ones, their questions by their names, cannot be given."""
    yield from find_column_faults(columns)
    names, questions = set(map(_fold, existing)), set(map(_fold, existing.values()))
    for number, one in enumerate(columns):
        if _fold(one.name) in names:
            yield _name_fault(number, "name", "is the name of a column that the table has: name it otherwise")
        elif _fold(one.question) in questions:
            yield _name_fault(number, "question", "is asked by a column that the table has: leave one out")


def select_columns(schema: JsonObject, names: Sequence[str]) -> JsonObject:
    """Return the form of some columns of a form."""
    chosen, required = {name: one for name, one in get_fields(schema).items() if name in names}, schema.get("required")
    kept = {"required": [one for one in required if one in names]} if isinstance(required, list) else {}
    return {**schema, "properties": chosen, **kept}


def find_schema_faults(schema: dict[str, Any]) -> list[FieldFault]:
    """Find the reasons why an `output_schema` is no form of a table."""
    faults = [
        FieldFault(field=f"output_schema{fault.pointer.replace('/', '.')}", message=str(fault))
        for fault in find_answer_schema_faults(schema)
    ]
    if faults:
        return faults
    count = len(list_columns(schema))
    if not count:
        return [FieldFault(field="output_schema", message="has no `properties`: each of them becomes a column")]
    if count > MOST_COLUMNS:
        message = f"has {count} properties, and {MOST_COLUMNS} columns are the most: make a second table of the others"
        return [FieldFault(field="output_schema", message=message)]
    return []


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _name_fault(number: int, field: str, message: str) -> FieldFault:
    return FieldFault(field=f"columns.{number}.{field}", message=message)
