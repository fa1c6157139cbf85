"""Looks up all parts of a certificate before sending its first byte, so that a run that can have none gets an error."""

import platform
from collections.abc import AsyncIterator
from importlib.metadata import version

from elcano import __version__
from elcano.api.http.errors import NotCertifiable, ReportLost
from elcano.api.runs.logs import read_log
from elcano.api.runs.run_status import current_run
from elcano.api.temporal.client import Temporal
from elcano.graphs.contracts import REPORTED
from elcano.storage.certificates.certificate_format import Versions
from elcano.storage.certificates.certificate_writer import Issuing
from elcano.storage.store import TenantStore


async def stream_certificate(run_id: str, temporal: Temporal, store: TenantStore) -> AsyncIterator[bytes]:
    """The certificate of a run that ended with a report, piece by piece.

    Raises:
        RunNotFound: there is no such run.
        NotCertifiable: it goes on, ended without a report, is a section, or left no log.
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
    report = await store.artifacts.get(run.report.artifact)
    if report is None:
        raise ReportLost(f"the store does not have {run.report.artifact!r}; is this the run's data directory?")
    log = await read_log(run, temporal, store)
    issuing = Issuing(run, log, report, store)
    return issuing.lines(
        Versions(
            builds=(),
            rules=log.asked.rules,
            elcano=__version__,
            python=platform.python_version(),
            pydantic=version("pydantic"),
            jmespath=version("jmespath"),
        )
    )
