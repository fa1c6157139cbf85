"""Reading the state with JMESPath: total, so that nothing a user writes can fail a run.

A path that leads nowhere is null. So is a function that is given the wrong type at run time (`length` of null); that
rule is what lets a graph ask about things that have not happened yet. A text that does not compile is a fault of the
graph, found before it starts.
"""

import re
from functools import lru_cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from graphs.frozen import Json, JsonObject

_PLAIN_PATH = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$")


@lru_cache(maxsize=1_024)
def _compile(expression: str) -> ParsedResult:
    return jmespath.compile(expression)


def fault(expression: str) -> str | None:
    """Why `expression` does not compile, on one line; None if it does."""
    try:
        _compile(expression)
    except JMESPathError as error:
        return str(error).splitlines()[0]
    return None


def evaluate(expression: str, view: JsonObject) -> Json:
    """The value of `expression` in `view`; null where there is none."""
    try:
        value: Any = _compile(expression).search(view)
    except JMESPathError:
        return None
    result: Json = value
    return result


def truth(expression: str, view: JsonObject) -> bool:
    """Whether `expression` holds: null, false, empty text, empty list and empty object do not; 0 does not either."""
    return bool(evaluate(expression, view))


def node_read(expression: str) -> tuple[str, str | None] | None:
    """For a plain path into `outputs`: the node and the first field that it reads; None for anything else."""
    if not _PLAIN_PATH.match(expression):
        return None
    head, *rest = expression.split(".")
    if head != "outputs" or not rest:
        return None
    return rest[0], rest[1] if len(rest) > 1 else None


def root_name(expression: str) -> str | None:
    """The first name of a plain path; None for anything else."""
    return expression.split(".")[0] if _PLAIN_PATH.match(expression) else None
