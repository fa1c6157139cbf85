"""The plugin `openai_api`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="openai_api",
    description="OpenAI's API (models, responses, chat completions) in front of runs, for clients that speak it.",
    package="elcano.doors.openai_api",
    needs=("documents", "uploads"),
    routes=(".model_routes:router", ".response_routes:router", ".chat_routes:router"),
    middleware=(".error_shape:ErrorShape",),
)
