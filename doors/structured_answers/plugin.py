"""The plugin `structured_answers`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="structured_answers",
    description="Answers in a JSON Schema of the asker, each value with its quotes; unknown values are null.",
    package="elcano.doors.structured_answers",
    agents=(".form_filler:AGENT",),
    report_additions=(".report_answer:AnswerAddition",),
    parts={"answer_schema_check": ".form_validation:find_schema_faults"},
    routes=(".routes:router",),
    commands={"answer": ".commands:print_answer"},
)
