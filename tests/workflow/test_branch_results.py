"""What branches hand over as child workflows: evidence and values without a writer, sections that nothing answers."""

from temporalio.client import Client
from temporalio.common import SearchAttributeKey

from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.finish import list_made_queries
from elcano.graphs.records import RunSnapshot
from elcano.graphs.run_contracts import MODE_ATTRIBUTE, TENANT_ATTRIBUTE
from elcano.testing.script import Script, make_passages
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.unit.graphs.samples import searching_branch, two_searches
from tests.workflow.conftest import Start, asking


def empty_draft(given: JsonObject) -> JsonObject:
    return {"artifact": "nothing", "title": "T", "answered": False, "claims": 0, "cited": 0, "evidence": []}


async def test_two_searches_side_by_side_and_one_writer_over_all_evidence(start: Start, script: Script) -> None:
    backgrounds = []

    def write(given: JsonObject) -> JsonObject:
        backgrounds.append(given["background"])
        return Script().answer("writer", given)

    script.overrides["writer"] = write
    graph = two_searches(searching_branch("wide", asked="question"), searching_branch("narrow", asked="question"))
    handle = await start(mode="own", graph=graph)
    result = await handle.result()
    assert result.ending is None
    (published,) = script.published
    assert published.evidence == ("doc:wide-things", "doc:narrow-things")
    assert list_made_queries(published.records, published.sections) == ("wide things", "narrow things")
    assert published.draft is not None
    snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
    assert [(branch.section, branch.status, branch.evidence) for branch in snapshot.branches] == [
        ("wide", "done", 1),
        ("narrow", "done", 1),
    ]
    journal = await run_in_memory(asking(handle.id, mode="own", graph=graph), script.perform, clock=lambda: 0.0)
    assert tuple(ref.id for ref in journal.run.state.evidence) == published.evidence
    assert backgrounds == ["wide things, narrow things"] * 2


async def test_a_search_that_found_nothing_is_no_failure(start: Start, script: Script) -> None:
    def search(given: JsonObject) -> JsonObject:
        found = make_passages("wide") if "wide" in str(given["query"]) else []
        return {"source": "library", "query": str(given["query"]), "evidence": found}

    script.overrides["search"] = search
    graph = two_searches(searching_branch("wide"), searching_branch("narrow"))
    result = await (await start(mode="own", graph=graph)).result()
    assert result.ending is None
    (published,) = script.published
    assert [(section.unanswered, section.gap) for section in published.sections] == [(False, None), (True, None)]
    kept = {call.run.question: call.run.status for call in script.archived}
    assert kept == {"wide things": "completed", "narrow things": "unanswered", "What is it?": "completed"}


@BOTH_WAYS
async def test_a_report_is_written_when_no_section_is_answered(chain: bool, start: Start, script: Script) -> None:
    script.overrides["writer"] = empty_draft
    script.overrides["proofreader"] = empty_draft
    script.answered = False
    handle = await start(mode="deep_brief", chain=chain)
    result = await handle.result()
    assert (result.ending, result.failure) == (None, None)
    (published,) = script.published
    assert published.draft == "nothing"
    assert [(section.unanswered, section.gap) for section in published.sections] == [(True, None)] * 3
    kept = {call.run.run_id: call.run for call in script.archived}
    assert [branch.status for branch in kept[handle.id].branches] == ["unanswered"] * 3
    assert [run.status for run in kept.values() if run.branch_of] == ["unanswered"] * 3
    assert kept[handle.id].status == "unanswered"


async def test_a_section_can_be_found_by_its_mode_and_its_tenant_and_is_named(
    start: Start, script: Script, temporal: Client
) -> None:
    handle = await start(mode="deep_brief")
    await handle.result()
    described = await temporal.get_workflow_handle(f"{handle.id}.0004.loop-2").describe()
    found = [
        described.typed_search_attributes.get(SearchAttributeKey.for_keyword(name))
        for name in (MODE_ATTRIBUTE, TENANT_ATTRIBUTE)
    ]
    assert found == ["deep_brief", "default"]
    assert await described.static_summary() == "Section: method"
