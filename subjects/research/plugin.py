"""The plugin `research`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="research",
    description="Research loops: simple, iterative and deep, with their agents.",
    package="elcano.subjects.research",
    agents=(
        ".agents.thinking:AGENT",
        ".agents.thinking:KNOWLEDGE_GAP",
        ".agents.tool_selector:AGENT",
        ".agents.judge:AGENT",
        ".agents.writer:AGENT",
        ".agents.input_parser:AGENT",
        ".agents.planner:AGENT",
        ".agents.long_writer:LONG_WRITER",
        ".agents.proofreader:PROOFREADER",
        ".agents.clarifier:AGENT",
    ),
    reducers=(
        ".reducers:REDUCERS",
        ".reducers:STORE_PLAN",
        ".agents.clarifier:ASK_BACK",
    ),
    modes=(".modes:MODES",),
    report_additions=(".report_scores:ScoresAddition",),
)
