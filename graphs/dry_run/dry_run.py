"""Previews a graph: walks it in memory with invented answers and reports expressions that found nothing.

Nothing is searched, asked or paid for. The engine is the one that runs walk by, so ways, loops, limits and folds are
those of a run; only what agents and tools answer is made up, or what the caller says they answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from elcano.graphs.dry_run.in_memory_run import Answers, PreviewTooLong, run_in_memory
from elcano.graphs.engine.budget_check import update_budget_forecast
from elcano.graphs.engine.inputs import ExpressionReader
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.step_history import Passage, iter_passages
from elcano.graphs.lifecycle.step_rows import BetweenRow, StepKind, StepOutcome
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode, ConditionalEdge, Node, ParallelNode, ResearchGraph, StateNode, ToolNode
from elcano.graphs.state.failures import Ending
from elcano.graphs.text import ensure_list

MOST_CALLS: Final = 500
"""Maximum number of calls of agents and tools in one preview, including branches: some seconds."""
STEP_SECONDS: Final = 1.0
"""The duration of each call by the preview's clock."""


class PreviewStep(Frozen):
    """One step of a walk."""

    path: str = ""
    """The branch; empty for the graph itself."""
    number: int
    """The number in its run or branch, from 1."""
    node: str
    kind: StepKind
    calls: str = ""
    """The agent, tool or reducer."""
    limits: str = ""
    """Its node's limits on calls, in short."""
    iteration: int
    outcome: StepOutcome
    reason: str = ""
    """Why it did not complete."""
    output: Json = None
    next: str = ""
    """The next node; empty at the end."""
    nulls: tuple[str, ...] = ()
    """Expressions that gave null, each with where it is: `inputs.gap: conversation[-1].gap`."""


class Preview(Frozen):
    """A walk through a graph."""

    steps: tuple[PreviewStep, ...]
    """The steps; those of a branch come before the step of the parallel node that runs it."""
    visited: tuple[str, ...]
    """Nodes of the graph itself that the walk came through."""
    unvisited: tuple[str, ...]
    """The others: what the answers did not lead to."""
    ending: Ending | None = None
    """Why it ended early; null if it came to its end."""
    failure: str = ""
    """The permanent failure, in words."""
    warnings: tuple[str, ...] = ()
    cut: bool = False
    """Whether it was broken off after `MOST_CALLS` calls; the unfinished steps are missing."""


async def preview_graph(asked: ResearchInput, answers: Mapping[str, Sequence[JsonObject]]) -> Preview:
    """Walks the graph of `asked`; by node, `answers` are what its visits answer, the last for all that follow."""
    walk = _Walk(asked.run_id)
    try:
        journal = await run_in_memory(asked, Answers(answers, MOST_CALLS).perform, clock=walk.clock, watch=walk.watch)
    except PreviewTooLong:
        return _build_preview(asked.graph, walk.steps, cut=True)
    failure = journal.run.failure
    return _build_preview(asked.graph, walk.steps).model_copy(
        update={
            "ending": journal.run.ending,
            "failure": f"{failure.node}: {failure.message}" if failure else "",
            "warnings": journal.run.state.warnings,
        }
    )


class _Walk:
    """The steps of a walk, in the order in which a person would list them."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._now = 0.0
        self._walked: dict[str, list[PreviewStep]] = {}
        """Steps by run and branch; a branch's steps move to its parent's once the branch has ended."""

    def clock(self) -> float:
        """Read before and after each call."""
        self._now += STEP_SECONDS / 2
        return self._now

    def watch(self, asked: ResearchInput, journal: Journal) -> None:
        """Takes the steps of a run or branch that was walked, with those of its branches where they were run."""
        within = {one: self._walked.pop(one) for one in list(self._walked) if one.startswith(f"{asked.run_id}.")}
        steps: list[PreviewStep] = []
        for step in _iter_preview_steps(asked, journal, asked.run_id.removeprefix(self._run_id).removeprefix(".")):
            for one, others in within.items():
                if one.startswith(f"{asked.run_id}.{step.number:04d}"):
                    steps += others
            steps.append(step)
        self._walked[asked.run_id] = steps

    @property
    def steps(self) -> list[PreviewStep]:
        """All of them."""
        return [step for steps in self._walked.values() for step in steps]


def _build_preview(graph: ResearchGraph, steps: Sequence[PreviewStep], *, cut: bool = False) -> Preview:
    own = dict.fromkeys(step.node for step in steps if not step.path)
    left = tuple(node.id for node in graph.nodes if node.id not in own)
    return Preview(steps=tuple(steps), visited=tuple(own), unvisited=left, cut=cut)


def _iter_preview_steps(asked: ResearchInput, journal: Journal, path: str) -> Iterator[PreviewStep]:
    for one in iter_passages(finish.build_run_log(asked, journal), (), going_on=False):
        if isinstance(one, BetweenRow) or one.row.kind is None:
            continue
        row = one.row
        yield PreviewStep.from_record(
            row,
            path=path,
            calls=row.name,
            output=getattr(one.entry, "output", None),
            nulls=tuple(_iter_null_expressions(asked.graph, one)),
        )


def _iter_null_expressions(graph: ResearchGraph, step: Passage) -> Iterator[str]:
    """Each expression of a step's node that gave null: of its inputs as it began, of its ways on as it ended."""
    node = graph.by_id[step.row.node]
    begun = ExpressionReader(update_budget_forecast(graph, step.before))
    item: Mapping[str, Json] | None = None
    if isinstance(node, ToolNode | ParallelNode) and node.for_each:
        items = ensure_list(begun.value(node.for_each))
        if not items:
            yield f"for_each: {node.for_each}"
            return
        item = {"item": items[0], "index": 0}
    for place, expression in _iter_input_expressions(graph, node):
        if begun.value(expression, item) is None:
            yield f"{place}: {expression}"
    if step.after is not None:
        yield from _iter_null_routes(graph, node, step.after)


def _iter_input_expressions(graph: ResearchGraph, node: Node) -> Iterable[tuple[str, str]]:
    if isinstance(node, AgentNode | ToolNode | StateNode):
        yield from ((f"inputs.{name}", expression) for name, expression in node.inputs.items())
    for edge in graph.branches_from(node.id):
        yield from ((f"{edge.branch}.inputs.{name}", expression) for name, expression in edge.inputs.items())


def _iter_null_routes(graph: ResearchGraph, node: Node, after: Run) -> Iterator[str]:
    reading = ExpressionReader(after)
    if node.choose and reading.value(node.choose) is None:
        yield f"choose: {node.choose}"
    for edge in graph.routes_from(node.id):
        if not node.choose and isinstance(edge, ConditionalEdge) and reading.value(edge.when) is None:
            yield f"when: {edge.when}"
