"""The plugin `teams`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="teams",
    description="Teams of agents: a manager that leads one, and a judge that sends drafts back.",
    package="elcano.subjects.teams",
    needs=("research",),
    agents=(
        ".agents.manager:TASK_LEDGER",
        ".agents.manager:PROGRESS_LEDGER",
        ".agents.hypothesizer:AGENT",
        ".agents.drafter:AGENT",
        ".agents.team_judge:AGENT",
    ),
    reducers=(".reducers:REDUCERS",),
    modes=(".magentic:MODE", ".hierarchical:MODE"),
)
