"""The plugin `page`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="page",
    description="The page: ask, follow and steer runs in a browser.",
    package="elcano.plugins.page",
    routes=(
        ".static_files:router",
        ".ask_page:router",
        ".run_pages:router",
        ".report_page:router",
        ".comparison_page:router",
        ".usage_page:router",
        ".graph_pages:router",
        ".knowledge_pages:router",
        ".set_up_page:router",
        ".sign_in_page:router",
    ),
    middleware=(".error_pages:ErrorPages",),
)
