"""The graph as a step function: `next_command` says what to do, `advance` gives the run after it was done.

Pure and total: whoever has a clock and can call activities performs the commands and reports each by an entry. An entry
is applied whole or not at all, so a node that fails leaves the state as it was, and replaying entries 1..k rebuilds the
run at k. Every valid graph ends: each way back counts as an iteration, each node as a step, and both are limited.
"""

from typing import Final

from pydantic import ValidationError

from graphs.branches import BranchInput
from graphs.budget import Budget, Estimate, Limits
from graphs.catalogue import AGENTS, REDUCERS, TOOLS, AgentSpec
from graphs.commands import (
    BranchStart,
    CallAgent,
    CallTool,
    Command,
    Diverted,
    Entry,
    Finish,
    Immediate,
    RunBranches,
    StepCompleted,
    StepFailed,
)
from graphs.errors import EngineFault, InputInvalid
from graphs.expressions import evaluate, truth
from graphs.frozen import Frozen, Json, JsonObject
from graphs.spec import (
    AgentNode,
    ConditionalEdge,
    DecisionNode,
    EndKind,
    Inputs,
    ParallelNode,
    ResearchGraph,
    Route,
    StateNode,
    ToolNode,
)
from graphs.state import Ending, Failure, ResearchState

MAX_ITEMS: Final = 200
"""Items of one `for_each`: each is an activity or a child workflow, and Temporal allows 2,000 pending ones."""
PROMPT_TOKENS: Final = 800
"""Instructions and output schema of one agent call, for estimates."""
INPUT_INVALID: Final = InputInvalid.__name__


class Run(Frozen):
    """A run between two steps."""

    state: ResearchState
    budget: Budget
    node: str
    """Where the token is: the node that comes next."""
    ending: Ending | None = None
    """Set once the run is on its way out early."""
    failure: Failure | None = None
    """Set if the run cannot end well: its exit failed, or nothing can go on."""
    finished: bool = False

    @property
    def step(self) -> int:
        """The number of the step that comes next, from 1."""
        return self.budget.steps + 1


def start(graph: ResearchGraph, state: ResearchState, limits: Limits) -> Run:
    """A run before its first step; its first iteration has begun."""
    return Run(state=state, budget=Budget(limits=limits, iterations=1), node=graph.entry_node)


def view(run: Run) -> JsonObject:
    """What expressions see: every field of the state by its name, and `budget`."""
    return {**run.state.model_dump(mode="json"), "budget": run.budget.view()}


def next_command(graph: ResearchGraph, run: Run, elapsed: float) -> Command:
    """What to do next, `elapsed` seconds after the start."""
    if run.finished:
        return Finish()
    run = run.model_copy(update={"budget": run.budget.at(elapsed)})
    node = graph.by_id[run.node]
    command: Command
    try:
        command = _command(graph, run)
    except (ValidationError, InputInvalid) as error:  # a step too: not one that is left to the exit
        failure = _input_failure(node.id, error)
        command = Immediate(entry=StepFailed(step=run.step, node=node.id, at=elapsed, failure=failure))
    if run.node not in graph.exit_nodes and (refused := _refused(run.budget, command)):
        detail = f"the budget of {refused} does not allow another step ({node.id})"
        return Immediate(entry=Diverted(at=elapsed, ending=Ending(kind=refused, detail=detail)))
    return command


def _refused(budget: Budget, command: Command) -> EndKind | None:
    """Steps that need nobody cost nothing but themselves, so what was paid for is still folded into the state."""
    match command:
        case Immediate():
            return "steps" if budget.out_of_steps else None
        case CallAgent():
            return budget.refuses(command.estimate)
        case _:
            return budget.refuses(Estimate())


def advance(graph: ResearchGraph, run: Run, entry: Entry) -> Run:
    """The run after `entry`.

    Raises:
        EngineFault: the entry is of another step or node than the run is at.
    """
    if run.finished:
        raise EngineFault(f"the run has finished, so {entry!r} cannot be applied")
    run = run.model_copy(update={"budget": run.budget.at(entry.at)})
    if isinstance(entry, Diverted):
        return _leave(graph, run, entry.ending)
    if (entry.step, entry.node) != (run.step, run.node):
        raise EngineFault(f"step {run.step} is at {run.node!r}, not {entry.step} at {entry.node!r}")
    budget = run.budget.charge(entry.usage)
    run = run.model_copy(update={"budget": budget.model_copy(update={"steps": budget.steps + 1})})
    if isinstance(entry, StepFailed):
        return _fail(graph, run, entry.failure)
    try:
        state = _reduced(graph, run, entry)
    except (ValidationError, InputInvalid) as error:
        return _fail(graph, run, _input_failure(entry.node, error))
    run = run.model_copy(update={"state": state})
    if run.node in graph.exit_nodes:
        return run.model_copy(update={"finished": True})
    return _follow(graph, run, route(graph, run))


def route(graph: ResearchGraph, run: Run) -> Route:
    """The edge by which the token leaves the node that it is at."""
    routes = graph.routes_from(run.node)
    if len(routes) == 1:
        return routes[0]
    seen = view(run)
    node = graph.by_id[run.node]
    if isinstance(node, DecisionNode) and node.choose:
        chosen = evaluate(node.choose, seen)
        return next((edge for edge in routes if edge.to_node == chosen), routes[-1])
    for edge in routes:
        if not isinstance(edge, ConditionalEdge) or truth(edge.when, seen):
            return edge
    raise EngineFault(f"node {run.node!r} has no sequential edge; the graph was not validated")


def _command(graph: ResearchGraph, run: Run) -> Command:
    node = graph.by_id[run.node]
    match node:
        case AgentNode():
            agent = AGENTS[node.agent]
            agent_input = _input(agent.input, node.inputs, view(run))
            return CallAgent(
                step=run.step,
                node=node.id,
                agent=agent.name,
                input=agent_input,
                estimate=_estimate(agent, agent_input, run),
            )
        case ToolNode():
            tool = TOOLS[node.tool]
            views = _item_views(node.for_each, view(run))
            inputs = tuple(_input(tool.input, node.inputs, seen) for seen in views)
            return CallTool(
                step=run.step, node=node.id, tool=tool.name, inputs=inputs, for_each=node.for_each is not None
            )
        case ParallelNode():
            branches = _branches(graph, node, run)
            minimum = max((_minimum_tokens(graph.branches[start.branch]) for start in branches), default=0)
            return RunBranches(step=run.step, node=node.id, branches=branches, minimum_tokens=minimum)
        case _:
            return Immediate(entry=StepCompleted(step=run.step, node=node.id, at=run.budget.elapsed))


def _input(model: type[Frozen], inputs: Inputs, seen: JsonObject) -> JsonObject:
    """The input that a node's expressions make; null counts as not given, so that defaults hold."""
    values = {field: evaluate(expression, seen) for field, expression in inputs.items()}
    given = {field: value for field, value in values.items() if value is not None}
    return model.model_validate(given).model_dump(mode="json")


def _item_views(for_each: str | None, seen: JsonObject) -> list[JsonObject]:
    if for_each is None:
        return [seen]
    items = evaluate(for_each, seen)
    listed = items if isinstance(items, list) else [] if items is None else [items]
    if len(listed) > MAX_ITEMS:
        raise InputInvalid("for_each", f"{for_each!r} gave {len(listed)} items; at most {MAX_ITEMS} can run at once")
    return [{**seen, "item": item, "index": index} for index, item in enumerate(listed)]


def _branches(graph: ResearchGraph, node: ParallelNode, run: Run) -> tuple[BranchStart, ...]:
    views = _item_views(node.for_each, view(run))
    starts = [(edge, seen) for seen in views for edge in graph.branches_from(node.id)]
    return tuple(
        BranchStart(
            index=index,
            parallel_path_id=f"{run.step:04d}.{edge.branch}" + (f"-{index + 1}" if node.for_each else ""),
            branch=edge.branch,
            input=BranchInput.model_validate(_input(BranchInput, edge.inputs, seen)),
        )
        for index, (edge, seen) in enumerate(starts)
    )


def _minimum_tokens(branch: ResearchGraph) -> int:
    """What one visit of each agent of a branch may take: with less it cannot go round once and write."""
    called = [AGENTS[node.agent] for node in branch.nodes if isinstance(node, AgentNode)]
    return sum(PROMPT_TOKENS + agent.output_tokens for agent in called)


def _estimate(agent: AgentSpec, agent_input: JsonObject, run: Run) -> Estimate:
    """Characters / 4 for what is sent, the agent's own figure for its answer, the run's average price for both."""
    named = agent_input.get("evidence")
    ids = set(named) if isinstance(named, list) else set()
    evidence = sum(ref.characters for ref in run.state.evidence if ref.id in ids) // 4
    sent = sum(len(str(value)) for field, value in agent_input.items() if field != "evidence") // 4
    tokens = PROMPT_TOKENS + sent + min(evidence, agent.evidence_tokens) + agent.output_tokens
    used = run.budget.used
    price = used.cost_microusd / used.tokens if used.tokens else 0.0
    return Estimate(tokens=tokens, cost_microusd=int(price * tokens))


def _reduced(graph: ResearchGraph, run: Run, entry: StepCompleted) -> ResearchState:
    """The state with the node's output in it, and folded in by the node's reducer if it names one."""
    node = graph.by_id[run.node]
    state = run.state
    if isinstance(node, StateNode):
        reducer = REDUCERS[node.reducer]
        given = _input(reducer.input, node.inputs, view(run))
        return reducer.apply(state, reducer.input.model_validate(given))
    if isinstance(node, DecisionNode):
        return state
    state = state.model_copy(update={"outputs": {**state.outputs, node.id: entry.output}})
    if node.reducer is None:
        return state
    reducer = REDUCERS[node.reducer]
    return reducer.apply(state, reducer.input.model_validate(_for_reducer(node, entry)))


def _for_reducer(node: AgentNode | ToolNode | ParallelNode, entry: StepCompleted) -> Json:
    """Reducers of tool nodes always see a list of outcomes, so that one works with and without `for_each`."""
    if isinstance(node, ToolNode) and node.for_each is None:
        return {"items": [{"index": 0, "output": entry.output}]}
    return entry.output


def _follow(graph: ResearchGraph, run: Run, edge: Route) -> Run:
    if edge.loop:
        if run.budget.iterations >= run.budget.limits.iterations:
            detail = f"all {run.budget.limits.iterations} iterations were used"
            return _leave(graph, run, Ending(kind="iterations", detail=detail))
        iterations = run.budget.iterations + 1
        run = run.model_copy(
            update={
                "budget": run.budget.model_copy(update={"iterations": iterations}),
                "state": run.state.model_copy(update={"iteration": iterations}),
            }
        )
    ending = run.ending
    if isinstance(edge, ConditionalEdge) and edge.ending:
        ending = Ending(kind=edge.ending, detail=edge.label)
    return run.model_copy(update={"node": edge.to_node, "ending": ending})


def _fail(graph: ResearchGraph, run: Run, failure: Failure) -> Run:
    """A failed node sends the run to its exit; a failed exit, or a failure that would meet it too, ends the run."""
    if failure.fatal or run.node in graph.exit_nodes:
        return run.model_copy(update={"failure": failure, "finished": True})
    return _leave(graph, run, Ending(kind="node_failed", detail=f"{failure.node} failed: {failure.message}"))


def _leave(graph: ResearchGraph, run: Run, ending: Ending) -> Run:
    """On to the exit; a run that has to leave its exit is over, without a draft."""
    if run.node in graph.exit_nodes:
        return run.model_copy(update={"ending": run.ending or ending, "finished": True})
    return run.model_copy(update={"node": _nearest_exit(graph, run.node), "ending": ending})


def _nearest_exit(graph: ResearchGraph, node: str) -> str:
    """The first exit in the graph's order that can be reached from `node`; every valid graph has one."""
    reached, waiting = {node}, [node]
    while waiting:
        onward = {edge.to_node for edge in graph.routes_from(waiting.pop())} - reached
        reached |= onward
        waiting += sorted(onward)
    return next(exit_id for exit_id in graph.exit_nodes if exit_id in reached)


def _input_failure(node: str, error: ValidationError | InputInvalid) -> Failure:
    if isinstance(error, InputInvalid):
        return Failure(node=node, type=INPUT_INVALID, message=str(error))
    faults = (f"{'.'.join(map(str, fault['loc'])) or 'input'}: {fault['msg']}" for fault in error.errors())
    return Failure(node=node, type=INPUT_INVALID, message="; ".join(faults)[:2_000])
