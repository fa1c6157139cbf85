"""The tools of the plugin, as graphs name them."""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.tools import ToolSpec
from elcano.graphs.frozen import Frozen, Json
from elcano.plugins.analysis.analysis import AnalyzeInput, AnalyzeOutput, summarize_analyze_output


class ComputeInput(Frozen):
    """Untrusted code, and the values that it works on."""

    code: str = Field(min_length=1, max_length=20_000)
    """Python; the value of its last expression is the result."""
    inputs: dict[str, Json] = Field(default={}, max_length=100)
    """What its variables are at the beginning, by name."""


class ComputeOutput(Frozen):
    """What the code made of its inputs."""

    result: Json = None
    """The value of its last expression; None if it has none."""
    printed: str = ""


_RUN: Final = "elcano.plugins.analysis.tools"

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
        run=f"{_RUN}:analyze_measurements",
    ),
    ToolSpec(
        name="compute",
        description="Runs a piece of Python on JSON values in a sandbox: no files, no network, little time.",
        input=ComputeInput,
        output=ComputeOutput,
        starts="analyzing",
        completes="analysis_complete",
        needs="analysis",
        run=f"{_RUN}:compute_values",
    ),
)
