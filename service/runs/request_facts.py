"""Gathers the facts on which the judgement of a request for a run depends, each once, and has it judged.

The graph comes from the store, or with the request; what can be searched and what workers lack from Temporal; the run
that it follows from the store, or from Temporal too. All else is settings.

A run with rules of its own takes over only what these let in of the run that it follows. Refused passages stay behind
and are counted. Of earlier answers only those statements stay that cite nothing else; a query to a database stays only
where the run may ask databases.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from elcano.graphs.added_steps import FORM_FILLER, add_answer_step, add_clarifying_step, find_answer_schema_faults
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.graph_traits import read_graph_traits
from elcano.graphs.report.report import Report
from elcano.graphs.run_contracts import FollowedRun
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import MAX_FAULTS
from elcano.graphs.state.state import HistoryEntry
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import NO_LIMITS, Trust, find_passage_kind
from elcano.graphs.trust_rules import explain_passage_refusal
from elcano.service.errors import FieldFault, RequestInvalid
from elcano.service.process import Services
from elcano.service.runs.follow_up import CannotFollow, extract_answer_text, list_cited_evidence, load_followed_run
from elcano.service.runs.judgement import JudgedRun, Refusals, RequestFacts, judge_request
from elcano.service.runs.model_checks import list_called_models, list_model_queues, read_model_choice
from elcano.service.runs.named_graphs import explain_unknown_mode, find_named_graph, validate_received_graph
from elcano.service.runs.run_request import RunRequest
from elcano.service.runs.trust_checks import narrow_sources
from elcano.service.runs.trust_request import continue_trust
from elcano.service.source_survey import add_own_sources, assess_sources, choose_sources, find_choice_faults
from elcano.storage.evidence import Evidence


async def drop_untrusted(
    follows: FollowedRun, trust: Trust, specs: Mapping[str, SourceSpec], services: Services
) -> FollowedRun:
    """The run that is followed, as one with these rules may know it.

    Args:
        follows: as it is known without rules.
        trust: of the run that follows it.
        specs: of the sources that there are.
        services: of its tenant.
    """

    def may_take(passage: Evidence) -> bool:
        spec = specs.get(passage.source.partition(":")[0])
        kind = find_passage_kind(passage.source, spec.kind if spec else "")
        private = services.settings.private_hosts
        return not explain_passage_refusal(trust, kind, passage.locator, passage.work, private)

    async def find_allowed(ids: tuple[str, ...]) -> set[str]:
        return {one.id for one in await services.store.evidence.get(ids) if may_take(one)}

    async def trim_entry(entry: HistoryEntry) -> HistoryEntry:
        may_ask = trust.egress != "public" and not trust.explain_kind_refusal("database")
        kept = await services.store.artifacts.get(entry.report) if entry.report else None
        if kept is None:
            return entry if may_ask else entry.model_copy(update={"sql": ()})
        report = Report.model_validate_json(kept)
        cited = list_cited_evidence(report)
        allowed = await find_allowed(cited)
        if allowed.issuperset(cited) and may_ask:
            return entry
        answer = shorten_text(extract_answer_text(report, allowed), len(entry.answer))
        evidence = tuple(id for id in entry.evidence if id in allowed)
        return entry.model_copy(
            update={"answer": answer, "evidence": evidence, "report": "", "sql": entry.sql if may_ask else ()}
        )

    allowed = await find_allowed(tuple(ref.id for ref in follows.evidence))
    kept = tuple(ref for ref in follows.evidence if ref.id in allowed)
    there = {ref.id for ref in kept}
    evidence = tuple(
        ref if ref.duplicate_of in there else ref.model_copy(update={"duplicate_of": None}) for ref in kept
    )
    return follows.model_copy(
        update={
            "evidence": evidence,
            "left_out": follows.left_out + len(follows.evidence) - len(kept),
            "history": tuple([await trim_entry(entry) for entry in follows.history]),
        }
    )


async def judge_run_request(request: RunRequest, services: Services, run_id: str) -> JudgedRun:
    """The run that a request comes to.

    Args:
        request: what is asked for.
        services: of its tenant.
        run_id: the id that the run will have.

    Raises:
        RequestInvalid: it cannot work, with all faults.
        GraphInvalid: its graph cannot, and nothing else is wrong.
        TemporalUnavailable: it could be started if Temporal answered.
    """
    facts = await gather_facts(request, services)
    judged = await asyncio.to_thread(judge_request, request, facts, run_id)  # graphs are walked off the event loop
    if facts.survey.workers.unreachable is not None:
        raise facts.survey.workers.unreachable
    return judged


async def gather_facts(request: RunRequest, services: Services) -> RequestFacts:
    """Gather everything that the request names, as far as it exists, and the abilities of server and workers."""
    settings, catalogue, refused = services.settings, services.sources, Refusals()
    if request.sources or request.graph:  # else only what is searched by default is named, which is no one's own
        catalogue = await add_own_sources(catalogue, services.store)
    named = request.sources or catalogue.by_default
    queues = [catalogue.queues[name] for name in named if name in catalogue.queues]
    graph = await _resolve_graph(request, services, refused)
    if graph is not None and request.output_schema is not None:
        graph = add_requested_answer(graph, request.output_schema, refused)
    if graph is not None and request.clarify:
        graph = add_clarifying_step(graph)
    traits = None if graph is None else read_graph_traits(graph)
    if traits is not None and settings.model_rates:
        called = list_called_models(traits.callees, read_model_choice(request.model), settings)
        queues += list_model_queues(called, settings)
    seen = await services.temporal.workers.survey(queues, catalogue.elsewhere.values())
    survey = assess_sources(catalogue, seen, settings, named)
    sources = choose_sources(request.sources, traits, survey, settings)
    refused.faults += find_choice_faults(request.sources, sources, traits, survey, settings)
    before = None if request.previous_run is None else await services.store.runs.get(request.previous_run)
    trust = before.trust if before else NO_LIMITS
    if request.trust is not None:
        trust, faults = continue_trust(request.trust, trust)
        refused.faults += faults
    if trust != NO_LIMITS:
        sources, faults = narrow_sources(trust, request.sources, sources, survey.specs, settings)
        refused.faults += faults
    follows = None if request.previous_run is None else await _load_followed_run(request, services, refused)
    if follows is not None and trust != NO_LIMITS:
        follows = await drop_untrusted(follows, trust, services.sources.specs, services)
    return RequestFacts(
        tenant=services.tenant,
        allowance=services.allowance,
        settings=settings,
        graph=traits,
        survey=survey,
        sources=sources,
        domains=services.domains,
        follows=follows,
        refused=refused,
        trust=trust,
    )


def add_requested_answer(graph: ResearchGraph, schema: dict[str, Any], refused: Refusals) -> ResearchGraph:
    """The graph with the step that fills in the schema; as it was if that cannot be."""
    if FORM_FILLER not in AGENTS:
        refused.add("output_schema", ["the plugin `structured_answers` answers in a schema, and it is not loaded here"])
    elif graph.appendix is not None:
        refused.add("output_schema", [f"the graph {graph.name!r} has an appendix of its own: leave one of them out"])
    elif found := find_answer_schema_faults(schema):
        refused.faults += [
            FieldFault(
                field=f"output_schema{fault.pointer.replace('/', '.')}",
                message=str(fault),
                pointer=f"/output_schema{fault.pointer}",
            )
            for fault in found[:MAX_FAULTS]
        ]
    else:
        return add_answer_step(graph)
    return graph


async def _resolve_graph(request: RunRequest, services: Services, refused: Refusals) -> ResearchGraph | None:
    """The graph that a request holds or names; None if it has faults, or there is none."""
    if request.graph is not None:
        return await resolve_own_graph(request.graph, services, refused)
    graph = await find_named_graph(request.mode, services.store.graphs)
    if graph is None:
        refused.add("mode", await explain_unknown_mode(request.mode, services.store.graphs))
    return graph


async def resolve_own_graph(given: dict[str, Any], services: Services, refused: Refusals) -> ResearchGraph | None:
    """The graph that came with a request; None if it has faults."""
    try:
        return await validate_received_graph(given, services.store, inside="/graph")
    except (RequestInvalid, GraphInvalid) as error:
        refused.add_error(error)
        return None


async def _load_followed_run(request: RunRequest, services: Services, refused: Refusals) -> FollowedRun | None:
    if request.previous_run is None:
        return None
    try:
        return await load_followed_run(request.previous_run, request.question, services.temporal, services.store)
    except CannotFollow as error:
        refused.add("previous_run", [str(error)])
        return None
