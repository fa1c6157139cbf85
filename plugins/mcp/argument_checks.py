"""Arguments of a tool, validated against its JSON schema: every fault, each with its location."""

from collections.abc import Iterator
from typing import Final

from jsonschema.protocols import Validator

from elcano.activities.support.schema_validation import UNUSABLE, build_validator, validate_schema
from elcano.graphs.errors import ToolRefused, build_json_pointer
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import shorten_text

MOST_FAULTS: Final = 50
FAULT_CHARACTERS: Final = 300


def argument_faults(arguments: JsonObject, schema: JsonObject) -> list[str]:
    """List faults in the arguments as `/place: what`; at most 50, then a line with the number of the others.

    Raises:
        ToolRefused: the schema is invalid.
    """
    try:
        validate_schema(schema)
        faults = sorted(
            _find_argument_faults(build_validator(schema), arguments), key=lambda fault: fault.partition(": ")
        )
    except UNUSABLE as error:
        said = shorten_text(" ".join(str(getattr(error, "message", error)).split()), FAULT_CHARACTERS)
        raise ToolRefused(f"its schema cannot be used to check arguments: {said}") from None
    left = len(faults) - MOST_FAULTS
    return faults[:MOST_FAULTS] + ([f"and {left} more"] if left > 0 else [])


def _find_argument_faults(checked: Validator, arguments: JsonObject) -> Iterator[str]:
    for error in checked.iter_errors(arguments):
        place = build_json_pointer(*error.absolute_path)
        yield f"/arguments{place}: {shorten_text(' '.join(error.message.split()), FAULT_CHARACTERS)}"
