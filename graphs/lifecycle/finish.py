"""The output of a run that has walked its graph: for the publisher, for the archive and for watchers.

Pure: it reads a journal and calls nothing.
"""

from collections.abc import Iterable

from pydantic import ValidationError

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.contracts import REPORTED, Engine, PublishCall, RunStatus
from elcano.graphs.engine.entries import Controlled, StepCompleted
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.steering import Steer
from elcano.graphs.lifecycle.event_texts import EventDraft
from elcano.graphs.lifecycle.handover import build_handover, find_exit_draft
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.records import ArchivedRun, RunLog, build_accepted_run
from elcano.graphs.run_contracts import Handover, ResearchInput, ResearchResult
from elcano.graphs.spec.graph import MISSING, AgentNode, ResearchGraph, ToolNode
from elcano.graphs.state.branches import branch_states
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import Cancellation, Failure
from elcano.graphs.state.plan import SectionResult
from elcano.graphs.state.rubric import RubricScores
from elcano.graphs.state.state import ReportRef, ResearchState, ToolCallRecord
from elcano.graphs.text import format_count


def build_research_result(
    asked: ResearchInput, journal: Journal, failure: Failure | None, report: ReportRef | None
) -> ResearchResult:
    """Return the result of the workflow: its figures, and for a branch what it hands over."""
    run = journal.run
    handed = build_handover(journal, failure) if asked.branch_of else Handover()
    return ResearchResult.from_record(
        handed,
        run_id=asked.run_id,
        report=report,
        ending=run.ending,
        usage=run.budget.used,
        iterations=run.budget.iterations,
        steps=run.budget.steps,
        searches=list_made_queries(list_searches(run.state), run.state.sections) if asked.branch_of else (),
        warnings=(*run.state.warnings, *handed.warnings) if asked.branch_of else (),
        failure=failure,
    )


def list_searches(state: ResearchState) -> tuple[ToolCallRecord, ...]:
    """Every search of a run itself."""
    return tuple(call for turn in state.conversation for call in turn.tool_calls)


def list_made_queries(searches: Iterable[ToolCallRecord], sections: Iterable[SectionResult]) -> tuple[str, ...]:
    """Every query that was made, those of a run itself and of its sections, once."""
    own = (call.query for call in searches)
    of_sections = (query for section in sections for query in section.searches)
    return tuple(dict.fromkeys((*own, *of_sections)))


def list_searched_sources(asked: ResearchInput, journal: Journal) -> tuple[str, ...]:
    """Return the sources that a report names as searched: the final ones, and dropped ones with findings."""
    state = journal.run.state
    steered = (entry.action for entry in journal.entries if isinstance(entry, Controlled))
    added = (name for action in steered if isinstance(action, Steer) for name in action.add_sources)
    kept = {*state.sources, *(ref.source for ref in state.evidence)}
    return tuple(name for name in dict.fromkeys((*asked.sources, *added)) if name in kept)


def publish_call(asked: ResearchInput, journal: Journal) -> PublishCall:
    """Build the call that makes the report; without a draft if no writer finished."""
    run = journal.run
    state = run.state
    written = find_exit_draft(journal)
    written_by = (entry.model for entry in journal.entries if isinstance(entry, StepCompleted) and entry.model)
    return PublishCall.from_record(
        asked,
        draft=written.artifact if written else None,
        evidence=tuple(ref.id for ref in state.evidence),
        ending=run.ending,
        failure=run.failure,
        models=tuple(dict.fromkeys(written_by)),
        sources=list_searched_sources(asked, journal),
        iterations=run.budget.iterations,
        usage=run.budget.used,
        sections=state.sections,
        warnings=state.warnings,
        records=list_searches(state),
        kept=state.distinct_evidence,
        choice=state.choice,
        follows=asked.follows.run_id if asked.follows else "",
        follows_question=asked.follows.question if asked.follows else "",
        scored=last_scored(journal),
        appended=state.outputs.get(journal.graph.appendix) if journal.graph.appendix else None,
        attachments=list_attachments(journal.graph, state),
        searchable=state.sources,
        trust=asked.trust,
    )


def last_scored(journal: Journal) -> RubricScores | None:
    """Return the scores of the run's last judge by a rubric; None if there are none or they are invalid."""
    agents = {node.id: node.agent for node in journal.graph.nodes if isinstance(node, AgentNode)}
    for entry in reversed(journal.entries):
        agent = AGENTS.get(agents.get(entry.node, "")) if isinstance(entry, StepCompleted) else None
        if isinstance(entry, StepCompleted) and agent is not None and agent.scored is not None:
            try:
                return agent.scored(entry.output) if isinstance(entry.output, dict) else None
            except ValidationError:  # a run has to end whatever its log holds
                return None
    return None


def list_attachments(graph: ResearchGraph, state: ResearchState) -> dict[str, str]:
    """Artifact hashes of what tools attach to the report, by name: of each tool what its last node gave."""
    found: dict[str, str] = {}
    for node in graph.nodes:
        if not isinstance(node, ToolNode) or node.for_each or node.tool not in TOOLS:
            continue
        name, output = TOOLS[node.tool].attaches, state.outputs.get(node.id)
        key = output.get("artifact") if isinstance(output, dict) else None
        if name and isinstance(key, str) and key:
            found[name] = key
    return found


def report_ready(report: ReportRef) -> EventDraft:
    """The event with the place of the report and the result of its check."""
    references, verified = format_count(report.references, "reference"), format_count(report.verified, "citation")
    text = f"Report: {report.title} ({references}, {verified} verified"
    text += f", {report.unverified} not verified)" if report.unverified else ")"
    return EventDraft("report_ready", text, data=report.model_dump(mode="json"))


def status_of(journal: Journal, failure: Failure | None, report: ReportRef | None, *, cancelled: bool) -> RunStatus:
    """Return the final status of a run; a branch, which has no report, is judged by what it hands over."""
    if cancelled:
        return "cancelled"
    if failure is not None:
        return "failed"
    ending = journal.run.ending
    if ending is not None:
        return "stopped" if ending.kind == "stopped" else "partial"
    answered = report.answered if report else not build_handover(journal, failure).unanswered
    return "completed" if answered else "unanswered"


def terminal_type(status: RunStatus) -> EventType:
    """The type of the last event of a run that ended so."""
    return "complete" if status in REPORTED else "failed" if status == "failed" else "cancelled"


def last_event(
    status: RunStatus,
    run: Run,
    failure: Failure | None,
    report: ReportRef | None,
    cancellation: Cancellation | None = None,
) -> EventDraft:
    """The terminal event. A run emits exactly one, as its last."""
    cancelled = cancellation or Cancellation()
    if failure is not None:
        text = f"The run failed at {failure.node}: {failure.message}"
    elif status == "cancelled":
        text = cancelled.final_text
    elif run.ending is not None:
        how = "Done, but incomplete" if run.ending.kind in MISSING else "Done early"
        text = f"{how}: {run.ending.detail or run.ending.kind}"
    else:
        text = "Done"
    return EventDraft(
        terminal_type(status),
        text,
        run.node,
        {
            "status": status,
            "report": report.model_dump(mode="json") if report else None,
            "partial": run.ending.kind if run.ending else None,
            "tokens": run.budget.used.tokens,
            "cost_microusd": run.budget.used.cost_microusd,
            "evidence": len(run.state.evidence),
            **cancelled.model_dump(exclude_defaults=True),
        },
    )


def build_run_log(asked: ResearchInput, journal: Journal) -> RunLog:
    """Return the complete log of a run, from its input to its current state."""
    began = asked.model_copy(update={"carried": None, "resumed_from": None})
    return RunLog(asked=began, entries=tuple(journal.entries), run=journal.run)


def build_archived_run(
    asked: ResearchInput,
    journal: Journal,
    status: RunStatus,
    failure: Failure | None,
    report: ReportRef | None,
    now: float,
    engine: Engine,
    execution: str,
) -> ArchivedRun:
    """The run as it is kept; `execution` is Temporal's id of the execution that ends."""
    run = journal.run
    return build_accepted_run(asked, engine, journal.started_at).model_copy(
        update={
            "execution": execution,
            "status": status,
            "finished_at": now,
            "ending": run.ending,
            "failure": failure,
            "report": report,
            "budget": run.budget.at(journal.elapsed(now)).view(),
            "iterations": run.budget.iterations,
            "steps": run.budget.steps,
            "sources": run.state.sources,
            "evidence": tuple(ref.id for ref in run.state.evidence),
            "branches": branch_states(journal.events),
            "ledger": run.state.ledger,
            "choice": run.state.choice,
            "domain": run.state.domain,
        }
    )
