"""Reading the state with JMESPath: total, so that nothing a user writes can fail a run.

A path that leads nowhere is null. So is a function that is given the wrong type at run time (`length` of null); that
rule is what lets a graph ask about things that have not happened yet. What asks for too much (see `evaluation`) is null
as well, and says so. A text that does not compile, calls a function that does not exist or could give something that is
not JSON is a fault of the graph, found before it starts.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from elcano.graphs.expressions.evaluation import FUNCTIONS, EvaluationTooLarge, Meter, ValueTooLarge, evaluate_tree
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import suggest_name

MAX_DEPTH: Final = 40
"""Levels of a parsed expression. Evaluating takes a few Python frames a level, and where Python's own limit of frames
lies depends on the caller: an expression near it could hold in a preview and fail in a workflow."""

_TAKE_EXPRESSIONS: Final = frozenset({"map", "max_by", "min_by", "sort_by"})
_INTO_FIRST: Final = frozenset(
    {"subexpression", "index_expression", "pipe", "projection", "value_projection", "filter_projection"}
)
"""Nodes whose first child reads the view itself; the others read the first one's result."""
_THE_VIEW: Final = frozenset({"current", "identity"})
_Tree: TypeAlias = Mapping[str, Any]
_PLAIN_PATH = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$")


@lru_cache(maxsize=1_024)
def _compile_expression(expression: str) -> ParsedResult:
    return jmespath.compile(expression)


def find_expression_fault(expression: str) -> str | None:
    """Why `expression` cannot be used, on one line; None if it can."""
    try:
        tree = _compile_expression(expression).parsed
    except JMESPathError as error:
        return str(error).splitlines()[0]
    except RecursionError:
        return _too_deep()
    return next(iter(_tree_faults(tree)), None)


def parse_expression(expression: str) -> Mapping[str, Any]:
    """The tree of an expression without faults, as jmespath has it."""
    tree: _Tree = _compile_expression(expression).parsed
    return tree


class Value(NamedTuple):
    """The result of an expression."""

    json: Json = None
    refused: str = ""
    """Why it gave nothing, if it asked for too much; completes "the expression ..."."""


def evaluate_expression(expression: str, view: JsonObject, meter: Meter) -> Value:
    """The value of `expression` in `view`; null where there is none, or more would be needed than `meter` has left."""
    meter.begin()
    try:
        meter.spend(len(expression))  # it may have to be compiled
        json: Json = evaluate_tree(_compile_expression(expression).parsed, view, meter)
    except (EvaluationTooLarge, ValueTooLarge) as refused:
        return Value(refused=str(refused))
    except (JMESPathError, ArithmeticError, TypeError, ValueError):  # jmespath lets those of Python through
        return Value()
    return Value(json)


def node_read(expression: str) -> tuple[str, str | None] | None:
    """Return the node and the first field that a plain path into `outputs` reads; None for anything else."""
    if not _PLAIN_PATH.match(expression):
        return None
    head, *rest = expression.split(".")
    if head != "outputs" or not rest:
        return None
    return rest[0], rest[1] if len(rest) > 1 else None


def field_read(expression: str, name: str) -> str | None:
    """Return the first field that a plain path into `name` reads; None for anything else."""
    head, *rest = expression.split(".")
    return rest[0] if head == name and rest and _PLAIN_PATH.match(expression) else None


def root_names(expression: str) -> tuple[str, ...]:
    """The names that an expression without faults reads from the view itself, each once, in the order of reading."""
    return tuple(dict.fromkeys(_iter_root_names(_compile_expression(expression).parsed)))


@lru_cache(maxsize=1_024)
def find_read_names(expression: str) -> frozenset[str] | None:
    """The names that an expression without faults reads from the view; None if it reads the view as a whole."""
    tree = _compile_expression(expression).parsed
    return None if _reads_whole_view(tree) else frozenset(_iter_root_names(tree))


def _tree_faults(tree: _Tree, *, depth: int = 1, caller: str = "") -> Iterable[str]:
    if depth > MAX_DEPTH:
        yield _too_deep()
        return
    if tree["type"] == "expref" and caller not in _TAKE_EXPRESSIONS:
        yield f"`&` is only for arguments of {', '.join(sorted(_TAKE_EXPRESSIONS))}"
    if tree["type"] in _INTO_FIRST and _list_child_expressions(tree)[0]["type"] == "not_expression":
        yield "`!` applies to what directly follows it, so `!a.b` is always null: write `!(a.b)`"
    called = tree["value"] if tree["type"] == "function_expression" else ""
    for child in _list_child_expressions(tree):
        yield from _tree_faults(child, depth=depth + 1, caller=called)
    if called and called not in FUNCTIONS:
        hint = suggest_name(called, FUNCTIONS, f"known: {', '.join(sorted(FUNCTIONS))}")
        yield f"unknown function {called!r}; {hint}"


def _iter_root_names(tree: _Tree) -> Iterable[str]:
    if tree["type"] == "field":
        yield tree["value"]
    for child in _of_the_view(tree):
        yield from _iter_root_names(child)


def _reads_whole_view(tree: _Tree) -> bool:
    return tree["type"] in _THE_VIEW or any(map(_reads_whole_view, _of_the_view(tree)))


def _of_the_view(tree: _Tree) -> list[_Tree]:
    """The parts that read the view itself."""
    if tree["type"] == "expref":  # reads the items of a list
        return []
    children = _list_child_expressions(tree)
    return children[:1] if tree["type"] in _INTO_FIRST else children


def _list_child_expressions(tree: _Tree) -> list[_Tree]:
    """The parts that are expressions; a slice has numbers instead."""
    return [child for child in tree["children"] if isinstance(child, dict)]


def _too_deep() -> str:
    return f"it is nested deeper than {MAX_DEPTH} levels"
