"""From a node and the state to a command: what each agent, tool and branch is given, and what it may cost at most.

Inputs are built from the node's expressions and must fit the callee's input model; one that does not is a failure of
the node.
"""

from typing import Final

from graphs.branches import BranchInput
from graphs.budget import LEAST_TOKENS, Estimate, Limits
from graphs.catalogue import AGENTS, TOOLS, AgentSpec
from graphs.commands import BranchStart, CallAgent, CallTool, Command, Immediate, RunBranches, StepCompleted
from graphs.errors import InputInvalid
from graphs.frozen import Frozen, JsonObject
from graphs.reading import Reading, shown
from graphs.run import Run
from graphs.spec import AgentNode, Inputs, ParallelNode, ResearchGraph, ToolNode

MAX_ITEMS: Final = 200
"""Items of one `for_each`: each is an activity or a child workflow, and Temporal allows 2,000 pending ones."""
PROMPT_TOKENS: Final = 800
"""Instructions and output schema of one agent call, for estimates."""


def command(graph: ResearchGraph, run: Run, reading: Reading) -> Command:
    """What the node that `run` is at wants done; `reading` is that of its expressions.

    Raises:
        ValidationError: what its expressions gave does not fit the callee's input model.
        InputInvalid: its list is too long.
    """
    node = graph.by_id[run.node]
    match node:
        case AgentNode():
            agent = AGENTS[node.agent]
            agent_input = built(agent.input, node.inputs, reading)
            return CallAgent(
                step=run.step,
                node=node.id,
                agent=agent.name,
                input=agent_input,
                estimate=estimate(agent, agent_input, run),
                tries=run.hold.tries if run.hold else 0,
                progress=run.hold.progress if run.hold else {},
            )
        case ToolNode():
            tool = TOOLS[node.tool]
            items = _items(node.for_each, reading)
            inputs = tuple(built(tool.input, node.inputs, reading, item) for item in items)
            return CallTool(
                step=run.step, node=node.id, tool=tool.name, inputs=inputs, for_each=node.for_each is not None
            )
        case ParallelNode():
            branches = _branches(graph, node, run, reading)
            minimum = max((minimum_tokens(graph.branches[start.branch]) for start in branches), default=0)
            return RunBranches(step=run.step, node=node.id, branches=branches, minimum_tokens=minimum)
        case _:
            return Immediate(entry=StepCompleted(step=run.step, node=node.id, at=run.budget.elapsed))


def built(model: type[Frozen], inputs: Inputs, reading: Reading, item: JsonObject | None = None) -> JsonObject:
    """The input that a node's expressions make; null counts as not given, so that defaults hold."""
    values = {field: reading.value(expression, item) for field, expression in inputs.items()}
    given = {field: value for field, value in values.items() if value is not None}
    return model.model_validate(given).model_dump(mode="json")


def _items(for_each: str | None, reading: Reading) -> list[JsonObject]:
    """What expressions see beside the state, once for each item; without `for_each` once, and nothing."""
    if for_each is None:
        return [{}]
    items = reading.value(for_each)
    listed = items if isinstance(items, list) else [] if items is None else [items]
    if len(listed) > MAX_ITEMS:
        text = f"{shown(for_each)} gave {len(listed)} items; at most {MAX_ITEMS} can run at once"
        raise InputInvalid("for_each", text)
    return [{"item": item, "index": index} for index, item in enumerate(listed)]


def _branches(graph: ResearchGraph, node: ParallelNode, run: Run, reading: Reading) -> tuple[BranchStart, ...]:
    starts = [(edge, item) for item in _items(node.for_each, reading) for edge in graph.branches_from(node.id)]
    return tuple(
        BranchStart(
            index=index,
            parallel_path_id=f"{run.step:04d}.{edge.branch}" + (f"-{index + 1}" if node.for_each else ""),
            branch=edge.branch,
            input=BranchInput.model_validate(built(BranchInput, edge.inputs, reading, item)),
        )
        for index, (edge, item) in enumerate(starts)
    )


def needed(work: Command, limits: Limits) -> Estimate:
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


def minimum_tokens(branch: ResearchGraph) -> int:
    """What one visit of each agent of a branch may take: with less it cannot go round once and write."""
    called = [AGENTS[node.agent] for node in branch.nodes if isinstance(node, AgentNode)]
    return sum(PROMPT_TOKENS + agent.output_tokens for agent in called)


def estimate(agent: AgentSpec, agent_input: JsonObject, run: Run) -> Estimate:
    """Characters / 4 for what is sent, the agent's own figure for its answer, the run's average price for both."""
    evidence = sum(ref.characters for ref in run.state.evidence if ref.duplicate_of is None) // 4
    sent = sum(len(str(value)) for field, value in agent_input.items() if field != "evidence") // 4
    tokens = PROMPT_TOKENS + sent + min(evidence, agent.evidence_tokens) + agent.output_tokens
    used = run.budget.used
    price = used.cost_microusd / used.tokens if used.tokens else 0.0
    return Estimate(tokens=tokens, cost_microusd=int(price * tokens))
