"""The plugin `quoting`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="quoting",
    description="The model that needs no key: it quotes, and says so when it finds nothing.",
    package="elcano.plugins.quoting",
    needs=("research",),
    models={"offline": ".model:ExtractiveModel"},
    keyless={
        "thinking": ".assessing:think",
        "knowledge_gap": ".assessing:evaluate",
        "tool_selector": ".planning:plan",
        "judge": ".assessing:judge",
        "writer": ".writing:write",
        "input_parser": ".outlining:parse",
        "planner": ".outlining:outline",
        "long_writer_section": ".joining:write_section",
        "long_writer_summary": ".joining:summarise",
        "proofreader": ".joining:proofread",
        "reviewer": ".reviewing:review",
    },
)
