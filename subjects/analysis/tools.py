"""The tools `analyze` and `compute`.

`analyze` checks what an analyst read against the stored texts, computes, draws and stores the results.

Statistics come with the extra `analysis`; a worker without it says so and never gives figures of another kind.

`compute` runs untrusted code in a sandbox, Monty's interpreter, in a process of its own and never in this Python: it
has no files, no network, no packages and no way to this process but the values that go in and the one that comes out.
Time, memory, depth and output are bounded; what goes over a bound is an error.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Final

from elcano.activities.tools.tool_activities import ToolWork
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import install_command
from elcano.graphs.frozen import Json
from elcano.graphs.report.works import Work
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence
from elcano.subjects.analysis.analysis import Analysis
from elcano.subjects.analysis.tool_specs import AnalyzeInput, AnalyzeOutput, ComputeInput, ComputeOutput

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


SECONDS: Final = 5.0
"""Time limit for computing. A sandbox that does not stop by itself a second later is killed."""
MEMORY_BYTES: Final = 64 * 1024 * 1024
DEPTH: Final = 200
PRINTED_BYTES: Final = 100_000
RESULT_BYTES: Final = 200_000
"""Maximum size of the result as JSON: it becomes a part of the state."""
START_SECONDS: Final = 60.0
"""For its process to begin, on a machine that is busy."""


async def compute_values(work: ToolWork, given: ComputeInput) -> ComputeOutput:
    """The tool `compute`, which keeps nothing; see `run_sandboxed_code`."""
    return await asyncio.to_thread(run_sandboxed_code, given)


def run_sandboxed_code(given: ComputeInput) -> ComputeOutput:
    """Run the code and return the value of its last expression and what it printed.

    Raises:
        InputInvalid: the code is no Python, failed or went over a bound, its result is no JSON, or this worker has no
            sandbox. The text says which.
    """
    try:
        import pydantic_monty
    except ModuleNotFoundError as error:
        text = f"this worker has no sandbox for code: {install_command('analysis')}"
        raise InputInvalid("tool", text) from error
    if named := sorted(name for name in given.inputs if not name.isidentifier()):
        raise InputInvalid("inputs", f"inputs are variables of the code, and these are no names of any: {named}")
    limits: pydantic_monty.ResourceLimits = {
        "max_feed_duration_secs": SECONDS,
        "max_memory": MEMORY_BYTES,
        "max_recursion_depth": DEPTH,
        "max_total_sleep_secs": 0.0,
        "max_suspensions": 100,
    }
    printed = pydantic_monty.CollectString(PRINTED_BYTES)
    try:
        with (
            pydantic_monty.Monty(max_processes=1, request_timeout=START_SECONDS, max_checkouts_per_worker=1) as pool,
            pool.checkout(limits=limits, script_name="code.py") as session,
        ):
            result = session.feed_run(given.code, inputs=dict(given.inputs), print_callback=printed)
    except pydantic_monty.MontyCrashedError as error:
        raise InputInvalid(
            "code", f"the code broke its sandbox, or did not end: {_format_sandbox_error(error)}"
        ) from None
    except (pydantic_monty.MontyError, MemoryError, ValueError) as error:
        raise InputInvalid("code", f"the code failed: {_format_sandbox_error(error)}") from None
    return ComputeOutput(result=_as_json(result), printed=printed.output)


def _as_json(result: object) -> Json:
    """A result as JSON has it.

    Raises:
        InputInvalid: it is none, or too long.
    """
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputInvalid("code", f"its result is no JSON: {_format_sandbox_error(error)}") from None
    if len(text) > RESULT_BYTES:
        raise InputInvalid("code", f"its result has {len(text):,} characters as JSON; {RESULT_BYTES:,} may be kept")
    value: Json = json.loads(text)
    return value


def _format_sandbox_error(error: BaseException) -> str:
    return shorten_text(f"{error}".strip() or type(error).__name__, 500)
