"""The expressions of one step of a run: one view, one budget of work, and what has to be said of those over it.

An expression that asks for too much is null, as one that leads nowhere is, and the report says so. Of the state only
the parts that expressions name are written out for them.
"""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.engine.run import VIEW_NAMES, Run, build_expression_view
from elcano.graphs.expressions.evaluation import Meter
from elcano.graphs.expressions.language import evaluate_expression, find_read_names
from elcano.graphs.frozen import Json, JsonObject

SHOWN_CHARACTERS: Final = 200
"""Of an expression in a warning."""
_WRITTEN_OUT: Final = 128
"""Bytes of a state that are written out for expressions for one unit of work."""


class ExpressionReader:
    """Mutable, and of one step only. The view that it gives expressions is that of `run`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._view: JsonObject = {}
        self._meter = Meter(run.figures)
        self.warnings: dict[str, None] = {}
        """What a reader of the report should know, in order, each once."""

    @property
    def work(self) -> int:
        """Units of this step's expressions (see `evaluation`), of their view, and of keeping what they gave."""
        view = sum(self._run.weights.get(name, 0) for name in self._view) // _WRITTEN_OUT
        return self._meter.used + view + self._meter.parts

    def value(self, expression: str, item: Mapping[str, Json] | None = None) -> Json:
        """The value of `expression`; null where there is none, or too much would be needed for it.

        `item` is what can be read beside the view within a `for_each`: `item` and `index`.
        """
        names = find_read_names(expression)
        missing = [name for name in VIEW_NAMES if (names is None or name in names) and name not in self._view]
        if missing:
            self._view |= build_expression_view(self._run, missing)
        if names is None:  # its parts may be listed, so they have an order
            self._view = {name: self._view[name] for name in VIEW_NAMES}
        value, refused = evaluate_expression(expression, {**self._view, **(item or {})}, self._meter)
        if refused:
            self.warnings[f"Node {self._run.node!r}: {format_expression(expression)} counts as null: it {refused}"] = (
                None
            )
        return value

    def holds(self, expression: str) -> bool:
        """Whether `expression` is true: null, false, 0 and empty values are not."""
        return bool(self.value(expression))


def format_expression(expression: str) -> str:
    """An expression as a message shows it."""
    cut = expression if len(expression) <= SHOWN_CHARACTERS else expression[: SHOWN_CHARACTERS - 1] + "…"
    return f"the expression {cut!r}"
