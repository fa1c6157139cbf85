"""The plugin `quoting`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="quoting",
    description="The model that needs no key: it quotes, and says so when it finds nothing.",
    package="elcano.subjects.quoting",
    needs=("research",),
    models={"offline": ".model:ExtractiveModel"},
    keyless={
        "thinking": ".research_steps:describe_coverage",
        "knowledge_gap": ".research_steps:find_gaps",
        "tool_selector": ".planning:plan_searches",
        "judge": ".research_steps:judge_evidence",
        "writer": ".report_writing:write_report",
        "input_parser": ".planning:parse_question",
        "planner": ".planning:plan_report",
        "long_writer_section": ".report_writing:write_section",
        "long_writer_summary": ".report_writing:write_summary",
        "proofreader": ".report_writing:proofread_draft",
        "reviewer": ".research_steps:review_statements",
    },
)
