"""How large a plan a budget can research, so that a report has fewer sections rather than sections of one search.

A section is taken to need what its searches bring, as far as its agents are shown it, and what calls took so far; as
long as nobody was called, what a strong reasoning model thinks. A plan is cut when it is stored, with what the call of
its planner has taught.
"""

from bisect import bisect_left
from math import ceil

from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.own_definition import get_agent
from elcano.graphs.engine.exits import (
    estimate_cost_microusd,
    evidence_room,
    get_agent_figures,
    joining_tokens,
    record_exit_needs,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.rules import Rules
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.spec.plan_fanouts import researches_plan
from elcano.graphs.state.budget import Budget, Estimate, Limits, SectionsAfforded


def update_budget_forecast(graph: ResearchGraph, run: Run) -> Run:
    """`run`, its budget knowing what the nearest exit takes, and how large a plan it affords."""
    run = record_exit_needs(graph, run)
    if (affords := estimate_affordable_sections(graph, run)) == run.budget.affords:
        return run
    return run.model_copy(update={"budget": run.budget.model_copy(update={"affords": affords})})


def estimate_affordable_sections(graph: ResearchGraph, run: Run) -> SectionsAfforded | None:
    """How many sections `run` can pay for; None if it has no plan before it, or waits for more budget instead."""
    figures, limits = run.figures, run.budget.limits
    if not figures.section_searches or run.state.sections or limits.when_exhausted == "pause":
        return None
    plan, agents = _find_plan_ahead(graph, run)
    if plan is None:
        return None
    hidden = run.experience.tokens_a_call if run.experience.calls else figures.hidden_tokens
    branches = [graph.branches[edge.branch] for edge in graph.branches_from(plan.id)]
    exit_node = graph.by_id[graph.nearest_exit(plan.id)]
    asked = len(run.state.sources)
    before = sum(call_tokens(agent, figures, limits, hidden) for agent in agents)

    def joining(sections: int) -> int:
        return _estimate_joining_tokens(graph, exit_node, sections, figures, hidden)

    def needed(sections: int) -> int:
        """What so many sections take; their writers are shown the less the more there are."""
        own = limits.model_copy(update={"tokens": limits.tokens // max(1, sections)})
        searches = figures.section_searches
        each = sum(section_tokens(branch, figures, own, searches, hidden, asked) for branch in branches)
        return before + sections * each

    counts = range(1, limits.sections + 1)
    most = bisect_left(
        counts, True, key=lambda count: needed(count) > _count_research_tokens_left(run.budget, joining(count))
    )
    each = needed(most + 1) - needed(most) + joining(most + 1) - joining(most)
    return SectionsAfforded(sections=most, tokens_each=max(0, each))


def section_tokens(
    branch: ResearchGraph, figures: Rules, limits: Limits, searches: int, hidden: int, sources: int | None = None
) -> int:
    """Return the tokens that a branch takes for so many searches, with its own `limits`.

    Of its tool nodes one is taken to search in each round, the others before. With so many `sources`, agents are shown
    no more than these searches bring; else all that they may be.
    """
    tools = sum(isinstance(node, ToolNode) for node in branch.nodes)
    brought = None if sources is None else searches * max(1, sources) * figures.search_tokens
    return loop_tokens(branch, figures, limits, max(1, searches - max(0, tools - 1)), hidden, brought)


def loop_tokens(
    graph: ResearchGraph, figures: Rules, limits: Limits, rounds: int, hidden: int, brought: int | None = None
) -> int:
    """Return the tokens of a graph for so many rounds: each agent once a round, and its exit once, from a reserve.

    `brought`: tokens of all passages that there are; None: as many as agents are shown.
    """
    research = writing = 0
    for node in graph.nodes:
        if isinstance(node, AgentNode):
            call = call_tokens(get_agent(graph, node.agent), figures, limits, hidden, brought)
            if node.id in graph.exit_nodes:
                writing = max(writing, call)
            else:
                research += rounds * call
    return max(research + writing, ceil(research / (1 - limits.reserve)))


def call_tokens(agent: AgentDefinition, figures: Rules, limits: Limits, hidden: int, brought: int | None = None) -> int:
    """Return the tokens that one call of an agent takes if it is shown everything that it may be."""
    shown = evidence_room(agent, figures, limits)
    shown = shown if brought is None else min(shown, brought)
    return figures.prompt_tokens + shown + get_agent_figures(agent, figures).output_tokens + hidden


def _find_plan_ahead(graph: ResearchGraph, run: Run) -> tuple[ParallelNode | None, list[AgentDefinition]]:
    """Where the plan is researched that a run comes to from here, and the agents that are called before that."""
    found, agents = None, []
    reached, waiting = {run.node}, [run.node]
    while waiting:
        node = graph.by_id[waiting.pop()]
        if isinstance(node, ParallelNode) and researches_plan(node):
            found = node
            continue
        if isinstance(node, AgentNode) and node.id not in graph.exit_nodes and node.id not in run.state.outputs:
            agents.append(get_agent(graph, node.agent))
        onward = {edge.to_node for edge in graph.routes_from(node.id)} - reached
        reached |= onward
        waiting += onward
    return found, agents


def _estimate_joining_tokens(graph: ResearchGraph, node: Node, sections: int, figures: Rules, hidden: int) -> int:
    if not isinstance(node, AgentNode) or not sections:
        return 0
    agent = get_agent(graph, node.agent)
    if not agent.joins:
        return figures.prompt_tokens + get_agent_figures(agent, figures).output_tokens + hidden
    return joining_tokens(agent, sections, figures, hidden=hidden, passages=figures.section_passages)


def _count_research_tokens_left(budget: Budget, joining: int) -> int:
    """Tokens for research if joining takes so many; by the price so far no more than the money pays for."""
    kept = budget.model_copy(
        update={"exit_needs": Estimate(tokens=joining, cost_microusd=estimate_cost_microusd(joining, budget.used))}
    )
    left = kept.allowance(at_exit=False)
    tokens = left.tokens or 0
    if left.cost_microusd is None or not budget.used.cost_microusd:
        return tokens
    return min(tokens, left.cost_microusd * budget.used.tokens // budget.used.cost_microusd)
