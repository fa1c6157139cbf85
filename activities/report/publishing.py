"""The last two activities of a run: one publishes its draft as a checked report, the other archives the run.

Both may be tried again after they have done their work: a report is kept by its content, which holds no time, and an
archived run replaces itself. Both beat while they work, and what computes does so in threads: a report of a few hundred
pages takes seconds, in which no other activity of the worker may fall silent.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from temporalio import activity

from elcano.activities.calls.heartbeats import send_heartbeats
from elcano.activities.calls.retry_classification import classify_failure
from elcano.activities.calls.usage import build_ledger_entry
from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.record_lookup import RecordLookup
from elcano.activities.report.report_builder import build_report, build_report_ref
from elcano.activities.report.work_merge import select_related_accounts
from elcano.graphs.contracts import ARCHIVE_RUN, PUBLISH_REPORT, PublishCall
from elcano.graphs.frozen import JsonObject
from elcano.graphs.plugin import load_objects
from elcano.graphs.records import ArchiveCall, RunLog
from elcano.graphs.report.report import Report, ReportDraft
from elcano.graphs.report.works import Work
from elcano.graphs.state.state import ReportRef
from elcano.measures import record_value
from elcano.storage.artifacts import LOG_TYPE, ArtifactRow
from elcano.storage.evidence import Evidence
from elcano.storage.lineage import days_of
from elcano.storage.store import Store, TenantStore

MEDIA_TYPE: Final = "application/json"


class ReportActivities:
    """The activities `publish_report` and `archive_run`.

    Args:
        store: of all tenants.
        lookup: what looks up the DOIs that documents state; None: nothing is looked up.
    """

    def __init__(self, store: Store, lookup: RecordLookup | None = None) -> None:
        self._store = store
        self._lookup = lookup

    @activity.defn(name=PUBLISH_REPORT)
    async def publish_report(self, call: PublishCall) -> ReportRef:
        """Checks the citations of a draft, keeps the `Report` as JSON and answers with its figures.

        Raises:
            ApplicationError: it failed; its type and whether to try again are decided by `failures.classify_failure`.
        """
        store = self._store.of_call(call.tenant, call.run_id)
        async with send_heartbeats():
            try:
                report = await self._load_and_build_report(call, store)
                written = await asyncio.to_thread(report.model_dump_json)
                artifact = await store.artifacts.put(call.run_id, written, MEDIA_TYPE)
            except Exception as error:
                await _record_publish(call, store, "failed")
                raise classify_failure(error) from None
            await _record_publish(call, store, "completed")
        _measure_verdicts(report)
        return build_report_ref(report, artifact)

    @activity.defn(name=ARCHIVE_RUN)
    async def archive_run(self, call: ArchiveCall) -> None:
        """Hands an ended run to the plugins' archivers, and archives it and its events in place of its earlier record.

        Raises:
            ApplicationError: it failed; whether to try again is decided by `failures.classify_failure`.
        """
        async with send_heartbeats():
            try:
                store = self._store.of(call.run.tenant)
                troubles = [await archive(store, call.run) for archive in load_objects("archivers")]
                log = await self._upload_log(call.log) if call.log else None
                key = log["key"] if log else ""
                kept = call.run.model_copy(update={"log": key, "knowledge_error": "; ".join(filter(None, troubles))})
                await store.runs.archive(kept, call.events, log)
            except Exception as error:
                raise classify_failure(error) from None

    async def _load_and_build_report(self, call: PublishCall, store: TenantStore) -> Report:
        evidence = await store.evidence.get(call.evidence)
        of_works = any(passage.work is not None for passage in evidence)  # only these have related accounts
        works_found = await store.evidence.works_of_run(call.run_id) if of_works else []
        draft = None
        if call.draft is not None:
            written = await store.artifacts.require(call.draft, "draft", "draft")
            draft = await asyncio.to_thread(ReportDraft.model_validate_json, written)
        attached: dict[str, JsonObject] = {}
        for name, key in call.attachments.items():
            attached[name] = await asyncio.to_thread(json.loads, await store.artifacts.require(key, name, name))
        material = await asyncio.to_thread(_gather_material, call, draft, evidence, works_found, attached)
        if self._lookup is not None:
            found = await self._lookup.find_accounts(material, store.evidence)
            material = replace(material, accounts=(*material.accounts, *found))
        texts = await store.evidence.texts(passage for passage in evidence if passage.id in material.cited)
        lines = await store.ledger.entries(call.run_id, branches=True)
        builds, searched = store.ledger.list_builds(lines), days_of(lines, call.searched)
        return await asyncio.to_thread(build_report, material, texts, builds, searched)

    async def _upload_log(self, log: RunLog) -> ArtifactRow:
        written = await asyncio.to_thread(log.model_dump_json)
        return await self._store.of(log.asked.tenant).artifacts.upload(log.asked.run_id, written, LOG_TYPE)


def _gather_material(
    call: PublishCall,
    draft: ReportDraft | None,
    evidence: Sequence[Evidence],
    works_found: Sequence[Work],
    attached: Mapping[str, JsonObject],
) -> ReportMaterial:
    """Collect the material of a report, also from works that only sections received: one may know of a retraction."""
    works = (passage.work for passage in evidence if passage.work is not None)
    return ReportMaterial(call, draft, evidence, select_related_accounts(works, works_found), attached)


def _measure_verdicts(report: Report) -> None:
    record_value("citations", len(report.citations) - len(report.unverified), verdict="verified")
    record_value("citations", len(report.unverified), verdict="unverified")
    for verdict, number in report.support.model_dump().items():
        record_value("statements", number, support=verdict)


async def _record_publish(call: PublishCall, store: TenantStore, outcome: Literal["completed", "failed"]) -> None:
    await store.ledger.record(build_ledger_entry(call.run_id, "publish", PUBLISH_REPORT, outcome, kind="publish"))
