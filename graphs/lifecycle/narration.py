"""Turns each command and each entry of a run into the events that people and programs see.

Pure, so that a run emits the same events in Temporal, in memory and when its log is replayed. The journal adds their
numbers and times.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from elcano.graphs.catalogue.agents import get_agent, get_called_agent
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.engine.approvals import describe_proposed_plan, describe_waiting_call, join_plan_titles
from elcano.graphs.engine.entries import (
    ApprovalExpired,
    ApprovalRequested,
    CallAgent,
    CallTool,
    Command,
    Controlled,
    Diverted,
    Entry,
    Held,
    HoldCleared,
    PlanProposed,
    RolledBack,
    RunBranches,
    RunResumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
    WarningAdded,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.steering import describe_questions, is_held_for_answers
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle.event_texts import (
    EventDraft,
    led_on,
    list_call_queries,
    of_branches,
    shorten_message,
    summarize_items,
    summarize_state_change,
    word_branches,
    work_of_agent,
    work_of_tool,
)
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, StateNode, ToolNode
from elcano.graphs.state.branches import BranchOutcomes, ReusedWork
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import Ending, FailureType, Hold
from elcano.graphs.tenants import insert_requester
from elcano.graphs.text import ensure_list, format_count, title_from_id


def narrate_run_start(question: str, mode: str) -> EventDraft:
    """The first event of every run."""
    return EventDraft("started", shorten_message(f"Research started: {question}"), data={"mode": mode})


def narrate_command(graph: ResearchGraph, command: Command) -> Iterable[EventDraft]:
    """Yield the events for the start of work; none for steps that take no time."""
    match command:
        case CallAgent():
            yield EventDraft(
                get_called_agent(command.agent, command.own).starts,
                shorten_message(work_of_agent(command)),
                command.node,
            )
        case CallTool():
            tool = TOOLS[command.tool]
            looked_for: list[Json] = [*list_call_queries(command)]
            yield EventDraft(tool.starts, shorten_message(work_of_tool(command)), command.node, {"queries": looked_for})
        case RunBranches():
            sections: list[Json] = [branch.title for branch in command.branches]
            node = graph.by_id[command.node]
            counted = format_count(len(sections), *word_branches(node))
            if isinstance(node, ParallelNode) and node.for_each == "plan":
                text = f"Researching {counted} side by side"
            else:
                text = f"{node.title}: {counted}"
            yield EventDraft("searching", text, command.node, {"sections": sections})


def narrate_entry(graph: ResearchGraph, earlier: Run, entry: Entry, run: Run) -> Iterable[EventDraft]:
    """Yield the events for `entry`, which has turned the run `earlier` into `run`."""
    match entry:
        case Diverted() | StepAbandoned():
            if entry.ending is not None:
                yield _narrate_pause(run, run.paused) if run.paused else _narrate_ending(run)
            return
        case PlanProposed():
            text = f"Waiting for plan approval: {join_plan_titles(run)}"
            yield EventDraft("plan_proposed", shorten_message(text), run.node, describe_proposed_plan(run))
            return
        case ApprovalRequested() | ApprovalExpired():
            kind, text, data = describe_waiting_call(
                run, entry.call.id if isinstance(entry, ApprovalRequested) else entry.call
            )
            yield EventDraft(kind, shorten_message(text), run.node, data)
            return
        case Held() | HoldCleared() | RolledBack() | RunResumed() | WarningAdded():
            yield from _narrate_hold_change(graph, earlier, entry)
            return
        case Controlled():
            kind, text, data = entry.action.describe(run)
            who: JsonObject = {"by": entry.by} if entry.by else {}
            yield EventDraft(kind, shorten_message(insert_requester(text, entry.by)), run.node, {**data, **who})
        case StepFailed():
            yield from _narrate_failure(graph, earlier, entry, run)
        case StepCompleted() if reason := _explain_refused_output(graph, earlier, entry, run):
            yield EventDraft("error", shorten_message(reason), entry.node)
        case StepCompleted():
            yield from _narrate_late_answer(graph, earlier, entry)
            yield from _narrate_completion(graph, earlier, entry, run)
            if is_held_for_answers(run):
                asked = " · ".join(one.question for one in run.state.questions)
                text = shorten_message(f"Waiting for answers: {asked}")
                yield EventDraft("questions_asked", text, entry.node, describe_questions(run))
    yield from _going_on(graph, earlier, run)


def _going_on(graph: ResearchGraph, earlier: Run, run: Run) -> Iterable[EventDraft]:
    """Describe where a run goes after a step, or that it does not."""
    if (way := led_on(graph, earlier, run)) is not None:
        yield EventDraft("routed", shorten_message(way[0]), earlier.node, way[1])
    if run.ending != earlier.ending and run.ending is not None:
        yield _narrate_ending(run)
    if run.paused is not None and run.hold is not earlier.hold:
        yield _narrate_pause(run, run.paused)
    if run.budget.iterations > earlier.budget.iterations:
        text = f"Iteration {run.budget.iterations} of at most {run.budget.limits.iterations}"
        yield EventDraft("looping", text, earlier.node)


def _explain_refused_output(graph: ResearchGraph, earlier: Run, entry: StepCompleted, run: Run) -> str | None:
    """Explain why a node's output was not applied; None if it was."""
    if run.failure is not None:
        return f"{graph.by_id[entry.node].title} failed: {run.failure.message}"
    for failure in run.state.failures:  # its edge `on_error` was taken
        if failure.node == entry.node:
            return f"{graph.by_id[entry.node].title} failed: {failure.message}"
    if run.state.outputs.get(entry.node) != entry.output:
        return f"{graph.by_id[entry.node].title} failed: its answer does not fit"
    ended = run.ending if run.ending != earlier.ending else None
    if ended is not None and isinstance(graph.by_id[entry.node], StateNode) and run.state is earlier.state:
        return ended.detail
    return None


def _narrate_failure(graph: ResearchGraph, earlier: Run, entry: StepFailed, run: Run) -> Iterable[EventDraft]:
    """Report a failure. For a call that could not be paid for, report only how the run continues: nothing is broken."""
    failure = entry.failure
    if failure.exhausted is None:
        data: JsonObject = {"type": failure.type, "attempts": failure.attempts}
        yield EventDraft(
            "error", shorten_message(f"{graph.by_id[entry.node].title} failed: {failure.message}"), entry.node, data
        )
    elif run.finished and run.ending == earlier.ending:
        yield _narrate_ending(run)


def _narrate_ending(run: Run) -> EventDraft:
    assert run.ending is not None
    where = "Writing stopped" if run.finished else "Going to the report now"
    text = f"{where}: {run.ending.detail or run.ending.kind}"
    return EventDraft("ending_early", shorten_message(text), run.node, {"reason": run.ending.kind})


def _narrate_pause(run: Run, ending: Ending) -> EventDraft:
    text = f"Paused until the run is topped up or stopped: {ending.detail or ending.kind}"
    return EventDraft("paused", shorten_message(text), run.node, {"reason": ending.kind})


def _narrate_hold_change(
    graph: ResearchGraph, run: Run, entry: Held | HoldCleared | RolledBack | RunResumed | WarningAdded
) -> Iterable[EventDraft]:
    """Report a hold or a rollback. A retried call is reported when it ends, a warning in the report.

    Calls that wait for approval, and the decisions on them, have events of their own.
    """
    hold = entry.hold if isinstance(entry, Held) else run.hold
    asks = hold is not None and hold.reason == "approval"
    match entry:
        case Held() if not asks:
            yield _narrate_hold(graph, entry.hold)
        case HoldCleared() if entry.over and not asks:
            yield EventDraft("hold_cleared", f"{graph.by_id[run.node].title}: continues", run.node)
        case RolledBack():
            place = (
                "after its last step" if run.finished else f"at step {run.step}, before {graph.by_id[run.node].title}"
            )
            text = f"Back {place}: everything after it, up to {entry.last_event}, is undone"
            yield EventDraft("rolled_back", text, run.node, {"step": run.step, "undone_to": entry.last_event})
        case RunResumed():
            yield _narrate_resumed_run(graph, run, entry)


def _narrate_resumed_run(graph: ResearchGraph, run: Run, entry: RunResumed) -> EventDraft:
    """Report that an ended or rolled-back run continues, or that another run begins with its steps."""
    kind: EventType
    match entry.why:
        case "rolled_back":
            kind, text = (
                "rolled_back",
                f"Back at step {run.step}, before {graph.by_id[run.node].title}: everything after it is undone",
            )
        case "resumed":
            kind, text = (
                "run_resumed",
                f"Resumed at step {run.step}, {graph.by_id[run.node].title}: {_in_words(entry.saved)} kept",
            )
        case "forked":
            kind = "forked"
            text = f"Forked from {entry.from_run}: {_in_words(entry.saved)} reused"
    who = f" (requested by {entry.by})" if entry.by else ""
    why = f": {entry.reason}" if entry.reason else ""
    kept: list[Json] = [*entry.kept]
    data: JsonObject = {
        "step": run.step,
        "undone_to": entry.last_event,
        "saved": entry.saved.model_dump(mode="json"),
        "kept": kept,
        "by": entry.by,
        "reason": entry.reason,
        "from_run": entry.from_run,
    }
    return EventDraft(kind, shorten_message(f"{text}{who}{why}"), run.node, data)


def _in_words(saved: ReusedWork) -> str:
    sections = f", {format_count(saved.sections, 'section')}" if saved.sections else ""
    return f"{format_count(saved.steps, 'step')}{sections} and {format_count(saved.tokens, 'token')}"


def _narrate_late_answer(graph: ResearchGraph, earlier: Run, entry: StepCompleted) -> Iterable[EventDraft]:
    """A call that had been held was answered, or searches are not waited for any longer.

    Branches report that of their own calls.
    """
    if earlier.tried is not None and isinstance(graph.by_id[entry.node], AgentNode | ToolNode):
        missing = _given_up(entry.output)
        how = f"continues without {', '.join(missing)}" if missing else "answered"
        text = f"{graph.by_id[entry.node].title}: {how} after {format_count(earlier.tried.all_tries, 'failed attempt')}"
        yield EventDraft("hold_cleared", shorten_message(text), entry.node)


def _given_up(output: Json) -> list[str]:
    """The sources that a step did without: that one cannot answer now is an error only once it is not waited for."""
    items = ensure_list(output.get("items")) if isinstance(output, dict) else []
    failed = (one for one in items if isinstance(one, dict) and one.get("error_type") == FailureType.PROVIDER)
    return _list_input_sources(one.get("input") for one in failed)


def _list_input_sources(inputs: Iterable[Json]) -> list[str]:
    """The sources of searches, each once."""
    return [*dict.fromkeys(str(one["source"]) for one in inputs if isinstance(one, dict) and "source" in one)]


_CANNOT_GO_ON: Final[Mapping[str, str]] = {
    "person": "a person has to fix this",
    "store": "its result cannot be stored",
}


def _narrate_hold(graph: ResearchGraph, hold: Hold) -> EventDraft:
    whom = _CANNOT_GO_ON.get(hold.reason, "the provider cannot answer")
    again = f", next try in {round(hold.seconds, 1):g} s" if hold.seconds else ""
    text = f"{graph.by_id[hold.node].title}: {whom}, try {hold.tries} failed{again}: {hold.detail}"
    return EventDraft("held", shorten_message(text), hold.node, hold.model_dump(mode="json", exclude={"ending"}))


def _narrate_completion(graph: ResearchGraph, earlier: Run, entry: StepCompleted, run: Run) -> Iterable[EventDraft]:
    node = graph.by_id[entry.node]
    tokens: JsonObject = {"tokens": entry.usage.tokens, "model": entry.model} if entry.model else {}
    match node:
        case AgentNode():
            agent = get_agent(graph, node.agent)
            text, data = _summarize_output(node.agent, agent.summary, entry.output)
            yield EventDraft(agent.completes, shorten_message(text), entry.node, {**data, **tokens})
        case ToolNode():
            own = _TOOLS.get(node.tool)
            if node.for_each is not None and own is None:
                text, data = summarize_items(title_from_id(node.tool), TOOLS[node.tool].summary, entry.output)
            else:
                text, data = _summarize_output(node.tool, own or TOOLS[node.tool].summary, entry.output)
            yield EventDraft(TOOLS[node.tool].completes, shorten_message(text), entry.node, data)
        case ParallelNode():
            text, data = of_branches(node, BranchOutcomes.model_validate(entry.output or {}))
            yield EventDraft("search_complete", text, entry.node, data)
        case StateNode():
            text, data = summarize_state_change(node, earlier.state, run.state)
            yield EventDraft("state_updated", text, entry.node, data)


def _summarize_output(
    callee: str, summarise: Callable[[JsonObject], tuple[str, JsonObject]] | None, output: Json
) -> tuple[str, JsonObject]:
    """An output in one sentence, and its figures."""
    values = output if isinstance(output, dict) else {}
    return summarise(values) if summarise else (f"{title_from_id(callee)}: done", {})


def _summarize_searches(output: JsonObject) -> tuple[str, JsonObject]:
    items = [item for item in ensure_list(output.get("items", [{"output": output}])) if isinstance(item, dict)]
    results = [item["output"] for item in items if isinstance(item.get("output"), dict)]
    found = sum(len(ensure_list(result.get("evidence"))) for result in results if isinstance(result, dict))
    failed = [item.get("input") for item in items if item.get("error")]
    sources = _list_input_sources(failed)
    text = f"{format_count(found, 'passage')} from {format_count(len(items), 'search', 'searches')}"
    text += f", {len(failed)} of them failed" if failed else ""
    text += f" ({', '.join(sources)})" if sources else ""
    counts: JsonObject = {"passages": found, "searches": len(items), "failed": len(failed)}
    counted = [result.get("refused") for result in results if isinstance(result, dict)]
    if refused := sum(count for count in counted if isinstance(count, int)):
        text += f"; {refused} refused by the asker's list"
        counts["refused"] = refused
    return text, counts


_TOOLS: Mapping[str, Callable[[JsonObject], tuple[str, JsonObject]]] = {
    "search": _summarize_searches,
    "search_related": _summarize_searches,
}
