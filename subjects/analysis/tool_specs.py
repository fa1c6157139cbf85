"""The tool of the plugin, as graphs name it: its input and its answer."""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.tools import ToolSpec
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.text import format_count
from elcano.subjects.analysis.analysis import (
    MOST_HYPOTHESES,
    MOST_MEASUREMENTS,
    Measurement,
    Outcome,
    TestedHypothesis,
    TestResult,
)


class AnalyzeInput(Frozen):
    """Measurements as an analyst proposes them, and what they are to test."""

    question: str = Field(default="", max_length=10_000)
    """Question that is tested if there is no hypothesis."""
    hypotheses: tuple[TestedHypothesis, ...] = Field(default=(), max_length=MOST_HYPOTHESES)
    measurements: tuple[Measurement, ...] = Field(default=(), max_length=MOST_MEASUREMENTS)


class AnalyzeOutput(Frozen):
    """The digest of an analysis."""

    artifact: str
    """The artifact hash of the stored `Analysis`."""
    verdict: Outcome
    """On the first hypothesis."""
    told: str
    """Verdicts and figures in sentences, for the writer of the report."""
    studies: int = 0
    """Measurements that count, in all pools."""
    pools: int = 0
    left_out: int = 0
    tested: tuple[TestResult, ...] = ()


def summarize_analyze_output(output: JsonObject) -> tuple[str, JsonObject]:
    """An `AnalyzeOutput` in one sentence, and its figures."""
    counts: JsonObject = {name: output.get(name, 0) for name in ("studies", "pools", "left_out")}
    studies, pools = output.get("studies"), output.get("pools")
    pooled = "no usable number"
    if isinstance(studies, int) and isinstance(pools, int) and pools:
        pooled = f"{format_count(studies, 'study', 'studies')} in {format_count(pools, 'pool')}"
    left = f", {output['left_out']} left out" if output.get("left_out") else ""
    summary = f"{str(output.get('verdict', '')).capitalize()}: {pooled}{left}"
    return summary, {"verdict": output.get("verdict"), **counts}


TOOLS: Final = (
    ToolSpec(
        name="analyze",
        description="Checks numbers against their quotes, pools them by meta-analysis and tests hypotheses.",
        input=AnalyzeInput,
        output=AnalyzeOutput,
        starts="analyzing",
        completes="analysis_complete",
        summary=summarize_analyze_output,
        needs="analysis",
        attaches="analysis",
        run="elcano.subjects.analysis.tools:analyze_measurements",
    ),
)
