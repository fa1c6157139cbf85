"""The tools of the plugin, as graphs name them."""

from typing import Final

from elcano.graphs.catalogue import tools
from elcano.graphs.catalogue.tools import ToolSpec
from elcano.plugins.analysis.analysis import AnalyzeInput, AnalyzeOutput, summarize_analyze_output

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
        input=tools.ComputeInput,
        output=tools.ComputeOutput,
        starts="analyzing",
        completes="analysis_complete",
        needs="analysis",
        run=f"{_RUN}:compute_values",
    ),
)
