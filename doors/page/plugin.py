"""The plugin `page`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="page",
    description="The page: ask, follow and steer runs in a browser.",
    package="elcano.doors.page",
    routes=(
        ".rendering:router",
        ".ask_page:router",
        ".run_pages:router",
        ".report_page:router",
        ".usage_page:router",
        ".graph_pages:router",
        ".schedule_pages:router",
        ".knowledge_pages:router",
        ".table_pages:router",
        ".entry_pages:router",
    ),
    middleware=(".error_pages:ErrorPages",),
)
