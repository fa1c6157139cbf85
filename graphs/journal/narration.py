"""Turns each command and each entry of a run into the events that people and programs see.

Pure, so that a run tells the same story in Temporal, in memory and when its log is replayed. The journal numbers and
dates what is told here.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from elcano.graphs.catalogue.listing import TOOLS
from elcano.graphs.engine.approval import proposed, titles
from elcano.graphs.engine.call_approval import asking
from elcano.graphs.engine.commands import BranchStart, CallAgent, CallTool, Command, RunBranches
from elcano.graphs.engine.entries import (
    ApprovalAsked,
    ApprovalLapsed,
    Controlled,
    Diverted,
    Entry,
    Held,
    PlanProposed,
    Resumed,
    RolledBack,
    StepAbandoned,
    StepCompleted,
    StepFailed,
    TakenUp,
    Warned,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.journal.items import each, of_branches
from elcano.graphs.journal.phrases import agent_of, queries, work_of_agent, work_of_tool
from elcano.graphs.journal.ways import changed, led_on
from elcano.graphs.shortening import shortened
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, StateNode, ToolNode
from elcano.graphs.values.asker import named
from elcano.graphs.values.branch import BranchOutcome, BranchOutcomes
from elcano.graphs.values.events import EventType
from elcano.graphs.values.failures import FailureType
from elcano.graphs.values.state import Ending, Hold
from elcano.graphs.values.taking_up import Saved
from elcano.graphs.values.wording import counted, listed, title

MESSAGE_CHARACTERS = 500
"""Longer texts are cut in events; they are whole in the state."""


@dataclass(frozen=True)
class Told:
    """One event before it has a number."""

    type: EventType
    message: str
    node: str = ""
    data: JsonObject = field(default_factory=dict)
    path: str = ""
    """Set on an event about a branch: its `parallel_path_id`."""
    section: str = ""


def beginning(question: str, mode: str) -> Told:
    """The first event of every run."""
    return Told("started", _cut(f"Research started: {question}"), data={"mode": mode})


def before(command: Command) -> Iterable[Told]:
    """Yield the events for the start of work; none for steps that take no time."""
    match command:
        case CallAgent():
            yield Told(agent_of(command).starts, _cut(work_of_agent(command)), command.node)
        case CallTool():
            tool = TOOLS[command.tool]
            looked_for: list[Json] = [*queries(command)]
            yield Told(tool.starts, _cut(work_of_tool(command)), command.node, {"queries": looked_for})
        case RunBranches():
            sections: list[Json] = [branch.title for branch in command.branches]
            text = f"{title(command.node)}: {counted(len(sections), 'section')}"
            yield Told("searching", text, command.node, {"sections": sections})


def branch_started(node: str, branch: BranchStart, run_id: str) -> Told:
    """A branch begins; `run_id` is that of its child workflow, where its own events are."""
    data: JsonObject = {"run_id": run_id, "question": branch.input.question}
    return Told(
        "branch_started", _cut(f"{branch.title}: research begins"), node, data, branch.parallel_path_id, branch.title
    )


def branch_complete(node: str, outcome: BranchOutcome) -> Told:
    """Report that a branch ended, for any reason; this comes after all of the branch's own events."""
    data: JsonObject = {
        "status": outcome.status,
        "tokens": outcome.usage.tokens,
        "evidence": len(outcome.evidence),
        "iterations": outcome.iterations,
    }
    early = f" early, {outcome.ending}" if outcome.ending else ""
    if outcome.gap is not None:
        text = f"no section, {outcome.gap.reason}"
        data = {**data, "gap": outcome.gap.model_dump(mode="json")}
    elif outcome.unanswered:
        text = "no source answers it" + (f" (ended{early})" if early else "")
    elif outcome.draft is None:
        text = f"done{early}, {counted(len(outcome.evidence), 'passage')}"
    else:
        text = f"drafted{early}"
    return Told(
        "branch_complete", _cut(f"{outcome.title}: {text}"), node, data, outcome.parallel_path_id, outcome.title
    )


def branch_dropped(node: str, outcome: BranchOutcome) -> Told:
    """Report that a branch ended after it was dropped: its results are not used."""
    data: JsonObject = {
        "status": "left_out",
        "tokens": outcome.usage.tokens,
        "evidence": 0,
        "iterations": outcome.iterations,
    }
    text = f"{outcome.title}: left out at somebody's wish"
    return Told("branch_complete", _cut(text), node, data, outcome.parallel_path_id, outcome.title)


def plan_cut(node: str, afforded: int, planned: int) -> Told:
    """Not every branch fits into the budget."""
    text = f"The budget allows {afforded} of {planned} sections; the others are left out"
    return Told("ending_early", text, node, {"reason": "tokens", "afforded": afforded, "planned": planned})


def after(graph: ResearchGraph, earlier: Run, entry: Entry, run: Run) -> Iterable[Told]:
    """Yield the events for `entry`, which has turned the run `earlier` into `run`."""
    match entry:
        case Diverted() | StepAbandoned():
            if entry.ending is not None:
                yield _pause(run, run.paused) if run.paused else _ending(run)
            return
        case PlanProposed():
            text = f"Waiting for somebody to approve the plan: {titles(run)}"
            yield Told("plan_proposed", _cut(text), run.node, proposed(run))
            return
        case ApprovalAsked() | ApprovalLapsed():
            kind, text, data = asking(run, entry.call.id if isinstance(entry, ApprovalAsked) else entry.call)
            yield Told(kind, _cut(text), run.node, data)
            return
        case Held() | Resumed() | RolledBack() | TakenUp() | Warned():
            yield from _standing(earlier, entry)
            return
        case Controlled():
            kind, text, data = entry.action.told(run)
            who: JsonObject = {"by": entry.by} if entry.by else {}
            yield Told(kind, _cut(named(text, entry.by)), run.node, {**data, **who})
        case StepFailed():
            yield from _failed(earlier, entry, run)
        case StepCompleted() if reason := _refused(graph, earlier, entry, run):
            yield Told("error", _cut(reason), entry.node)
        case StepCompleted():
            yield from _answered(graph, earlier, entry)
            yield from _completed(graph, earlier, entry, run)
    yield from _going_on(graph, earlier, run)


def _going_on(graph: ResearchGraph, earlier: Run, run: Run) -> Iterable[Told]:
    """Where a run goes after a step, or that it does not."""
    if (way := led_on(graph, earlier, run)) is not None:
        yield Told("routed", _cut(way[0]), earlier.node, way[1])
    if run.ending != earlier.ending and run.ending is not None:
        yield _ending(run)
    if run.paused is not None and run.hold is not earlier.hold:
        yield _pause(run, run.paused)
    if run.budget.iterations > earlier.budget.iterations:
        yield looping(run, earlier.node)


def _refused(graph: ResearchGraph, earlier: Run, entry: StepCompleted, run: Run) -> str | None:
    """Explain why a node's output was not applied; None if it was."""
    if run.failure is not None:
        return f"{title(entry.node)} failed: {run.failure.message}"
    for failure in run.state.failures:  # its edge `on_error` was taken
        if failure.node == entry.node:
            return f"{title(entry.node)} failed: {failure.message}"
    if run.state.outputs.get(entry.node) != entry.output:
        return f"{title(entry.node)} failed: its answer does not fit"
    ended = run.ending if run.ending != earlier.ending else None
    if ended is not None and isinstance(graph.by_id[entry.node], StateNode) and run.state is earlier.state:
        return ended.detail
    return None


def _failed(earlier: Run, entry: StepFailed, run: Run) -> Iterable[Told]:
    """Report a failure. For a call that could not be paid for, report only how the run goes on: nothing is broken."""
    failure = entry.failure
    if failure.exhausted is None:
        data: JsonObject = {"type": failure.type, "attempts": failure.attempts}
        yield Told("error", _cut(f"{title(entry.node)} failed: {failure.message}"), entry.node, data)
    elif run.finished and run.ending == earlier.ending:
        yield _ending(run)


def looping(run: Run, node: str) -> Told:
    """The next turn of the loop begins."""
    return Told("looping", f"Iteration {run.budget.iterations} of at most {run.budget.limits.iterations}", node)


def _ending(run: Run) -> Told:
    assert run.ending is not None
    where = "The writing is given up" if run.finished else "Going to the report now"
    text = f"{where}: {run.ending.detail or run.ending.kind}"
    return Told("ending_early", _cut(text), run.node, {"reason": run.ending.kind})


def _pause(run: Run, ending: Ending) -> Told:
    text = f"Paused until somebody tops the budget up or stops the run: {ending.detail or ending.kind}"
    return Told("paused", _cut(text), run.node, {"reason": ending.kind})


def _standing(run: Run, entry: Held | Resumed | RolledBack | TakenUp | Warned) -> Iterable[Told]:
    """Report a hold or a rollback. A retried call is reported when it ends, a warning in the report.

    What waits for approval tells so itself, and what became of that.
    """
    hold = entry.hold if isinstance(entry, Held) else run.hold
    asks = hold is not None and hold.reason == "approval"
    match entry:
        case Held() if not asks:
            yield _held(entry.hold)
        case Resumed() if entry.over and not asks:
            yield Told("resumed", f"{title(run.node)}: goes on", run.node)
        case RolledBack():
            place = "after its last step" if run.finished else f"at step {run.step}, before {title(run.node)}"
            text = f"Back {place}: what came after, up to {entry.told}, is undone"
            yield Told("rolled_back", text, run.node, {"step": run.step, "undone_to": entry.told})
        case TakenUp():
            yield _taken_up(run, entry)


def _taken_up(run: Run, entry: TakenUp) -> Told:
    """A run goes on that had ended or was taken back, or another one begins with its steps."""
    kind: EventType
    match entry.why:
        case "rolled_back":
            kind, text = "rolled_back", f"Back at step {run.step}, before {title(run.node)}: what came after is undone"
        case "resumed":
            kind, text = "resumed_run", f"Goes on at step {run.step}, {title(run.node)}: {_in_words(entry.saved)} kept"
        case "forked":
            kind = "forked"
            text = f"Begins as {entry.from_run} did: {_in_words(entry.saved)} saved"
    who = f" (asked for by {entry.by})" if entry.by else ""
    why = f": {entry.reason}" if entry.reason else ""
    kept: list[Json] = [*entry.kept]
    data: JsonObject = {
        "step": run.step,
        "undone_to": entry.told,
        "saved": entry.saved.model_dump(mode="json"),
        "kept": kept,
        "by": entry.by,
        "reason": entry.reason,
        "from_run": entry.from_run,
    }
    return Told(kind, _cut(f"{text}{who}{why}"), run.node, data)


def _in_words(saved: Saved) -> str:
    sections = f", {counted(saved.sections, 'section')}" if saved.sections else ""
    return f"{counted(saved.steps, 'step')}{sections} and {counted(saved.tokens, 'token')}"


def _answered(graph: ResearchGraph, earlier: Run, entry: StepCompleted) -> Iterable[Told]:
    """A call that had been held was answered, or searches are not waited for any longer.

    Branches tell that of their own calls.
    """
    if earlier.tried is not None and isinstance(graph.by_id[entry.node], AgentNode | ToolNode):
        missing = _given_up(entry.output)
        how = f"goes on without {', '.join(missing)}" if missing else "answered"
        text = f"{title(entry.node)}: {how} after {counted(earlier.tried.tries, 'try', 'tries')} in vain"
        yield Told("resumed", _cut(text), entry.node)


def _given_up(output: Json) -> list[str]:
    """The sources that a step did without: that one cannot answer now is an error only once it is not waited for."""
    items = listed(output.get("items")) if isinstance(output, dict) else []
    failed = (one for one in items if isinstance(one, dict) and one.get("error_type") == FailureType.PROVIDER)
    return _sources(one.get("input") for one in failed)


def _sources(inputs: Iterable[Json]) -> list[str]:
    """The sources of searches, each once."""
    return [*dict.fromkeys(str(one["source"]) for one in inputs if isinstance(one, dict) and "source" in one)]


def _held(hold: Hold) -> Told:
    whom = "somebody has to mend this" if hold.reason == "person" else "the provider cannot answer"
    again = f", next try in {hold.seconds:g} s" if hold.seconds else ""
    text = f"{title(hold.node)}: {whom}, try {hold.tries} failed{again}: {hold.detail}"
    return Told("held", _cut(text), hold.node, hold.model_dump(mode="json", exclude={"ending"}))


def _completed(graph: ResearchGraph, earlier: Run, entry: StepCompleted, run: Run) -> Iterable[Told]:
    node = graph.by_id[entry.node]
    tokens: JsonObject = {"tokens": entry.usage.tokens, "model": entry.model} if entry.model else {}
    match node:
        case AgentNode():
            agent = graph.agent(node.agent)
            text, data = _summary(node.agent, agent.summary, entry.output)
            yield Told(agent.completes, _cut(text), entry.node, {**data, **tokens})
        case ToolNode():
            own = _TOOLS.get(node.tool)
            if node.for_each is not None and own is None:
                text, data = each(title(node.tool), TOOLS[node.tool].summary, entry.output)
            else:
                text, data = _summary(node.tool, own or TOOLS[node.tool].summary, entry.output)
            yield Told(TOOLS[node.tool].completes, _cut(text), entry.node, data)
        case ParallelNode():
            text, data = of_branches(BranchOutcomes.model_validate(entry.output or {}))
            yield Told("search_complete", text, entry.node, data)
        case StateNode():
            text, data = changed(node, earlier.state, run.state)
            yield Told("state_updated", text, entry.node, data)


def _summary(
    callee: str, summarise: Callable[[JsonObject], tuple[str, JsonObject]] | None, output: Json
) -> tuple[str, JsonObject]:
    """An output in one sentence, and its figures."""
    values = output if isinstance(output, dict) else {}
    return summarise(values) if summarise else (f"{title(callee)}: done", {})


def _search(output: JsonObject) -> tuple[str, JsonObject]:
    items = [item for item in listed(output.get("items", [{"output": output}])) if isinstance(item, dict)]
    results = [item["output"] for item in items if isinstance(item.get("output"), dict)]
    found = sum(len(listed(result.get("evidence"))) for result in results if isinstance(result, dict))
    failed = [item.get("input") for item in items if item.get("error")]
    sources = _sources(failed)
    text = f"{counted(found, 'passage')} from {counted(len(items), 'search', 'searches')}"
    text += f", {len(failed)} of them failed" if failed else ""
    text += f" ({', '.join(sources)})" if sources else ""
    return text, {"passages": found, "searches": len(items), "failed": len(failed)}


_TOOLS: Mapping[str, Callable[[JsonObject], tuple[str, JsonObject]]] = {"search": _search, "search_related": _search}


def _cut(text: str) -> str:
    return shortened(text, MESSAGE_CHARACTERS)
