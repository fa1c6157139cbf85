"""The certificate of a run that analyzed numbers has its analysis, and is caught when a figure of it is changed."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from elcano.activities.sources.registry import Sources
from elcano.doors.certificates.verify_command import compare_certificate
from elcano.settings import Settings
from elcano.subjects.analysis.analysis import Analysis
from elcano.testing import ScriptedSource
from tests.api.asking import start
from tests.certificates.conftest import research
from tests.unit.subjects.analysis.trials import COUNTS, sentence


@asynccontextmanager
async def library(settings: Settings) -> AsyncIterator[Sources]:
    texts = {f"Trial {at}": f"The drug reduces death, some say. {sentence(*one)}" for at, one in enumerate(COUNTS)}
    yield Sources({"handbook": ScriptedSource("handbook", texts)})


async def test_an_analysis_is_made_again_and_a_changed_figure_is_caught(
    temporal_environment: WorkflowEnvironment, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tests.api.again.going_on.open_sources", library)
        async with asyncio.timeout(170), research(temporal_environment.client, tmp_path) as api:
            run_id = await start(api, question="Does the drug reduce death?", mode="analysis")
            status = "running"
            while status == "running":
                await asyncio.sleep(0.25)
                status = (await api.get(f"/v1/runs/{run_id}")).json()["status"]
            certificate = (await api.get(f"/v1/runs/{run_id}/certificate")).content
            figures = (await api.get(f"/v1/runs/{run_id}/analysis")).json()
            plot = await api.get(f"/v1/runs/{run_id}/analysis/plots/1.svg")
    assert status == "completed"
    verdict = compare_certificate(certificate)
    assert verdict.faults == ()
    assert verdict.held is not None
    analysis = Analysis.model_validate(verdict.held.published.attachments["analysis"])
    assert figures["tested"][0]["verdict"] == analysis.tested[0].verdict == "supported"
    assert plot.text.startswith("<svg")
    estimate = json.dumps(analysis.pools[0].random.estimate)
    changed = compare_certificate(certificate.replace(estimate.encode(), b"0.1234"))
    assert {fault.part for fault in changed.faults} >= {"drafts", "report"}
