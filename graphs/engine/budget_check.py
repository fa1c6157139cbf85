"""The budget check before a call: what it is estimated to take, what it may use, and which limit forbids it.

A call that its run cannot pay for ends the research, or waits for more budget. One that only its node cut short has
failed, and its graph may repair that; no top-up would help it.

Estimated are calls, sections and the exit of a run, in tokens and money: a prompt, the parts of the state in it, the
evidence that the agent is shown, and an answer. An agent that writes section by section makes a call for each and one
for the summary. The estimate of a section is what its searches return and what calls used so far: a run learns from its
calls, each entry once, and uses the average, not the most expensive call, because one stray answer must not end a run.
Before the first call, the figure is a strong reasoning model's. A plan is cut when it is stored, so that a report has
fewer sections rather than sections of one search. The future can only be estimated, so the reserve is computed anew at
every step.
"""

from bisect import bisect_left
from math import ceil

from elcano.graphs.catalogue.agents import AgentSpec, get_agent
from elcano.graphs.engine.entries import ApplyEntry, CallAgent, Command, Entry, RunBranches, StepCompleted
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import JsonObject
from elcano.graphs.rules import AgentFigures, Rules
from elcano.graphs.spec.graph import (
    AgentNode,
    EndKind,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    ToolNode,
)
from elcano.graphs.spec.walks import researches_plan
from elcano.graphs.state.budget import LEAST_TOKENS, Budget, Estimate, Limits, SectionsAfforded, Usage
from elcano.graphs.state.failures import Failure, FailureType
from elcano.graphs.state.plan import open_sections
from elcano.graphs.state.state import ResearchState


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
    texts = (str(value) for field, value in agent_input.items() if field not in ("evidence", "sections"))
    return sum(map(len, texts)) // figures.characters_per_token


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


def blame_node_limit(call: CallAgent, failure: Failure) -> Failure:
    """`failure` of `call`; one of the run's budget is one of the node's limit, if that was what the call had."""
    if call.own_tokens is None or failure.exhausted != "tokens":
        return failure
    message = f"its own limit of {call.own_tokens:,} tokens does not suffice ({failure.message})"
    return failure.model_copy(update={"type": FailureType.LIMIT_REACHED, "message": message, "exhausted": None})


def find_exhausted_limit(budget: Budget, command: Command) -> EndKind | None:
    """Return the limit that forbids a command. One that calls nothing only costs a step, so paid work is folded in.

    For branches enough for one of them will do, since the plan can be cut; enough for all if the run waits for more
    budget rather than do less.
    """
    match command:
        case ApplyEntry():
            return "steps" if budget.out_of_steps else None
        case CallAgent():
            return budget.refuses(command.estimate)
        case RunBranches():
            count = len(command.branches) if budget.limits.when_exhausted == "pause" else 1
            return budget.refuses(Estimate(tokens=max(LEAST_TOKENS, command.minimum_tokens) * count))
        case _:
            return budget.refuses(Estimate())


def find_appendix_limit(budget: Budget, command: Command) -> EndKind | None:
    """Return the limit that forbids an appendix. Of tokens and money it may use all that the exit left."""
    if budget.elapsed >= budget.limits.seconds:
        return "time"
    if budget.steps >= budget.limits.steps:
        return "steps"
    return command.allowance.refuses(command.estimate) if isinstance(command, CallAgent) else None


def exit_needs(graph: ResearchGraph, run: Run) -> Estimate:
    """Return the needs of the exit that the run would go to from here; none if no agent is called there."""
    node = graph.by_id[graph.nearest_exit(run.node)]
    if not isinstance(node, AgentNode):
        return Estimate()
    agent, figures = get_agent(graph, node.agent), run.figures
    sent = _count_state_characters(run.state, tuple(node.inputs)) // figures.characters_per_token
    if "sections" in agent.input.model_fields:
        passages, hidden = figures.section_passages, run.experience.tokens_a_call
        tokens = joining_tokens(
            agent, _count_sections_to_join(run.state), figures, sent, hidden=hidden, passages=passages
        )
    else:
        shown = min(evidence_tokens(run.state, figures), evidence_room(agent, figures, run.budget.limits))
        own = get_agent_figures(agent, figures)
        tokens = figures.prompt_tokens + sent + shown + own.output_tokens + run.experience.tokens_a_call
    if node.limits is not None and node.limits.tokens is not None:
        tokens = min(tokens, node.limits.tokens)
    return Estimate(tokens=tokens, cost_microusd=estimate_cost_microusd(tokens, run.budget.used))


def get_agent_figures(agent: AgentSpec, figures: Rules) -> AgentFigures:
    """The figures of an agent by the rules of a run."""
    own = AgentFigures(output_tokens=agent.output_tokens, evidence_tokens=agent.evidence_tokens)
    return figures.agents.get(agent.name, own)


def evidence_room(agent: AgentSpec, figures: Rules, limits: Limits) -> int:
    """Tokens that the passages may take which an agent is shown.

    Who writes a report from them is shown no more than a share of what the run may use, so that a section with little
    does not keep half of that for its writer; never less than that share or `least_writing_evidence` allows.
    """
    most = get_agent_figures(agent, figures).evidence_tokens
    if agent.manner != "report":
        return most
    return min(most, max(figures.least_writing_evidence, int(limits.tokens * figures.writing_evidence)))


def joining_tokens(
    agent: AgentSpec, sections: int, figures: Rules, sent: int = 0, *, hidden: int = 0, passages: int = 0
) -> int:
    """Return the tokens that an agent needs to join a number of sections into one report.

    Args:
        agent: an agent of the catalogue.
        sections: the sections that have a draft, or may have one.
        figures: the rules of the run.
        sent: tokens at the beginning of each of its prompts: the question, the user's wishes.
        hidden: hidden reasoning tokens assumed in each call.
        passages: tokens of the passages shown for each section; it can be written with fewer.
    """
    one, own = figures.section_tokens, get_agent_figures(agent, figures)
    prompt = figures.prompt_tokens + sent
    drafts = sections * one
    if not agent.by_section:
        return prompt + min(drafts, own.evidence_tokens) + own.output_tokens + hidden
    so_far = sum(min(number * one, figures.so_far_tokens) for number in range(sections))
    each = prompt + one + passages + one
    summary = prompt + min(drafts, figures.summary_tokens) + figures.summary_answer_tokens
    return sections * (each + hidden) + so_far + summary + hidden


def evidence_tokens(state: ResearchState, figures: Rules) -> int:
    """All passages that agents are shown, whole."""
    characters = sum(ref.characters for ref in state.evidence if ref.duplicate_of is None)
    return characters // figures.characters_per_token


def estimate_cost_microusd(tokens: int, used: Usage) -> int:
    """Return the price of tokens in millionths of a dollar, at the average price of usage so far."""
    return used.cost_microusd * tokens // used.tokens if used.tokens else 0


def _count_sections_to_join(state: ResearchState) -> int:
    """Sections to join: those with a draft or passages; before there are any those of the plan; before that one."""
    if state.sections:
        return sum(section.to_write for section in state.sections)
    return max(1, len(open_sections(state.plan)))


def _count_state_characters(state: ResearchState, inputs: tuple[str, ...]) -> int:
    """Count the characters that the state's own text adds to a prompt, of the inputs that the exit gets."""
    words = sum(len(getattr(state, name)) for name in ("question", "background", "instructions") if name in inputs)
    if "guidance" in inputs:
        words += sum(map(len, state.guidance))
    if "conversation" not in inputs:
        return words
    return words + sum(
        len(turn.thought) + len(turn.gap) + len(turn.judgement) + sum(len(call.query) for call in turn.tool_calls)
        for turn in state.conversation
    )


def update_budget_forecast(graph: ResearchGraph, run: Run) -> Run:
    """`run`, its budget knowing what the nearest exit takes, and how large a plan it affords."""
    budget = run.budget.model_copy(update={"exit_needs": exit_needs(graph, run)})
    run = run.model_copy(update={"budget": budget})
    if (affords := estimate_affordable_sections(graph, run)) == run.budget.affords:
        return run
    return run.model_copy(update={"budget": run.budget.model_copy(update={"affords": affords})})


def estimate_affordable_sections(graph: ResearchGraph, run: Run) -> SectionsAfforded | None:
    """Estimate how many sections `run` can pay for; None if no plan is to come, or it waits for more budget."""
    figures, limits = run.figures, run.budget.limits
    if not graph.branches or run.state.sections or limits.when_exhausted == "pause":
        return None
    plan, agents = _find_plan_ahead(graph, run)
    if plan is None:
        return None
    hidden = run.experience.tokens_a_call if run.experience.calls else figures.hidden_tokens
    branches = [graph.branches[edge.branch] for edge in graph.branches_from(plan.id)]
    exit_node = graph.by_id[graph.nearest_exit(plan.id)]
    joiner = get_agent(graph, exit_node.agent) if isinstance(exit_node, AgentNode) else None
    asked = len(run.state.sources)
    before = sum(call_tokens(agent, figures, limits, hidden) for agent in agents)

    def joining(sections: int) -> int:
        if joiner is None or not sections:
            return 0
        if not joiner.joins:
            return figures.prompt_tokens + get_agent_figures(joiner, figures).output_tokens + hidden
        return joining_tokens(joiner, sections, figures, hidden=hidden, passages=figures.section_passages)

    def needed(sections: int) -> int:
        """Return the needs of a number of sections; the more there are, the less their writers are shown."""
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
    """Return the tokens that a branch needs for a number of searches, with its own `limits`.

    One of its tool nodes is assumed to search in each round, the others before. With a number of `sources`, agents are
    shown no more than these searches return; otherwise all that they may be shown.
    """
    tools = sum(isinstance(node, ToolNode) for node in branch.nodes)
    brought = None if sources is None else searches * max(1, sources) * figures.search_tokens
    return loop_tokens(branch, figures, limits, max(1, searches - max(0, tools - 1)), hidden, brought)


def loop_tokens(
    graph: ResearchGraph, figures: Rules, limits: Limits, rounds: int, hidden: int, brought: int | None = None
) -> int:
    """Return the tokens of a graph for a number of rounds: each agent once a round, and its exit once, from a reserve.

    `brought`: tokens of all available passages; None: as many as agents are shown.
    """
    research = writing = 0
    for node in graph.nodes:
        if isinstance(node, AgentNode) and not node.spare:
            call = call_tokens(get_agent(graph, node.agent), figures, limits, hidden, brought)
            if node.id in graph.exit_nodes:
                writing = max(writing, call)
            else:
                research += rounds * call
    return max(research + writing, ceil(research / (1 - limits.reserve)))


def call_tokens(agent: AgentSpec, figures: Rules, limits: Limits, hidden: int, brought: int | None = None) -> int:
    """Return the tokens that one call of an agent takes if it is shown everything that it may be."""
    shown = evidence_room(agent, figures, limits)
    shown = shown if brought is None else min(shown, brought)
    return figures.prompt_tokens + shown + get_agent_figures(agent, figures).output_tokens + hidden


def _find_plan_ahead(graph: ResearchGraph, run: Run) -> tuple[ParallelNode | None, list[AgentSpec]]:
    """Return the node that researches the plan on the way from here, and the agents that are called before it."""
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


def _count_research_tokens_left(budget: Budget, joining: int) -> int:
    """Count the tokens left for research after joining; at the price so far, no more than the money pays for."""
    kept = budget.model_copy(
        update={"exit_needs": Estimate(tokens=joining, cost_microusd=estimate_cost_microusd(joining, budget.used))}
    )
    left = kept.allowance(at_exit=False)
    tokens = left.tokens or 0
    if left.cost_microusd is None or not budget.used.cost_microusd:
        return tokens
    return min(tokens, left.cost_microusd * budget.used.tokens // budget.used.cost_microusd)


def learn_from_entry(graph: ResearchGraph, run: Run, entry: Entry) -> Run:
    """Learn from `entry`. Agents that write by section are skipped: they make several calls, and none follows them."""
    if not isinstance(entry, StepCompleted):
        return run
    node = graph.by_id[entry.node]
    if not isinstance(node, AgentNode) or (agent := get_agent(graph, node.agent)).by_section:
        return run
    learnt = run.experience.with_call(entry.usage, get_agent_figures(agent, run.figures).output_tokens)
    return run.model_copy(update={"experience": learnt})
