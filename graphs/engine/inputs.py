"""From a node and the state to a command: the inputs of each agent, tool and branch.

Inputs are built from the node's expressions and must fit the callee's input model; one that does not is a failure of
the node. The expressions of one step have one view and one budget of work. One that asks for too much is null, as one
that leads nowhere is, and the report says so. Of the state only the parts that expressions name are written out.
"""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.catalogue.agents import get_agent
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.engine.budget_check import (
    estimate_agent_call,
    evidence_room,
    minimum_tokens,
    set_call_allowance,
)
from elcano.graphs.engine.entries import (
    ApplyEntry,
    BranchStart,
    CallAgent,
    CallTool,
    Command,
    RunBranches,
    StepCompleted,
)
from elcano.graphs.engine.run import VIEW_NAMES, Run, build_expression_view
from elcano.graphs.errors import InputInvalid
from elcano.graphs.expressions.evaluation import Meter
from elcano.graphs.expressions.language import evaluate_expression, find_read_names
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.spec.graph import AgentNode, Inputs, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.spec.walks import researches_plan
from elcano.graphs.state.branches import BranchInput

SHOWN_CHARACTERS: Final = 200
"""Maximum length of an expression in a warning."""


_WRITTEN_OUT: Final = 128
"""Bytes of a state that are written out for expressions for one unit of work."""


class ExpressionReader:
    """Mutable, and of one step only. The view that it gives expressions is that of `run`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._view: JsonObject = {}
        self._meter = Meter(run.figures)
        self.warnings: dict[str, None] = {}
        """Warnings for the readers of the report, in order, each once."""

    @property
    def work(self) -> int:
        """Units of this step's expressions (see `evaluation`), of their view, and of keeping what they gave."""
        view = sum(self._run.weights.get(name, 0) for name in self._view) // _WRITTEN_OUT
        return self._meter.used + view + self._meter.parts

    def value(self, expression: str, item: Mapping[str, Json] | None = None) -> Json:
        """Return the value of `expression`; null if there is none, or if it would need too much work.

        `item` is what a `for_each` adds to the view: `item` and `index`.
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


def build_command(graph: ResearchGraph, run: Run, reading: ExpressionReader) -> Command:
    """Build the command of the node that `run` is at; `reading` evaluates its expressions.

    Raises:
        ValidationError: the results of its expressions do not fit the callee's input model.
        InputInvalid: its list is too long.
    """
    node = graph.by_id[run.node]
    match node:
        case AgentNode():
            agent = get_agent(graph, node.agent)
            agent_input = build_node_input(agent.input, node.inputs, reading)
            call = CallAgent(
                step=run.step,
                node=node.id,
                agent=agent.name,
                own=graph.agents.get(node.agent),
                input=agent_input,
                estimate=estimate_agent_call(agent, agent_input, run),
                evidence_tokens=evidence_room(agent, run.figures, run.budget.limits),
                tries=run.tried.all_tries if run.tried else 0,
                progress=run.tried.progress if run.tried else {},
            )
            return set_call_allowance(call, graph, run)
        case ToolNode():
            tool = TOOLS[node.tool]
            items = _evaluate_items(node.for_each, run, reading)
            inputs = tuple(build_node_input(tool.input, node.inputs, reading, item) for item in items)
            return CallTool(
                step=run.step, node=node.id, tool=tool.name, inputs=inputs, for_each=node.for_each is not None
            )
        case ParallelNode():
            branches = _build_branch_starts(graph, node, run, reading)
            minimum = max((minimum_tokens(graph.branches[start.branch], run.figures) for start in branches), default=0)
            return RunBranches(step=run.step, node=node.id, branches=branches, minimum_tokens=minimum)
        case _:
            return ApplyEntry(entry=StepCompleted(step=run.step, node=node.id, at=run.budget.elapsed))


def build_node_input(
    model: type[Frozen], inputs: Inputs, reading: ExpressionReader, item: JsonObject | None = None
) -> JsonObject:
    """The input that a node's expressions make; null counts as not given, so that defaults hold."""
    values = {field: reading.value(expression, item) for field, expression in inputs.items()}
    given = {field: value for field, value in values.items() if value is not None}
    return model.model_validate(given).model_dump(mode="json")


def _evaluate_items(for_each: str | None, run: Run, reading: ExpressionReader) -> list[JsonObject]:
    """Return the additions of a `for_each` to the view, once for each item; without `for_each` once, and nothing."""
    if for_each is None:
        return [{}]
    items = reading.value(for_each)
    listed = items if isinstance(items, list) else [] if items is None else [items]
    if len(listed) > (most := run.figures.max_items):
        text = f"{format_expression(for_each)} gave {len(listed)} items; at most {most} can run at once"
        raise InputInvalid("for_each", text)
    return [{"item": item, "index": index} for index, item in enumerate(listed)]


def _build_branch_starts(
    graph: ResearchGraph, node: ParallelNode, run: Run, reading: ExpressionReader
) -> tuple[BranchStart, ...]:
    """Build the branches of a plan without its dropped sections; the others keep the numbers of their places."""
    starts = [
        (edge, item) for item in _evaluate_items(node.for_each, run, reading) for edge in graph.branches_from(node.id)
    ]
    visit = f"{run.step:04d}" + (f"r{run.undone_to}" if run.undone_to else "")
    each = max(1, len(graph.branches_from(node.id)))
    dropped = {place for place, section in enumerate(run.state.plan) if section.left_out and researches_plan(node)}
    return tuple(
        BranchStart(
            index=index,
            parallel_path_id=f"{visit}.{edge.branch}" + (f"-{index + 1}" if node.for_each else ""),
            branch=edge.branch,
            input=BranchInput.model_validate(build_node_input(BranchInput, edge.inputs, reading, item)),
        )
        for index, (edge, item) in enumerate(starts)
        if index // each not in dropped
    )
