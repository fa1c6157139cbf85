"""What the exit of a run takes for the state as it is now, so that so much can be kept for it.

The figures are those that estimates use: a prompt, what the state adds to it, the evidence as far as the agent is shown
it, an answer. An agent that writes section by section takes a call for each and one for what stands above them. What is
still to come can only be guessed at, so what is kept is reckoned anew at every step.
"""

from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.own_definition import get_agent
from elcano.graphs.engine.run import Run
from elcano.graphs.rules import AgentFigures, Rules
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.state.budget import Estimate, Limits, Usage
from elcano.graphs.state.plan import open_sections
from elcano.graphs.state.state import ResearchState


def record_exit_needs(graph: ResearchGraph, run: Run) -> Run:
    """`run`, its budget knowing what the nearest exit takes."""
    budget = run.budget.model_copy(update={"exit_needs": exit_needs(graph, run)})
    return run.model_copy(update={"budget": budget})


def exit_needs(graph: ResearchGraph, run: Run) -> Estimate:
    """What the exit that the run would go to from here takes; nothing if no agent is called there."""
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


def get_agent_figures(agent: AgentDefinition, figures: Rules) -> AgentFigures:
    """The figures of an agent by the rules of a run."""
    own = AgentFigures(output_tokens=agent.output_tokens, evidence_tokens=agent.evidence_tokens)
    return figures.agents.get(agent.name, own)


def evidence_room(agent: AgentDefinition, figures: Rules, limits: Limits) -> int:
    """Tokens that the passages may take which an agent is shown.

    Who writes a report from them is shown no more than a share of what the run may use, so that a section with little
    does not keep half of that for its writer; never less than that share or `least_writing_evidence` allows.
    """
    most = get_agent_figures(agent, figures).evidence_tokens
    if agent.manner != "report":
        return most
    return min(most, max(figures.least_writing_evidence, int(limits.tokens * figures.writing_evidence)))


def joining_tokens(
    agent: AgentDefinition, sections: int, figures: Rules, sent: int = 0, *, hidden: int = 0, passages: int = 0
) -> int:
    """What an agent takes that makes one report of so many sections.

    Args:
        agent: of the catalogue.
        sections: those that have a draft, or may have one.
        figures: the rules of the run.
        sent: tokens of what every prompt of it begins with: the question, what the reader wants.
        hidden: tokens that its model is taken to think unseen in each call.
        passages: tokens of the passages that each section is written in view of; with less it is written all the same.
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
    """Return the price of so many tokens in millionths of a dollar, at the average price of usage so far."""
    return used.cost_microusd * tokens // used.tokens if used.tokens else 0


def _count_sections_to_join(state: ResearchState) -> int:
    """Sections to join: those with a draft; before there are any those of the plan; before there is one, one."""
    if state.sections:
        return sum(section.draft is not None for section in state.sections)
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
