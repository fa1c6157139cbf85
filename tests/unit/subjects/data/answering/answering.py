"""A question answered from results by one call of the data writer, and the report that comes of it."""

from collections.abc import Sequence

from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.report.publishing import ReportActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import AgentCall, AgentResult, PublishCall
from elcano.graphs.frozen import JsonObject
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.report.report import Report, ReportDraft
from elcano.graphs.state.state import DraftRef, ReportRef
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.data.results import store_result_table
from elcano.subjects.data.tables import ResultDigest, ResultTable
from elcano.testing import ScriptedModel

RUN = "run-1"


async def digests(store: Store, *tables: ResultTable) -> list[ResultDigest]:
    return [await store_result_table(store.of("default"), RUN, one) for one in tables]


async def written(
    store: Store, question: str, tables: Sequence[ResultTable], model: ScriptedModel | None = None, **more: object
) -> ReportDraft:
    """The draft of an answer, which is stored."""
    resolve = None if model is None else model.resolve
    made = AgentActivities(store, Sources({}), Settings(_env_file=None), resolve=resolve)
    found = [one.model_dump(mode="json") for one in await digests(store, *tables)]
    given: JsonObject = {"question": question, "results": found, **more}  # type: ignore[dict-item]
    call = AgentCall(
        run_id=RUN,
        step=1,
        node="answer",
        agent="data_writer",
        input=given,
        models=ModelChoice(default="scripted" if model else "offline"),
    )
    result = await ActivityEnvironment().run(made.run_agent, call)
    assert isinstance(result, AgentResult)
    stored = await store.of("default").artifacts.get(DraftRef.model_validate(result.output).artifact)
    assert stored is not None
    return ReportDraft.model_validate_json(stored)


async def published(store: Store, question: str, draft: ReportDraft) -> Report:
    """The report of a draft, as it is kept for the API."""
    artifacts = store.of("default").artifacts
    call = PublishCall(
        run_id=RUN,
        question=question,
        mode="data",
        draft=await artifacts.put(RUN, draft.model_dump_json(), "application/json"),
        evidence=tuple(await store.of("default").evidence.ids_of_run(RUN)),
        models=("a model",),
    )
    ref = await ActivityEnvironment().run(ReportActivities(store).publish_report, call)
    assert isinstance(ref, ReportRef)
    stored = await artifacts.get(ref.artifact)
    assert stored is not None
    return Report.model_validate_json(stored)
