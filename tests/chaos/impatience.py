"""A plugin by which a worker that was killed is missed after a few seconds, not after half a minute.

Everything else about calls and retries is the product's. A test whose worker only stands still does not load it.
"""

from datetime import timedelta
from typing import Final

from elcano.graphs.plugin import Plugin
from elcano.workflows import retry_policies

SILENCE: Final = timedelta(seconds=6)
"""Longer than a busy machine keeps a living worker from being heard."""

for _policy in (
    retry_policies.AGENT,
    retry_policies.TOOL,
    retry_policies.CALL_TOOL,
    retry_policies.PUBLISH[0],
    retry_policies.ARCHIVE[0],
):
    _policy["heartbeat_timeout"] = SILENCE
retry_policies.HEARTBEAT = SILENCE  # type: ignore[misc]  # of searches by a policy of their source's own

plugin: Final = Plugin(
    name="impatience", description="Misses dead workers soon.", package="tests.chaos", needs=("research",)
)
