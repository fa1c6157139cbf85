"""The plugin `analysis`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="analysis",
    description="Numbers read out of studies and pooled by meta-analysis; code in a sandbox.",
    package="elcano.subjects.analysis",
    needs=("research",),
    agents=(".analyst:AGENT",),
    tools=(".tool_specs:TOOLS",),
    modes=(".analysis_mode:MODE",),
    report_additions=(".report_statistics:StatisticsAddition",),
    routes=(".routes:router",),
)
