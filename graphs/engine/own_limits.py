"""Applies a node's own limits to its call: what it may use, and how it failed if those limits were too low.

A call that its run cannot pay for ends the research, or waits for more budget. One that only its node cut short has
failed, and its graph may repair that; no top-up would help it.
"""

from elcano.graphs.engine.commands import CallAgent
from elcano.graphs.engine.run import Run
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.state.failures import Failure, FailureType


def set_call_allowance(call: CallAgent, graph: ResearchGraph, run: Run) -> CallAgent:
    """Set what `call` may use: what `run` has left, and no more than its node allows."""
    at_exit = call.node in graph.exit_nodes
    allowance = run.budget.allowance(at_exit=at_exit)
    node = graph.by_id[call.node]
    most = node.limits.tokens if isinstance(node, AgentNode) and node.limits is not None else None
    if most is None:
        return call.model_copy(update={"allowance": allowance})
    less = allowance.tokens is None or most < allowance.tokens
    return call.model_copy(
        update={
            "allowance": allowance.model_copy(update={"tokens": most}) if less else allowance,
            "estimate": call.estimate.model_copy(update={"tokens": min(call.estimate.tokens, most)}),
            "own_tokens": most if less and not at_exit else None,
        }
    )


def told_apart(call: CallAgent, failure: Failure) -> Failure:
    """`failure` of `call`; one of the run's budget is one of the node's limit, if that was what the call had."""
    if call.own_tokens is None or failure.exhausted != "tokens":
        return failure
    message = f"its own limit of {call.own_tokens:,} tokens does not suffice ({failure.message})"
    return failure.model_copy(update={"type": FailureType.LIMIT_REACHED, "message": message, "exhausted": None})
