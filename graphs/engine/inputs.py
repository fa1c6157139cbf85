"""Builds a command from a node and the state: the inputs of each agent, tool and branch, and its maximum cost.

Inputs are built from the node's expressions and must fit the callee's input model; one that does not is a failure of
the node.
"""

from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.own_definition import get_agent
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.engine.commands import ApplyEntry, BranchStart, CallAgent, CallTool, Command, RunBranches
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.engine.exits import (
    estimate_cost_microusd,
    evidence_room,
    evidence_tokens,
    get_agent_figures,
    joining_tokens,
)
from elcano.graphs.engine.expression_reader import ExpressionReader, format_expression
from elcano.graphs.engine.own_limits import set_call_allowance
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.rules import Rules
from elcano.graphs.spec.graph import AgentNode, Inputs, ParallelEdge, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.spec.plan_fanouts import researches_plan
from elcano.graphs.state.branches import BranchInput
from elcano.graphs.state.budget import LEAST_TOKENS, Estimate, Limits


def build_command(graph: ResearchGraph, run: Run, reading: ExpressionReader) -> Command:
    """What the node that `run` is at wants done; `reading` is that of its expressions.

    Raises:
        ValidationError: what its expressions gave does not fit the callee's input model.
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
                tries=run.tried.tries if run.tried else 0,
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
    """What expressions see beside the state, once for each item; without `for_each` once, and nothing."""
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
    each = max(1, len(graph.branches_from(node.id)))
    dropped = {place for place, section in enumerate(run.state.plan) if section.left_out and researches_plan(node)}
    return tuple(
        BranchStart(
            index=index,
            parallel_path_id=f"{format_visit_id(run)}.{edge.branch}" + (f"-{index + 1}" if node.for_each else ""),
            branch=edge.branch,
            input=BranchInput.model_validate(build_node_input(BranchInput, edge.inputs, reading, item)),
        )
        for index, (edge, item) in enumerate(starts)
        if index // each not in dropped
    )


def format_visit_id(run: Run) -> str:
    """Names the visit of the node that the run is at: by its step, and by when the run was last taken back."""
    return f"{run.step:04d}" + (f"r{run.undone_to}" if run.undone_to else "")


def estimate_command_needs(work: Command, limits: Limits) -> Estimate:
    """What the budget has to allow before `work` begins.

    Of branches that is enough for one of them, for the plan can be cut; for all if the run waits for more budget
    rather than do less.
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
    called = [get_agent(graph, node.agent) for node in graph.nodes if isinstance(node, AgentNode) and node.id in usual]
    branches = [edge.branch for edge in graph.edges if isinstance(edge, ParallelEdge) and edge.from_node in usual]
    inner = sum(minimum_tokens(graph.branches[branch], figures) for branch in branches)
    return sum(one_visit(agent, figures) for agent in called) + inner


def one_visit(agent: AgentDefinition, figures: Rules, searches: int = 1) -> int:
    """Return the tokens of a call of `agent` with the results of so many searches; if it joins sections, with one."""
    if "sections" in agent.input.model_fields:
        return joining_tokens(agent, sections=1, figures=figures)
    own = get_agent_figures(agent, figures)
    return figures.prompt_tokens + min(searches * figures.search_tokens, own.evidence_tokens) + own.output_tokens


def estimate_agent_call(agent: AgentDefinition, agent_input: JsonObject, run: Run) -> Estimate:
    """Estimate what is sent as characters / 4, and the answer by the agent's figure and the excess of calls so far.

    The price of both is the run's average.
    """
    figures, own = run.figures, get_agent_figures(agent, run.figures)
    evidence = min(evidence_tokens(run.state, figures), evidence_room(agent, figures, run.budget.limits))
    answer = own.output_tokens + run.experience.tokens_a_call
    tokens = figures.prompt_tokens + sent_tokens(agent_input, figures) + evidence + answer
    return Estimate(tokens=tokens, cost_microusd=estimate_cost_microusd(tokens, run.budget.used))


def sent_tokens(agent_input: JsonObject, figures: Rules) -> int:
    """Return the most tokens that an agent gets beside passages and drafts: of a conversation it is shown a digest."""
    apart = {"evidence", "sections"}
    if not agent_input.get("criteria"):  # runs of before there were any have estimated without
        apart.add("criteria")
    told = (str(value) for field, value in agent_input.items() if field not in apart)
    return sum(map(len, told)) // figures.characters_per_token
