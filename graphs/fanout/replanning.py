"""A visit whose plan is changed while its branches run: the same node with the branches that its run wants now."""

from elcano.graphs.engine.commands import RunBranches
from elcano.graphs.engine.inputs import ExpressionReader, build_command
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.steering import Steer
from elcano.graphs.errors import ElcanoError, EngineFault
from elcano.graphs.spec.graph import ResearchGraph


def visit_of(graph: ResearchGraph, run: Run) -> RunBranches:
    """The branches of the node that `run` is at.

    Raises:
        ValidationError: what its expressions gave does not fit a branch's input.
        InputInvalid: there are too many.
        EngineFault: the run is at another kind of node.
    """
    work = build_command(graph, run, ExpressionReader(run))
    if not isinstance(work, RunBranches):
        raise EngineFault(f"node {run.node!r} has no branches")
    return work


def explain_replan_refusal(graph: ResearchGraph, run: Run, action: Steer) -> str | None:
    """Why the branches under way cannot be changed so; None if they can."""
    try:
        visit_of(graph, action.applied(run))
    except (ElcanoError, ValueError) as error:
        return f"the graph {graph.name!r} has no branches for these sections: {error}"
    return None
