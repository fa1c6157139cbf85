"""The certificate of a report: everything that it was made of, in one file that can be checked without this server.

All its parts are looked up before its first byte is sent, so that a run that can have none gets an error.
Logs, drafts and reports are kept by their hash and go in as they are kept. Nothing that grows with a run is held in
memory but the run's own log.
"""

import json
import platform
from collections.abc import AsyncIterator, Iterable
from importlib.metadata import version
from typing import Final

from elcano import __version__
from elcano.doors.certificates.certificate_format import FORMAT, CertificateHeader, Versions, encode_certificate
from elcano.doors.certificates.log_checks import journal_of
from elcano.graphs.contracts import REPORTED
from elcano.graphs.errors import StoreDamaged
from elcano.graphs.frozen import Frozen
from elcano.graphs.lifecycle.finish import list_attachments
from elcano.graphs.lifecycle.handover import find_exit_draft
from elcano.graphs.lifecycle.step_history import iter_fanout_visits
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.report.report import Report
from elcano.service.errors import NotCertifiable
from elcano.service.reports.results import load_artifact
from elcano.service.runs.run_log import read_log
from elcano.service.runs.run_status import current_run
from elcano.service.temporal.client import Temporal
from elcano.storage.lineage import section_logs
from elcano.storage.store import TenantStore

BATCH: Final = 100
"""Passages that are read at once."""


class CertificateWriter:
    """The certificate, by this release, of a run that ended with a report."""

    def __init__(self, run: ArchivedRun, log: RunLog, report: str, store: TenantStore) -> None:
        """`report` is the report as it is kept."""
        self._run = run
        self._log = log
        self._report = report
        self._store = store

    async def lines(self) -> AsyncIterator[bytes]:
        """Its bytes, piece by piece.

        Raises:
            StoreDamaged: something that the run names is not in the store.
        """
        report = Report.model_validate_json(self._report)
        ledger = await self._store.ledger.entries(self._run.run_id, branches=True)
        versions = Versions(
            builds=tuple(sorted({line.build for line in ledger} - {""})),
            rules=self._log.asked.rules,
            elcano=__version__,
            python=platform.python_version(),
            pydantic=version("pydantic"),
            jmespath=version("jmespath"),
        )
        parts = (
            ("certificate", _yield_text(CertificateHeader(format=FORMAT, run_id=self._run.run_id).model_dump_json())),
            ("versions", _yield_text(versions.model_dump_json())),
            ("run", _yield_text(self._run.model_dump_json(exclude={"evidence", "branches"}))),
            ("asked", _yield_text(self._log.asked.model_dump_json(exclude={"graph"}))),
            ("graph", _yield_text(self._log.asked.graph.model_dump_json())),
            ("entries", _join_json_items("[", _dump_models(self._log.entries), "]")),
            ("state", _yield_text(self._log.run.model_dump_json())),
            ("sections", _join_json_items("[", self._sections(), "]")),
            ("evidence", _join_json_items("[", self._passages(), "]")),
            ("texts", _join_json_items("[", self._texts(report), "]")),
            ("drafts", _join_json_items("{", self._drafts(), "}")),
            ("ledger", _join_json_items("[", _dump_models(ledger), "]")),
            ("report", _yield_text(_encode_json_text(self._report))),
            ("markdown", _yield_text(_encode_json_text(report.markdown))),
        )
        async for piece in encode_certificate(parts):
            yield piece

    async def _sections(self) -> AsyncIterator[str]:
        for run_id, key in (await section_logs(self._log, self._store.runs, self._store.artifacts)).items():
            yield await self._kept(key, f"the log of {run_id}")

    async def _passages(self) -> AsyncIterator[str]:
        """Return the passages that the writer was given."""
        ids = [ref.id for ref in self._log.run.state.evidence]
        for first in range(0, len(ids), BATCH):
            for passage in await self._store.evidence.get(ids[first : first + BATCH]):
                yield passage.model_dump_json()

    async def _texts(self, report: Report) -> AsyncIterator[str]:
        """The whole texts of the documents that are cited, also where a quote is not in them.

        The store keeps a text that several documents have once, under the first that anybody found: here it is
        attributed to the first that this report cites.
        """
        cited = list(dict.fromkeys(one.evidence for one in report.citations if one.evidence))
        documents: dict[str, str] = {}
        for first in range(0, len(cited), BATCH):
            found = await self._store.evidence.get(cited[first : first + BATCH])
            for passage in found:
                documents.setdefault(passage.content_hash, passage.document)
        for content_hash, document in documents.items():
            text = await self._store.evidence.text(content_hash)
            if text is not None:  # the store keeps no passage without its text
                yield text.model_copy(update={"document": document}).model_dump_json()

    async def _drafts(self) -> AsyncIterator[str]:
        """The report's draft, what was attached to the report, and the drafts of the sections, as they are kept."""
        written = find_exit_draft(journal_of(self._log))
        own = [written.artifact] if written else []
        own += list_attachments(self._log.asked.graph, self._log.run.state).values()
        handed = [one.draft for visit in iter_fanout_visits(self._log) for one in visit.outcomes if one.draft]
        for key in dict.fromkeys((*own, *handed)):
            yield f"{_encode_json_text(key)}:{_encode_json_text(await self._kept(key, 'a draft'))}"

    async def _kept(self, key: str, what: str) -> str:
        content = await self._store.artifacts.get(key)
        if content is None:
            raise StoreDamaged(f"{what} ({key}) of run {self._run.run_id!r} is not in the store any more")
        return content


async def _yield_text(text: str) -> AsyncIterator[str]:
    yield text


async def _dump_models(models: Iterable[Frozen]) -> AsyncIterator[str]:
    for model in models:
        yield model.model_dump_json()


async def _join_json_items(begin: str, items: AsyncIterator[str], end: str) -> AsyncIterator[str]:
    yield begin
    comma = ""
    async for item in items:
        yield comma + item
        comma = ","
    yield end


def _encode_json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


async def stream_certificate(run_id: str, temporal: Temporal, store: TenantStore) -> AsyncIterator[bytes]:
    """The certificate of a run that ended with a report, piece by piece.

    Raises:
        RunNotFound: there is no such run.
        NotCertifiable: it is running, ended without a report, is a section, or left no log.
        ReportLost: the store does not have its report any more.
        RunUnreadable: its log is not in the store any more.
    """
    run = await current_run(run_id, temporal, store)
    if run.branch_of is not None:
        raise NotCertifiable(f"{run_id!r} is a section: ask for the certificate of its run {run.branch_of.run_id!r}")
    if run.status == "running":
        raise NotCertifiable(f"the run {run_id!r} has not ended: ask again when it has")
    if run.report is None or run.status not in REPORTED:
        raise NotCertifiable(f"the run {run_id!r} has no report to certify; its status is {run.status!r}")
    if not run.log:
        raise NotCertifiable(f"the run {run_id!r} was ended from outside and left no log that could certify its report")
    report = await load_artifact(run.report.artifact, store)
    return CertificateWriter(run, await read_log(run, temporal, store), report, store).lines()
