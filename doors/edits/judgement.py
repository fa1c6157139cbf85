"""Judges a request to change a finished report by words, or to bring it up to date; each becomes a run of its own."""

from dataclasses import dataclass
from typing import Any, Final

from pydantic import Field

from elcano.doors.edits.editor import build_edit_graph
from elcano.doors.edits.updater import LOOKUPS, SEARCHES, build_update_graph
from elcano.graphs.checks.budget_limits import default_limits, find_budget_faults
from elcano.graphs.contracts import RunPriority
from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.finish import list_made_queries, list_searched_sources, list_searches
from elcano.graphs.lifecycle.handover import find_exit_draft
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.records import RunLog
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.run_contracts import FollowedRun, JournalPages, ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.state import MOST_TAKEN_OVER
from elcano.service.errors import Refusal
from elcano.service.fields import Request, Spoken
from elcano.service.process import Services
from elcano.service.reports.results import load_artifact
from elcano.service.resume.resume_and_rollback import Model, judge_run_models
from elcano.service.runs.follow_up import CannotFollow, load_followed_run
from elcano.service.runs.judgement import JudgedRun, Refusals, read_limits
from elcano.service.runs.model_checks import assign_model_queues, read_model_choice
from elcano.service.runs.run_log import read_log
from elcano.service.runs.run_request import MAX_INSTRUCTIONS, BudgetRequest
from elcano.service.runs.run_status import current_run

MOST_SEARCHES: Final = 40
"""Searches that an update makes again: what they find is in its state."""
MOST_LOOKUPS: Final = 100
"""Cited passages of collections that an update looks up by their titles: a search ranks, and may leave them out."""


class EditRefused(Refusal, kind="conflict", title="The report cannot be changed"):
    """A run has no report that can be changed by words; the text says why, and what would help."""


class ChangeBody(Request):
    """Changes to a report."""

    model: Model = Field(default=None, examples=["openai:gpt-5.1"])
    """Which models answer, as in the request for a run; left out: those of the run whose report it is."""
    budget: BudgetRequest | None = None
    """The limits of the new run."""
    priority: RunPriority = "interactive"
    """`batch` for requests without a waiting user."""


class EditBody(ChangeBody):
    """The changes that a report needs, in words."""

    instruction: Spoken = Field(
        max_length=MAX_INSTRUCTIONS, examples=["Shorter, for managers, with a table of doses, in German."]
    )
    """In your words: its length, readers, tone, form, language, what to add from its passages or to leave out."""


@dataclass(frozen=True)
class WrittenReport:
    """A report that can be changed, with what its run knew."""

    log: RunLog
    journal: Journal
    draft: str
    """Artifact hash of its draft."""
    report: str
    """Its own."""
    cited: frozenset[str]
    """The ids of the passages that it cites."""
    follows: FollowedRun
    began: float
    """When its run began, in seconds since the epoch; 0: it took over steps of other runs, so that is unknown."""


async def judge_edit(run_id: str, wanted: EditBody, own: str, services: Services) -> JudgedRun:
    """The run `own` that changes the report of `run_id`; raises what `_judge_change` does."""
    before = await load_written_report(run_id, services)
    graph = build_edit_graph(before.draft, before.report)
    return await _judge_change(before, graph, wanted, own, services, instructions=wanted.instruction)


async def judge_update(run_id: str, wanted: ChangeBody, own: str, services: Services) -> JudgedRun:
    """The run `own` that brings the report of `run_id` up to date; raises what `_judge_change` does.

    It makes the same searches in those of the run's sources that there still are; of very many, the first ones.
    """
    before = await load_written_report(run_id, services)
    state = before.journal.run.state
    known = services.sources
    sources = [
        name
        for name in list_searched_sources(before.log.asked, before.journal)
        if name in known.specs and name not in known.missing and name not in state.databases
    ]
    queries = list_made_queries(list_searches(state), state.sections)
    searches = [(source, query) for query in queries for source in sources][:MOST_SEARCHES]
    if not searches:
        raise EditRefused(f"nothing that the run {run_id!r} searched can be searched any more: ask its question anew")
    collections = {name for name in sources if known.specs[name].kind == "documents"}
    cited = (one for one in before.follows.evidence if one.id in before.cited and one.source in collections)
    lookups = list(dict.fromkeys((one.source, one.title) for one in cited))[:MOST_LOOKUPS]
    values: dict[str, Json] = {
        name: [{"source": source, "query": query} for source, query in made]
        for name, made in ((SEARCHES, searches), (LOOKUPS, lookups))
    }
    graph = build_update_graph(before.draft, before.report, len(before.follows.evidence), before.began)
    return await _judge_change(before, graph, wanted, own, services, sources=tuple(sources), values=values)


async def load_written_report(run_id: str, services: Services) -> WrittenReport:
    """The report of a run, and what it was written from.

    Raises:
        RunNotFound: there is no such run.
        EditRefused: it has no report that can be changed.
    """
    run = await current_run(run_id, services.temporal, services.store)
    if run.branch_of is not None:
        raise EditRefused(f"{run_id!r} is a section: change the report of its run, {run.branch_of.run_id!r}")
    if run.status == "running":
        raise EditRefused(f"the run {run_id!r} has not ended: wait for its report, or steer it")
    log = await read_log(run, services.temporal, services.store)
    pages = JournalPages(run=log.run, entries=log.entries, events=(), started_at=0.0)
    journal = Journal(log.asked.graph, pages)
    written = find_exit_draft(journal)
    if run.report is None or written is None:
        raise EditRefused(f"the run {run_id!r} ended without a written report ({run.status}): resume it, or ask anew")
    draft = ReportDraft.model_validate_json(await load_artifact(written.artifact, services.store))
    if draft.known or draft.attachments:
        raise EditRefused(
            "its numbers are proven by the cells of query results, which other words would lose: "
            f"ask a follow-up question instead (`previous_run`: {run_id!r}) with what you want in `instructions`"
        )
    if not draft.claims:
        raise EditRefused(
            "the report says nothing that could be changed: no passage that was found answers its question"
        )
    try:
        follows = await load_followed_run(
            run_id, log.asked.question, services.temporal, services.store, most=MOST_TAKEN_OVER
        )
    except CannotFollow as error:
        raise EditRefused(str(error)) from None
    cited = frozenset(one.evidence for claim in draft.claims for one in claim.citations)
    resumed = any(isinstance(one, RunResumed) for one in log.entries)
    began = 0.0 if resumed else run.started_at
    return WrittenReport(log, journal, written.artifact, run.report.artifact, cited, follows, began)


async def _judge_change(
    before: WrittenReport, graph: ResearchGraph, wanted: ChangeBody, own: str, services: Services, **asked: Any
) -> JudgedRun:
    """The run `own` of this graph, and with these fields of its own.

    Raises:
        RequestInvalid: models or limits cannot work; with all faults.
    """
    was, refused = before.log.asked, Refusals()
    limits = read_limits(wanted.budget or BudgetRequest(), default_limits(graph))
    refused.add("budget", find_budget_faults(graph, limits))
    run = ResearchInput(
        run_id=own,
        question=was.question,
        mode=graph.name,
        graph=graph,
        limits=limits,
        background=was.background,
        review=True,
        priority=wanted.priority,
        trust=was.trust,
        models=was.models if wanted.model is None else read_model_choice(wanted.model),
        call_seconds=services.settings.call_seconds,
        follows=before.follows.model_copy(update={"artifacts": (before.draft, before.report)}),
        tenant=services.tenant,
        **asked,
    )
    refused.faults += await judge_run_models(run, services, limits)
    refused.require_none()
    await services.temporal.check()  # an outage leaves nothing behind
    return JudgedRun(assign_model_queues(run, services.settings), "graph")
