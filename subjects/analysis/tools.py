"""The tool `analyze`: checks measurements against the stored texts, computes, draws and stores the results.

Statistics come with the extra `analysis`; a worker without it says so and never gives figures of another kind.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from elcano.activities.tools.tool_activities import ToolWork
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import install_command
from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence
from elcano.subjects.analysis.analysis import Analysis
from elcano.subjects.analysis.tool_specs import AnalyzeInput, AnalyzeOutput

ANALYSIS_TYPE: Final = "application/vnd.elcano.analysis+json"
"""The media type of a stored `Analysis`."""


async def analyze_measurements(work: ToolWork, given: AnalyzeInput) -> AnalyzeOutput:
    """The digest of an analysis, which is stored with its plots before this answers.

    Only passages that the run found count: of others no one knows how they came here.

    Raises:
        InputInvalid: this worker has no library for statistics.
    """
    store, run_id = work.store, work.run_id
    found = set(await store.evidence.ids_of_run(run_id))
    wanted = dict.fromkeys(one.evidence for one in given.measurements)
    evidence = await store.evidence.get([id for id in wanted if id in found])
    accounts = await store.evidence.works_of_run(run_id)
    analysis, plots, summary = await asyncio.to_thread(_run_analysis, given, evidence, accounts)
    keys = {number: await store.artifacts.put(run_id, plot, "image/svg+xml") for number, plot in plots.items()}
    pools = tuple(pool.model_copy(update={"plot": keys.get(pool.number, "")}) for pool in analysis.pools)
    kept = analysis.model_copy(update={"pools": pools})
    artifact = await store.artifacts.put(run_id, kept.model_dump_json(), ANALYSIS_TYPE)
    return AnalyzeOutput(
        artifact=artifact,
        verdict=kept.tested[0].verdict,
        told=summary,
        studies=sum(pool.count for pool in kept.pools),
        pools=len(kept.pools),
        left_out=kept.left_out_count,
        tested=kept.tested,
    )


def _run_analysis(
    given: AnalyzeInput, evidence: Sequence[Evidence], accounts: Sequence[Work]
) -> tuple[Analysis, dict[int, str], str]:
    """Return an analysis, its drawings by pool number, and its summary in sentences."""
    try:  # here, because it takes a second, which no worker is to wait for that analyzes nothing
        from elcano.subjects.analysis.statistics.forest import render_forest_plot
        from elcano.subjects.analysis.statistics.meta_analysis import run_meta_analysis, summarize_analysis
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("statsmodels", "scipy", "numpy", "pandas"):
            raise
        text = f"this worker has no library for statistics: {install_command('analysis')}"
        raise InputInvalid("tool", text) from error
    analysis = run_meta_analysis(given, evidence, accounts)
    drawn: dict[int, str] = {pool.number: render_forest_plot(pool) for pool in analysis.pools if pool.count > 1}
    return analysis, drawn, summarize_analysis(analysis)
