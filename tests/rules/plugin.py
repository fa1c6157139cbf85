"""A plugin for tests: rules by which the model that needs no key plays teams, analyses and divided questions too.

The product's own model does none of that. With these whole runs of every mode can be tested, killed and compared,
since the same task always gets the same answer.
"""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="rules",
    description="Rules for agents that need a language model.",
    package="tests.rules",
    needs=("quoting", "teams", "analysis", "data"),
    starters=(".metering:meter_requests",),
    keyless={
        "task_ledger": ".coordinating:plan_team",
        "progress_ledger": ".coordinating:lead",
        "hypothesizer": ".hypothesizing:hypothesize",
        "drafter": "elcano.subjects.quoting.report_writing:write_report",
        "team_judge": ".team_judging:judge",
        "analyst": ".extracting:extract",
        "splitter": ".splitting:split",
    },
)
