"""Queries are asked again while something has happened that their run has yet to hear of (`workflows/sandbox.py`).

That lasts until the next workflow task of the run, which is about to begin: some milliseconds.
"""

import asyncio
from typing import Any, Final

from temporalio.client import Interceptor, OutboundInterceptor, QueryWorkflowInput, WorkflowQueryFailedError

from elcano.workflows.sandbox import TOO_EARLY

FIRST_PAUSE: Final = 0.02
"""Seconds before a run is asked again; doubled from try to try."""
TRIES: Final = 10
"""More than a worker refuses a run that gets no further task."""


class AskAgain(Interceptor):
    """Of every client that queries runs."""

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        """Around each of its requests."""
        return _AskingAgain(next)


class _AskingAgain(OutboundInterceptor):
    async def query_workflow(self, input: QueryWorkflowInput) -> Any:
        for earlier in range(TRIES - 1):
            try:
                return await super().query_workflow(input)
            except WorkflowQueryFailedError as error:
                if str(error) != TOO_EARLY:
                    raise
                await asyncio.sleep(FIRST_PAUSE * 2**earlier)
        return await super().query_workflow(input)
