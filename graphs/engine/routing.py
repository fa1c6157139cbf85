"""Which way a run leaves a node by, the same for nodes of every kind.

A node that did its work is left by the edge that its `choose` names, by the first whose condition holds, or by its
sequential edge; one that failed by the first edge `on_error` that takes the error, if there is one.
"""

import json
from typing import Final, Literal, NamedTuple

from elcano.graphs.engine.endings import find_incomplete_ending, find_sources_ending
from elcano.graphs.engine.inputs import ExpressionReader
from elcano.graphs.engine.run import Run, TakenEdge
from elcano.graphs.errors import EngineFault
from elcano.graphs.frozen import Json
from elcano.graphs.spec.graph import ConditionalEdge, ErrorEdge, ResearchGraph, Route, Way
from elcano.graphs.state.failures import Ending, Failure, NodeFailure

NAMED_CHARACTERS: Final = 100
"""Of what `choose` gave in vain, for people."""


class ChosenEdge(NamedTuple):
    """An edge, and why it is taken."""

    edge: Way
    by: Literal["choice", "condition", "default", "error"]
    named: str = ""

    def taken(self, step: int) -> TakenEdge:
        """As the run keeps it; `step` is the one that it leads to."""
        edge = self.edge
        return TakenEdge(
            step=step, from_node=edge.from_node, to_node=edge.to_node, by=self.by, label=edge.label, named=self.named
        )


def route_after_step(graph: ResearchGraph, run: Run, reading: ExpressionReader) -> ChosenEdge:
    """The way on from the node that the token is at, whether it did its work or failed."""
    return after_failure(graph, run) or route_after_success(graph, run, reading)


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


def after_failure(graph: ResearchGraph, run: Run) -> ChosenEdge | None:
    """The way that is declared for the failure of the node that the token is at; None if it has not failed."""
    failed = next((failure for failure in run.state.failures if failure.node == run.node), None)
    edge = error_edge(graph, run.node, failed.type) if failed else None
    return ChosenEdge(edge, "error") if edge else None


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
    return (
        run.ending
        if run.stopping is not None
        else run.ending or find_sources_ending(run) or find_incomplete_ending(graph, run)
    )


def in_words(failure: Failure | NodeFailure) -> str:
    """A failure in one sentence, for the head of a report."""
    return f"{failure.node} failed: {failure.message}"


def _match_chosen_route(routes: tuple[Route, ...], chosen: Json) -> ChosenEdge:
    for edge in routes:
        if edge.to_node == chosen:
            return ChosenEdge(edge, "choice")
    named = "" if chosen is None else json.dumps(chosen, ensure_ascii=False)
    return ChosenEdge(routes[-1], "default", named[:NAMED_CHARACTERS])
