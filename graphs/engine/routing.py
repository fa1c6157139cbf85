"""Chooses the edge by which a run leaves a node, the same for nodes of every kind, and ends its research early.

A successful node is left by the edge that its `choose` names, by the first whose condition holds, or by its sequential
edge; a failed one by the first `on_error` edge that matches the error, if there is one.

The reasons that make a run partial are read from the state, so they survive a restart and a new history. A section is a
run of its own, so whatever would make that partial makes it incomplete; so do a gap and an unanswered section. If
nothing answers any of them, none is missing: the run is unanswered. A source that failed in every search says nothing
about the question, whatever the other sources answered. More budget is suggested only where it was short.
"""

import json
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final, Literal, NamedTuple

from elcano.graphs.engine.budget_check import section_tokens
from elcano.graphs.engine.inputs import ExpressionReader
from elcano.graphs.engine.run import Run, TakenEdge
from elcano.graphs.errors import EngineFault
from elcano.graphs.frozen import Json
from elcano.graphs.rules import Rules
from elcano.graphs.spec.graph import ConditionalEdge, EndKind, ErrorEdge, ResearchGraph, Route, Way, limits_of
from elcano.graphs.spec.limits import DATA_PATH
from elcano.graphs.spec.walks import researches_plan
from elcano.graphs.state.failures import Ending, Failure, FailureType, NodeFailure
from elcano.graphs.state.plan import SectionResult
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import format_count, shorten_text

BUDGET_ENDINGS: Final[frozenset[EndKind]] = frozenset({"time", "tokens", "cost", "iterations", "steps"})
"""Endings that more budget can put off."""

DIVIDED_ENDINGS: Final[frozenset[EndKind]] = frozenset({"tokens", "cost"})
"""The endings of budgets that branches divide among themselves; the others each branch has for itself."""


def out_of(budget: EndKind, node: str) -> Ending:
    """The ending of a run whose budget does not admit `node`."""
    return Ending(kind=budget, detail=f"the budget of {budget} does not allow another step ({node})")


def find_budget_ending(failure: Failure) -> Ending | None:
    """The ending of a run whose call could not be paid for; None if it failed for another reason."""
    return Ending(kind=failure.exhausted, detail=failure.message) if failure.exhausted else None


def broken_sources(state: ResearchState, figures: Rules) -> frozenset[str]:
    """Sources whose latest searches all failed, after all their retries; they are not asked again in this run."""
    failures: dict[str, int] = {}
    for turn in state.conversation:
        for call in turn.tool_calls:
            failures[call.source] = failures.get(call.source, 0) + 1 if call.error else 0
    return frozenset(source for source, count in failures.items() if count >= figures.breaker_failures)


NAMED: Final = 6
"""Maximum number of sections or sources that are named with why they ended or failed; the others are counted."""
REASON_CHARACTERS: Final = 160
STEP_TOKENS: Final = 5_000
"""Suggested budgets are rounded to this step, because they are estimates."""
_TOKENS: Final = frozenset({*DIVIDED_ENDINGS, FailureType.BUDGET})


def find_incomplete_ending(graph: ResearchGraph, run: Run) -> Ending | None:
    """Find the ending of a run that goes to its exit with these sections; None if all are complete."""
    sections = run.state.sections
    short = [section for section in sections if section.incomplete]
    if not short or all(section.unanswered and not section.ending for section in sections):
        return None
    reasons = [
        f"“{shorten_text(one.title, 80)}” ({shorten_text(_explain_section_gap(one), REASON_CHARACTERS)})"
        for one in short[:NAMED]
    ]
    if len(short) > NAMED:
        reasons.append(f"{len(short) - NAMED} more")
    summary = f"{len(short)} of {format_count(len(sections), 'section')}: {'; '.join(reasons)}"
    return Ending(kind="sections", detail=". ".join(filter(None, (summary, _suggest_budget_remedy(graph, run, short)))))


def _explain_section_gap(section: SectionResult) -> str:
    reason = section.gap.reason if section.gap is not None else section.ending
    return reason.rstrip(".") or "nothing that was found answers it"


def _suggest_budget_remedy(graph: ResearchGraph, run: Run, short: Sequence[SectionResult]) -> str:
    """Describe the effect of more budget, in a sentence; empty if there is none."""
    said = []
    if starved := [section for section in short if section.ended_by in _TOKENS]:
        twice = all(len(section.searches) < run.figures.section_searches for section in starved)
        what = "let each of them search twice" if twice else "pay for another round of searching in each of them"
        tokens = ceil(_estimate_lacking_tokens(graph, run, starved) / STEP_TOKENS) * STEP_TOKENS
        said.append(f"about {tokens:,} tokens more would {what}")
    ended = {section.ended_by for section in short}
    if "time" in ended:
        said.append("more time (`seconds`) would let sections that ran out of it continue")
    if FailureType.TIMEOUT in ended and (seconds := _path_seconds(graph)) is not None:
        said.append(f"more `path_seconds` than {seconds:g} would give slow databases longer to answer")
    if "iterations" in ended:
        said.append("more `iterations` would let sections that ran out of them continue")
    if "steps" in ended:
        said.append("more `steps` would let sections that ran out of them continue")
    text = "; ".join(said)
    return text[:1].upper() + text[1:]


def _path_seconds(graph: ResearchGraph) -> float | None:
    """Return the timeout of database calls in the built-in paths of a graph; None if it has none."""
    paths = (node for branch in graph.branches.values() if branch.name == DATA_PATH for node in branch.nodes)
    limits = (limits_of(node) for node in paths)
    return next((one.timeout_seconds for one in limits if one is not None), None)


def _estimate_lacking_tokens(graph: ResearchGraph, run: Run, starved: Iterable[SectionResult]) -> int:
    """Tokens that these sections lack: what two searches take less what they used, or else one round."""
    node = next((node for node in graph.nodes if researches_plan(node)), None)
    branches = [graph.branches[edge.branch] for edge in graph.branches_from(node.id)] if node is not None else []
    figures, limits = run.figures, run.budget.limits
    hidden, asked = run.experience.tokens_a_call, len(run.state.sources)

    def whole(searches: int) -> int:
        own = limits.model_copy(update={"tokens": limits.tokens // max(1, len(run.state.sections))})
        return max((section_tokens(branch, figures, own, searches, hidden, asked) for branch in branches), default=0)

    least = figures.section_searches
    one_round = max(0, whole(least + 1) - whole(least))
    lacking = sum(max(one_round, whole(least) - section.tokens) for section in starved)
    kept = run.budget.limits.reserve
    return int(lacking / (1 - kept))


def find_sources_ending(run: Run) -> Ending | None:
    """Find the ending of a run with a source that failed in every search; None if each searched one answered once."""
    calls = [call for turn in run.state.conversation for call in turn.tool_calls if not call.pending]
    searched = {call.source for call in calls if call.error is None}
    tried = {call.source: call.error for call in calls if call.source in run.state.sources}
    failed = {source: error for source, error in tried.items() if error is not None and source not in searched}
    if not failed:
        return None
    reasons = [f"{source} ({shorten_text(why, REASON_CHARACTERS).rstrip('.')})" for source, why in failed.items()]
    if len(reasons) > NAMED:
        reasons[NAMED:] = [f"{len(reasons) - NAMED} more"]
    summary = "no source could be searched"
    if searched:
        summary = f"{len(failed)} of {format_count(len(tried), 'source')} could not be searched"
    return Ending(kind="sources", detail=f"{summary}: {'; '.join(reasons)}")


NAMED_CHARACTERS: Final = 100
"""Maximum length of an invalid result of `choose`, as shown to people."""


class ChosenEdge(NamedTuple):
    """An edge, and why it is taken."""

    edge: Way
    by: Literal["choice", "condition", "default", "error"]
    named: str = ""

    def take(self, step: int) -> TakenEdge:
        """Return the edge as the run records it; `step` is the step that it leads to."""
        edge = self.edge
        return TakenEdge(
            step=step, from_node=edge.from_node, to_node=edge.to_node, by=self.by, label=edge.label, named=self.named
        )


def route_after_step(graph: ResearchGraph, run: Run, reading: ExpressionReader) -> ChosenEdge:
    """The way on from the node that the token is at: the one declared for its failure, or that after its work."""
    failed = next((failure for failure in run.state.failures if failure.node == run.node), None)
    edge = error_edge(graph, run.node, failed.type) if failed else None
    return ChosenEdge(edge, "error") if edge else route_after_success(graph, run, reading)


def route_after_success(graph: ResearchGraph, run: Run, reading: ExpressionReader) -> ChosenEdge:
    """The way by which the token leaves a node that did its work."""
    routes = graph.routes_from(run.node)
    if len(routes) == 1:
        return ChosenEdge(routes[0], "default")
    if choose := graph.by_id[run.node].choose:
        return _match_chosen_route(routes, reading.value(choose))
    for edge in routes:
        if not isinstance(edge, ConditionalEdge):
            return ChosenEdge(edge, "default")
        if reading.holds(edge.when):
            return ChosenEdge(edge, "condition")
    raise EngineFault(f"node {run.node!r} has no sequential edge; the graph was not validated")


def error_edge(graph: ResearchGraph, node: str, error: str) -> ErrorEdge | None:
    """The edge that takes this error of a node; None if none does."""
    return next((edge for edge in graph.error_edges_from(node) if not edge.types or error in edge.types), None)


def ending_of(graph: ResearchGraph, run: Run, edge: Way) -> Ending | None:
    """Why taking `edge` ends the research early; None if it does not."""
    failed = in_words(run.state.failures[-1]) if isinstance(edge, ErrorEdge) else ""
    if isinstance(edge, ConditionalEdge) and edge.ending:  # failing searches find nothing new, and that is no news
        return find_sources_ending(run) or Ending(kind=edge.ending, detail=edge.label)
    if edge.loop and run.budget.iterations >= run.budget.limits.iterations:
        used = f"all {run.budget.limits.iterations} iterations were used"
        return Ending(kind="iterations", detail="; ".join(filter(None, (used, failed))))
    if edge.to_node not in graph.exit_nodes:
        return None
    if failed:
        return Ending(kind="node_failed", detail=failed)
    return None if run.stopping is not None else find_sources_ending(run) or find_incomplete_ending(graph, run)


def in_words(failure: Failure | NodeFailure) -> str:
    """A failure in one sentence, for the head of a report."""
    return f"{failure.node} failed: {failure.message}"


def _match_chosen_route(routes: tuple[Route, ...], chosen: Json) -> ChosenEdge:
    for edge in routes:
        if edge.to_node == chosen:
            return ChosenEdge(edge, "choice")
    named = "" if chosen is None else json.dumps(chosen, ensure_ascii=False)
    return ChosenEdge(routes[-1], "default", named[:NAMED_CHARACTERS])
