"""What every installation has, whichever plugins it loads."""

from typing import Final

from elcano.graphs.plugin import Plugin

KERNEL: Final = Plugin(
    name="kernel",
    description="Searching, branches, and the check of what was written.",
    package="elcano.graphs",
    agents=(".agents.reviewer:AGENT",),
    tools=(".catalogue.tools:TOOLS",),
    reducers=(".catalogue.reducers:REDUCERS", ".catalogue.branch_reducers:BRANCH_REDUCERS"),
)
