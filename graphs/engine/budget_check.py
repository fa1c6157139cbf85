"""The budget check before a call: what it is estimated to take, what it may use, and which limit forbids it.

A call that its run cannot pay for ends the research, or waits for more budget. One that only its node cut short has
failed, and its graph may repair that; no top-up would help it.
"""

from elcano.graphs.catalogue.agents import AgentSpec, get_agent
from elcano.graphs.engine.entries import ApplyEntry, CallAgent, Command, RunBranches
from elcano.graphs.engine.estimates import (
    estimate_cost_microusd,
    evidence_room,
    evidence_tokens,
    get_agent_figures,
    joining_tokens,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import JsonObject
from elcano.graphs.rules import Rules
from elcano.graphs.spec.graph import (
    AgentNode,
    EndKind,
    ParallelEdge,
    ResearchGraph,
)
from elcano.graphs.state.budget import LEAST_TOKENS, Budget, Estimate, Limits
from elcano.graphs.state.failures import Failure, FailureType


def estimate_command_needs(work: Command, limits: Limits) -> Estimate:
    """Return the part of the budget that `work` needs before it begins.

    For branches this is enough for one of them, since the plan can be cut; enough for all if the run waits for more
    budget rather than do less.
    """
    match work:
        case CallAgent():
            return work.estimate
        case RunBranches():
            count = len(work.branches) if limits.when_exhausted == "pause" else 1
            return Estimate(tokens=max(LEAST_TOKENS, work.minimum_tokens) * count)
        case _:
            return Estimate()


def minimum_tokens(graph: ResearchGraph, figures: Rules) -> int:
    """Return the tokens for one visit of each agent if no node fails; with less a graph cannot do a round and write."""
    usual = graph.without_failure
    asked = (node for node in graph.nodes if isinstance(node, AgentNode) and not node.spare and node.id in usual)
    called = [get_agent(graph, node.agent) for node in asked]
    branches = [edge.branch for edge in graph.edges if isinstance(edge, ParallelEdge) and edge.from_node in usual]
    inner = sum(minimum_tokens(graph.branches[branch], figures) for branch in branches)
    return sum(one_visit(agent, figures) for agent in called) + inner


def one_visit(agent: AgentSpec, figures: Rules) -> int:
    """Return the tokens of a call of `agent` with the results of one search; if it joins sections, with one."""
    if "sections" in agent.input.model_fields:
        return joining_tokens(agent, sections=1, figures=figures)
    own = get_agent_figures(agent, figures)
    return figures.prompt_tokens + min(figures.search_tokens, own.evidence_tokens) + own.output_tokens


def estimate_agent_call(agent: AgentSpec, agent_input: JsonObject, run: Run) -> Estimate:
    """Estimate the prompt as characters / 4, and the answer by the agent's figure and the excess of calls so far.

    The price of both is the run's average.
    """
    figures, own = run.figures, get_agent_figures(agent, run.figures)
    evidence = min(evidence_tokens(run.state, figures), evidence_room(agent, figures, run.budget.limits))
    answer = own.output_tokens + run.experience.tokens_a_call
    tokens = figures.prompt_tokens + sent_tokens(agent_input, figures) + evidence + answer
    return Estimate(tokens=tokens, cost_microusd=estimate_cost_microusd(tokens, run.budget.used))


def sent_tokens(agent_input: JsonObject, figures: Rules) -> int:
    """Return the most tokens that an agent gets besides passages and drafts: it sees a digest of the conversation."""
    told = (str(value) for field, value in agent_input.items() if field not in ("evidence", "sections"))
    return sum(map(len, told)) // figures.characters_per_token


def set_call_allowance(call: CallAgent, graph: ResearchGraph, run: Run) -> CallAgent:
    """Set the allowance of `call`: what `run` has left, and no more than its node allows."""
    at_exit = graph.is_closing(call.node)
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


def find_exhausted_limit(budget: Budget, command: Command) -> EndKind | None:
    """Return the limit that forbids a command. One that calls nothing only costs a step, so paid work is folded in."""
    match command:
        case ApplyEntry():
            return "steps" if budget.out_of_steps else None
        case _:
            return budget.refuses(estimate_command_needs(command, budget.limits))


def find_appendix_limit(budget: Budget, command: Command) -> EndKind | None:
    """Return the limit that forbids an appendix. Of tokens and money it may use all that the exit left."""
    if budget.elapsed >= budget.limits.seconds:
        return "time"
    if budget.steps >= budget.limits.steps:
        return "steps"
    return command.allowance.refuses(command.estimate) if isinstance(command, CallAgent) else None
