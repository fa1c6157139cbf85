"""The measures of the kernel, and their recorder: there is none unless a plugin installs one.

Only activities, storage and the API measure. Workflow code does not: a replay would count everything again.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final, Literal, Protocol, TypeAlias

Measure: TypeAlias = Literal[
    "tokens",  # used by a conversation with a model; agent, model, direction
    "cost_usd",  # of the same; agent, model
    "provider_wait",  # seconds that a call waited for its turn; provider
    "provider_refusal",  # a provider did not answer or asked to wait; provider
    "citations",  # of a published report; verdict: verified or unverified
    "statements",  # of a published report that cite something; support: a field of `SupportCounts`
    "stream_lag",  # seconds from an event of a run until this process could send it to clients
    "object_seconds",  # one request to the object store; operation
]


class Recorder(Protocol):
    """Records measurements. It must be quick, and must not raise."""

    def record(self, measure: Measure, value: float, labels: Mapping[str, str]) -> None:
        """Record one value."""
        ...


_recorders: Final[list[Recorder]] = []

TENANT: Final[ContextVar[str]] = ContextVar("tenant", default="")
"""The tenant that this task works for, for logs; empty: none, or not known yet."""


def install_recorder(recorder: Recorder | None) -> None:
    """Make `recorder` the one that records; None: nothing is recorded."""
    _recorders[:] = [] if recorder is None else [recorder]


def record_value(measure: Measure, value: float = 1.0, **labels: str) -> None:
    """Record one value, if there is a recorder."""
    for recorder in _recorders:
        recorder.record(measure, value, labels)
