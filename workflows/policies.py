"""How long each activity may take and how often it is tried: the only place that retries are configured in."""

from datetime import timedelta
from typing import Final, TypedDict

from temporalio.common import RetryPolicy

from graphs.contracts import FailureType


class Policy(TypedDict):
    """The options of `workflow.execute_activity` that make up a policy."""

    start_to_close_timeout: timedelta
    heartbeat_timeout: timedelta | None
    retry_policy: RetryPolicy


_NEVER_AGAIN: Final = [FailureType.PAYLOADS_TOO_LARGE]
"""Failures of Temporal's own that it would retry for ever; ours say themselves whether another try can help."""

AGENT: Final = Policy(
    start_to_close_timeout=timedelta(minutes=10),
    heartbeat_timeout=timedelta(seconds=30),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=2),
        maximum_interval=timedelta(minutes=1),
        maximum_attempts=6,
        non_retryable_error_types=_NEVER_AGAIN,
    ),
)

TOOL: Final = Policy(
    start_to_close_timeout=timedelta(minutes=30),  # the first search of a large collection indexes it
    heartbeat_timeout=timedelta(seconds=30),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=4,
        non_retryable_error_types=_NEVER_AGAIN,
    ),
)

PUBLISH: Final = Policy(
    start_to_close_timeout=timedelta(minutes=2),
    heartbeat_timeout=None,
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=10,
        non_retryable_error_types=_NEVER_AGAIN,
    ),
)

ARCHIVE: Final = Policy(
    start_to_close_timeout=timedelta(minutes=1),
    heartbeat_timeout=None,
    retry_policy=RetryPolicy(  # without end: a run that is not archived would be lost
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(minutes=1),
        non_retryable_error_types=_NEVER_AGAIN,
    ),
)
