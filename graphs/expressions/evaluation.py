"""JMESPath within bounds: an evaluation that needs too much ends, whatever the expression.

Work is counted, never timed, so a replayed run gets the same answers. Each visited part of an expression costs one
unit, and operations that Python performs at once over many values (sorting, comparing, writing JSON) are paid for
before they run. Results are weighed as they are built: lists that contain one another twice cost nothing to build and
everything to write out.

The weight of a value is counted too, so that the same value weighs the same everywhere: a text its length in UTF-8;
each value, name and text `VALUE_BYTES` in addition, each list and object `CONTAINER_BYTES`. A value is weighed as a
tree: a part that occurs twice counts twice, as it does once the value is written out. Values that cannot be written and
read again (a number that is not finite, half a character, too many levels) have no weight: they are refused.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from math import ceil, isfinite, log2
from typing import Any, Final, NamedTuple

from jmespath.functions import Functions, signature
from jmespath.visitor import Options, TreeInterpreter
from pydantic import BaseModel

from elcano.graphs.rules import Rules

VALUE_BYTES: Final = 32
"""The minimum weight of any value; a list of a thousand zeros is no less work than a thousand names."""
CONTAINER_BYTES: Final = 128
"""The minimum weight of a list or an object: building, checking and writing one is the work of several values."""
CONTAINER_PARTS: Final = 6
"""Checking and writing a list or an object takes as long as this many numbers."""
MAX_LEVELS: Final = 64
"""Lists and objects within one another. Readers of JSON give up somewhere below 200, and a value travels in others."""
MAX_BITS: Final = 1_024
"""Maximum size of a whole number; JSON parsers give up somewhere above."""


class ValueTooLarge(Exception):
    """A value weighs too much or cannot be kept. Its text completes "the value ..."."""


class Weight(NamedTuple):
    """The weight of a value."""

    bytes: int
    levels: int
    """Lists and objects within one another; 0 for a number."""
    parts: int
    """Values in it and itself, a list or an object as `CONTAINER_PARTS`: how long work on each of them takes."""


class Scale:
    """Weighs values, each list and object once, however often it occurs in others. Mutable: it remembers them.

    Args:
        most: the maximum weight of a value in bytes.
        count: called for each visited list and object with the number of its values.
    """

    def __init__(self, most: int, count: Callable[[int], None] | None = None) -> None:
        self.most = most
        self._count = count
        self._known: dict[int, tuple[object, Weight]] = {}
        """Weights by identity; the object is kept too, so that no other can get its identity."""

    def weigh(self, value: object, level: int = 0) -> Weight:
        """The weight of a JSON value, or of a frozen model.

        Raises:
            ValueTooLarge: it weighs too much, or cannot be kept.
        """
        if (scalar := _scalar_bytes(value)) is not None:
            return Weight(self._in_bounds(scalar), 0, 1)
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._container(value, level))
        return known[1]

    def _container(self, value: object, level: int) -> Weight:
        if level >= MAX_LEVELS:
            raise _build_depth_error()
        kind = type(value)
        names: Iterable[str] = ()
        parts: Collection[object]
        if kind is list or kind is tuple:
            parts = value  # type: ignore[assignment]
        elif kind is dict:
            names, parts = value, value.values()  # type: ignore[assignment, attr-defined]
        elif isinstance(value, BaseModel):
            names, parts = value.__dict__, value.__dict__.values()
        else:
            raise ValueTooLarge(f"holds a {kind.__name__}, which is not JSON")
        if self._count is not None:
            self._count(len(parts))
        total, levels, count = CONTAINER_BYTES, 0, CONTAINER_PARTS
        for name in names:
            total += text_bytes(name)
        for part in parts:
            if (scalar := _scalar_bytes(part)) is not None:
                total += scalar
                count += 1
            else:
                weight = self.weigh(part, level + 1)
                total += weight.bytes
                count += weight.parts
                levels = max(levels, weight.levels)
            if total > self.most:
                break
        if levels + 1 > MAX_LEVELS:
            raise _build_depth_error()
        return Weight(self._in_bounds(total), levels + 1, count)

    def _in_bounds(self, found: int) -> int:
        if found > self.most:
            raise ValueTooLarge(f"weighs over {self.most:,} bytes")
        return found


def _scalar_bytes(value: object) -> int | None:
    """Return the weight of a value that is neither a list nor an object; None for these."""
    kind = type(value)  # a chain of exact types is the fastest there is, and this is most of the work
    if kind is str:
        return text_bytes(value)  # type: ignore[arg-type]
    if kind is int:
        if (bits := value.bit_length()) > MAX_BITS:  # type: ignore[attr-defined]
            raise ValueTooLarge(f"holds a number of {bits} bits; at most {MAX_BITS} can be kept")
    elif kind is float:
        if not isfinite(value):  # type: ignore[arg-type]
            raise ValueTooLarge("holds a number that is not finite")
    elif value is not None and kind is not bool:
        return None
    return VALUE_BYTES


def text_bytes(text: str) -> int:
    """The weight of a text in bytes.

    Raises:
        ValueTooLarge: it holds half a character, which no reader takes.
    """
    if text.isascii():
        return VALUE_BYTES + len(text)
    try:
        return VALUE_BYTES + len(text.encode())
    except UnicodeEncodeError as error:
        raise ValueTooLarge("holds half a character (a lone surrogate)") from error


def _build_depth_error() -> ValueTooLarge:
    return ValueTooLarge(f"has more than {MAX_LEVELS} levels of lists and objects")


_CALL: Final = 4
"""Units for calling any function."""
_LOOKED_AT: Final = 4
"""Values that are looked at in Python code for one unit."""
_ORDERED: Final = 16
"""Comparisons of two numbers or short texts that sorting makes for one unit."""
_WRITTEN: Final = 64
"""Values that are copied, or bytes that are written as JSON or read as a number, for one unit."""
_COMPARED: Final = 512
"""Bytes that are compared, copied or searched for one unit."""
_LOOKED_THROUGH: Final = frozenset({"avg", "join", "keys", "max", "merge", "min", "reverse", "sort", "sum", "values"})


class EvaluationTooLarge(Exception):
    """An evaluation takes more work than it may. Its text completes "the expression ..."."""


class Meter:
    """The work that the expressions of one step may still use. Mutable, and only for one step."""

    def __init__(self, figures: Rules) -> None:
        self.figures = figures
        self.used = 0
        """Units so far."""
        self.given = 0
        """Bytes of the results so far."""
        self.parts = 0
        """The values of the parts, as `weight` counts them."""
        self._allowed = 0

    def begin(self) -> None:
        """Begin another evaluation, with units of its own."""
        self._allowed = min(self.figures.step_work, self.used + self.figures.evaluation_work)

    def spend(self, units: int) -> None:
        """Counts work that is about to be done.

        Raises:
            EvaluationTooLarge: it is more than there is.
        """
        if units > self._allowed - self.used:
            self.used = self._allowed
            raise EvaluationTooLarge("takes more work than an expression, or the expressions of one step together, may")
        self.used += units

    def hand_over(self, result: Weight) -> None:
        """Counts a result.

        Raises:
            EvaluationTooLarge: the step's expressions give too much together.
        """
        if self.given + result.bytes > self.figures.step_result_bytes:
            raise EvaluationTooLarge("gives more than the expressions of one step together may")
        self.given += result.bytes
        self.parts += result.parts


def evaluate_tree(tree: Mapping[str, Any], view: object, meter: Meter) -> Any:
    """Evaluate a parsed expression; errors of jmespath are passed on.

    Raises:
        EvaluationTooLarge: it takes too much work.
        ValueTooLarge: something that it builds or gives weighs too much, or cannot be written down.
    """
    scale = Scale(meter.figures.result_bytes, lambda values: meter.spend(values // _LOOKED_AT))
    value = _Interpreter(meter, scale).visit(tree, view)
    meter.hand_over(scale.weigh(value))
    return value


def _make_weighed_method(name: str) -> Callable[..., Any]:
    """Wrap a method of `TreeInterpreter` so that the values it builds are weighed."""
    build = getattr(TreeInterpreter, name)

    def weigh(self: "_Interpreter", node: Any, value: Any) -> Any:
        return self.weigh(build(self, node, value))

    return weigh


class _Interpreter(TreeInterpreter):
    def __init__(self, meter: Meter, scale: Scale) -> None:
        super().__init__(Options(custom_functions=_Functions(meter, scale)))
        self._meter = meter
        self._scale = scale

    def visit(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        self._meter.spend(1)
        return getattr(self, f"visit_{node['type']}")(node, *args, **kwargs)

    def weigh(self, built: Any) -> Any:
        if built is not None:
            self._scale.weigh(built)
        return built

    visit_filter_projection = _make_weighed_method("visit_filter_projection")
    visit_projection = _make_weighed_method("visit_projection")
    visit_value_projection = _make_weighed_method("visit_value_projection")
    visit_multi_select_dict = _make_weighed_method("visit_multi_select_dict")
    visit_multi_select_list = _make_weighed_method("visit_multi_select_list")

    def visit_flatten(self, node: Any, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        if not isinstance(base, list):
            return None
        length = sum(len(part) if isinstance(part, list) else 1 for part in base)
        self._meter.spend((len(base) + length) // _LOOKED_AT)
        return self.weigh([one for part in base for one in (part if isinstance(part, list) else [part])])

    def visit_slice(self, node: Any, value: Any) -> Any:
        if isinstance(value, list):
            self._meter.spend(len(value) // _WRITTEN)
        return self.weigh(super().visit_slice(node, value))

    def visit_comparator(self, node: Any, value: Any) -> Any:
        left, right = (self.visit(child, value) for child in node["children"])
        if isinstance(left, str | list | dict) and isinstance(right, str | list | dict):
            lighter = min(self._scale.weigh(left).bytes, self._scale.weigh(right).bytes)
            self._meter.spend(lighter // _COMPARED)
        given = [{"type": "literal", "value": one, "children": []} for one in (left, right)]
        compared: Any = {**node, "children": given}
        return super().visit_comparator(compared, value)


class _Functions(Functions):
    def __init__(self, meter: Meter, scale: Scale) -> None:
        self._meter = meter
        self._scale = scale

    @signature({"types": ["array"]}, {"types": ["array"]})
    def _func_pairs(self, first: list[Any], second: list[Any]) -> list[Any]:
        """Each of the first with each of the second, those with the same second together. JMESPath has no such one."""
        return [[one, two] for two in second for one in first]

    def call_function(self, function_name: str, resolved_args: Iterable[Any]) -> Any:
        given = list(resolved_args)
        self._meter.spend(self._price(function_name, given))
        result = super().call_function(function_name, given)
        if isinstance(result, str | list | dict):
            self._scale.weigh(result)
        return result

    def _price(self, name: str, given: list[Any]) -> int:
        """Returns the units of a function's own work; expressions that it evaluates for each item are counted there."""
        units = _CALL
        if name in _LOOKED_THROUGH:
            units += sum(len(one) for one in given if isinstance(one, list | dict)) // _LOOKED_AT
        match name, given:
            case (("sort" | "sort_by"), [list(items), *_]):
                units += self._sorting(items, whole=name == "sort")
            case (("max" | "min"), [list(items)]):
                units += self._bytes(items) // _COMPARED
            case "pairs", [list(first), list(second)]:
                units += len(first) * len(second) // _LOOKED_AT
            case "join", [str(glue), list(items)]:
                units += self._joining(glue, items)
            case "contains", [list() | str() as subject, wanted]:
                units += self._searching(subject, wanted)
            case (("starts_with" | "ends_with"), [str(), str(text)]):
                units += len(text) // _COMPARED
            case "reverse", [str(text)]:
                units += len(text) // _COMPARED
            case "to_string", [list() | dict() as value]:
                units += self._bytes(value) // _WRITTEN
            case "to_number", [str(text)]:
                units += len(text) // _WRITTEN
        return units

    def _sorting(self, items: list[Any], *, whole: bool) -> int:
        """The texts that `sort_by` compares were made for it, and counted, or are short; not those of `sort`."""
        rounds = ceil(log2(len(items) + 1))
        texts = rounds * self._bytes(items) // (4 * _COMPARED) if whole else 0
        return len(items) // _LOOKED_AT + len(items) * rounds // _ORDERED + texts

    def _joining(self, glue: str, items: list[Any]) -> int:
        total = text_bytes(glue) * len(items) + sum(text_bytes(one) for one in items if isinstance(one, str))
        if total > self._scale.most:
            raise ValueTooLarge(f"weighs over {self._scale.most:,} bytes")
        return total // _COMPARED

    def _searching(self, subject: list[Any] | str, wanted: Any) -> int:
        if isinstance(subject, list):
            compared = min(self._bytes(subject), len(subject) * self._bytes(wanted))
            return len(subject) // _ORDERED + compared // _COMPARED
        if not isinstance(wanted, str):
            return 0
        size = len(subject)  # Python's search may look at each place of a text so often, at worst:
        looks = 1_250 if size < 2_500 else 100 if size < 30_000 else 16
        return size * min(len(wanted), looks) // _COMPARED

    def _bytes(self, value: Any) -> int:
        return self._scale.weigh(value).bytes


FUNCTIONS: Final = frozenset(_Functions.FUNCTION_TABLE)
"""The names of those that there are: those of JMESPath, and `pairs`."""
