"""The plugin `data`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="data",
    description="Questions to databases: SQL, charts and forecasts, every number with its cell.",
    package="elcano.subjects.data",
    needs=("research",),
    agents=(
        ".agents.splitter:AGENT",
        ".agents.sql_writer:AGENT",
        ".agents.sql_writer:REPAIRER",
        ".agents.data_writer:AGENT",
    ),
    tools=(".tool_specs:TOOLS",),
    reducers=(".data_reducers:REDUCERS",),
    modes=(".data_mode:MODE",),
    keyless={
        "splitter": ".keyless:choose_one_query",
        "sql_writer": ".keyless:write_sql",
        "sql_repairer": ".keyless:repair_sql",
        "data_writer": ".keyless:answer_task",
    },
    looks=(".query_models:DATABASE_LOOK",),
    services=(
        ".databases.database:open_databases",
        ".databases.question_context:open_examples",
    ),
    report_additions=(".report_results:ResultsAddition",),
    routes=(".routes:databases", ".routes:results"),
    checks=(".checks:check_databases",),
    commands={"databases": ".commands:app"},
    openers={"database": ".source:open_source"},
)
