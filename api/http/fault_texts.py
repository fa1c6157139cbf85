"""What is wrong with a field of a request, in the words of JSON; Pydantic says some of it in those of Python."""

import re
from collections.abc import Mapping
from typing import Any, Final

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
"""What Pydantic says in words of Python, by its type of error."""
_SUBJECT: Final = re.compile(r"\A(?:Value error, |\w+ should\b)")
"""What Pydantic begins with: `String should have at least 1 character`."""
_UNKNOWN: Final = "Extra inputs are not permitted"
"""What Pydantic says of a field that there is not, where nobody names those that there are."""


def word_fault(error: Mapping[str, Any]) -> str:
    """What is wrong with a field, to be read behind its name."""
    text = error["msg"].replace(" after validation", "", 1).replace(_UNKNOWN, "is not known here", 1)
    # Of a text that a function reads first Pydantic counts items, too.
    text = re.sub(r"\AValue should have (at \w+ \d+) items?\b", r"must have a length of \1", text)
    return _PLAIN_FAULTS.get(error["type"]) or _SUBJECT.sub(lambda one: "must" if "should" in one[0] else "", text)
