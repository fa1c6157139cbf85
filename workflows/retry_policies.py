"""Timeouts and retry policies of all activities: the only place where retries are configured.

Temporal counts attempts. An activity with heartbeats gets `MOST_DEATHS` more attempts than configured, because an
attempt whose worker died does not count: `activities.calls.heartbeats` distinguishes them, and makes the last attempt
final.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Final, Literal, NotRequired, TypeAlias, TypedDict

from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, RetryState

from elcano.graphs.catalogue.sources import SourcePolicy, SourceSpec
from elcano.graphs.contracts import MOST_DEATHS
from elcano.graphs.spec.limits import ToolLimits
from elcano.graphs.state.failures import FailureType

CallHold: TypeAlias = Literal["provider", "person", "store"]
"""The reasons for which a call is held and made again."""


class Policy(TypedDict):
    """The options of `workflow.execute_activity` that make up a policy."""

    schedule_to_close_timeout: timedelta | None
    """Limit for all attempts, including waiting for a worker; None: no limit."""
    start_to_close_timeout: timedelta
    heartbeat_timeout: timedelta | None
    retry_policy: RetryPolicy
    schedule_to_start_timeout: NotRequired[timedelta]
    """Until a worker takes it, where not every worker does."""


_NEVER_AGAIN: Final = [FailureType.PAYLOADS_TOO_LARGE]
"""Temporal's own failures that it would retry forever; ours say themselves whether a retry can help."""

HEARTBEAT: Final = timedelta(seconds=30)
"""A worker that is silent for this long counts as dead, and another one repeats its calls.

Only silence distinguishes a dead worker from one that hangs: a throttled container, a paused machine, a laptop that
sleeps. A worker that continues within 20 s has 10 s left to send a heartbeat, so that none of its calls is paid twice;
the price is that the calls of a killed worker wait this long.
"""

FIRST_RETRY: Final = timedelta(milliseconds=500)
"""Before the try after one that failed or was cut off, doubled from try to try."""

PARTING: Final = timedelta(seconds=30)
"""Seconds that an abandoned call may take to report its usage; after that the run continues without it."""

WORKER_GRACE: Final = timedelta(minutes=10)
"""Extra seconds that the first call of a run may wait for a worker, beyond the run's own limit."""

_TOO_SLOW: Final = "TemporalTimeout:StartToClose"
"""Temporal's name for the failure of an activity that a worker started and did not finish in time."""
_HOLD_FIRST: Final = 2.0
_HOLD_LONGEST: Final = {"provider": 300.0, "person": 900.0, "store": 60.0}
"""Maximum backoff in seconds between two attempts of a held call; it doubles each time up to this."""
_HOLD_SHARE: Final = 0.01
_HOLD_MOST: Final = 3_600.0
"""After hours of waiting the backoff is this share of them, up to this many seconds. Every attempt is in the run's log,
and a hold may last a month, which is about 1,000 attempts; at one in five minutes it was 8,640."""


def hold_seconds(reason: CallHold, tries: int, retry_after: float | None, *, waited: float) -> float:
    """Return the backoff after a number of failed attempts; never less than the provider asked for, within a day.

    `waited`: seconds since the first of them.
    """
    longest = max(_HOLD_LONGEST[reason], min(_HOLD_SHARE * waited, _HOLD_MOST))
    backoff = min(_HOLD_FIRST * 2.0 ** min(tries - 1, 20), longest)
    return max(backoff, min(retry_after or 0.0, 86_400.0))


def is_worth_more(error: ActivityError, policy: Policy) -> bool:
    """Whether a call that has used up its attempts should get more: it was neither abandoned nor refused."""
    refused = policy["retry_policy"].non_retryable_error_types or ()
    of_its_kind = isinstance(error.cause, ApplicationError) and error.cause.type in refused
    return not of_its_kind and error.retry_state != RetryState.CANCEL_REQUESTED


def count_allowed_attempts(policy: Policy) -> int:
    """Count the failures after which a call has failed for good; attempts whose worker died do not count."""
    attempts = policy["retry_policy"].maximum_attempts
    return attempts if policy["heartbeat_timeout"] is None else attempts - MOST_DEATHS


def limit_to_run_time(policy: Policy, begun: bool, seconds: float) -> Policy:
    """Limit the policy of a call to the run's time for research; this binds only the first call, until it has `begun`.

    That one ends with the time for research even if no worker takes it: until then no clock runs.
    """
    if begun:
        return policy
    time = timedelta(seconds=seconds)
    retries = policy["retry_policy"]
    bounded = policy.copy()
    bounded["schedule_to_close_timeout"] = time + WORKER_GRACE
    bounded["start_to_close_timeout"] = min(policy["start_to_close_timeout"], time)
    bounded["retry_policy"] = replace(
        retries, non_retryable_error_types=[*(retries.non_retryable_error_types or ()), _TOO_SLOW]
    )
    return bounded


def apply_node_limits(policy: Policy, limits: ToolLimits | None) -> Policy:
    """Apply a node's own limits to the policy of its call; they only take away from it."""
    if limits is None or (limits.timeout_seconds is None and limits.attempts is None):
        return policy
    own = policy.copy()
    retries = policy["retry_policy"]
    if limits.attempts is not None:
        retries = replace(retries, maximum_attempts=limits.attempts + MOST_DEATHS)
    if limits.timeout_seconds is not None and limits.timeout_seconds < policy["start_to_close_timeout"].total_seconds():
        own["start_to_close_timeout"] = timedelta(seconds=limits.timeout_seconds)
        again = [kind for kind in retries.non_retryable_error_types or () if kind != _TOO_SLOW]
        never = again if limits.retry_slow else [*again, _TOO_SLOW]
        retries = replace(retries, non_retryable_error_types=never)  # too slow for its node, not for its run
    own["retry_policy"] = retries
    return own


def leave_time_to_worker(policy: Policy, limits: ToolLimits | None) -> tuple[Policy, float | None]:
    """The policy of a tool's call whose worker keeps the time of its node, and that time in seconds.

    The server gives it up later, after the silence of a worker that died: else that death would end a short call, which
    another worker can make. None: the node sets no time, or the tool has no heartbeat to die with.
    """
    time, silence = policy["start_to_close_timeout"], policy["heartbeat_timeout"]
    if silence is None or limits is None or limits.timeout_seconds != time.total_seconds():
        return policy, None
    own = policy.copy()
    own["start_to_close_timeout"] = time + 2 * silence
    retries = policy["retry_policy"]
    never = retries.non_retryable_error_types or ()
    if _TOO_SLOW in never:
        own["retry_policy"] = replace(retries, non_retryable_error_types=[*never, FailureType.TIMEOUT])
    return own, time.total_seconds()


def _build_policy(
    time: timedelta,
    interval: timedelta,
    attempts: int,
    *,
    silence: timedelta | None = HEARTBEAT,
    first: timedelta = FIRST_RETRY,
) -> Policy:
    """Return the policy of an activity; with 0 `attempts` it is retried until it works."""
    return Policy(
        schedule_to_close_timeout=None,
        start_to_close_timeout=time,
        heartbeat_timeout=silence,
        retry_policy=RetryPolicy(
            initial_interval=first,
            maximum_interval=interval,
            maximum_attempts=attempts + MOST_DEATHS if attempts else 0,
            non_retryable_error_types=_NEVER_AGAIN,
        ),
    )


AGENT: Final = _build_policy(timedelta(minutes=10), timedelta(minutes=1), 8)
"""Refusals and failures of a provider come back to the run, which holds."""

MODEL_QUEUE_PATIENCE: Final = timedelta(minutes=10)
"""Until a worker takes a call out of the queue of its model's provider; after that the run is held, and says so."""

TOOL: Final = _build_policy(timedelta(minutes=30), timedelta(seconds=30), 4, first=timedelta(seconds=1))
"""The first search of a large collection indexes it."""

CALL_TOOL: Final = Policy(**{**TOOL, "start_to_close_timeout": timedelta(seconds=660)})
"""The longest that a server may be given, and time to end its program. What writes says itself, in its second attempt,
that it is not called again."""


def choose_tool_policy(name: str, source: SourceSpec | None) -> Policy:
    """Return the policy of a tool; a search has that of its source, if the source has one."""
    if name == "call_tool":
        return CALL_TOOL
    if source is None or source.policy is None:
        return TOOL
    policy = TOOL.copy()
    policy["start_to_close_timeout"] = timedelta(seconds=source.policy.seconds)
    policy["retry_policy"] = replace(TOOL["retry_policy"], maximum_attempts=source.policy.attempts + MOST_DEATHS)
    if source.queue:
        policy["schedule_to_start_timeout"] = timedelta(seconds=source.policy.queue_seconds)
    return policy


def get_search_patience(source: SourceSpec | None) -> float:
    """Return the seconds for which a step is held for a source if another search of the step was answered."""
    return ((source.policy if source else None) or SourcePolicy()).patience_seconds


def ask_in(queue: str, seconds: float) -> Policy:
    """Return the policy of an agent whose calls wait in `queue`; empty: in the run's own, which every worker polls.

    `seconds`: how long an attempt may take.
    """
    policy = Policy(**{**AGENT, "start_to_close_timeout": timedelta(seconds=seconds)})
    return Policy(**{**policy, "schedule_to_start_timeout": MODEL_QUEUE_PATIENCE}) if queue else policy


def build_single_try_policy(patience: timedelta) -> Policy:
    """Return the policy for a waiting client: one attempt, given up after `patience`, with or without a worker."""
    return Policy(
        schedule_to_close_timeout=patience,
        start_to_close_timeout=patience,
        heartbeat_timeout=None,
        retry_policy=RetryPolicy(maximum_attempts=1),
    )


def _build_retry_rounds(first: timedelta, last_attempts: int) -> tuple[Policy, ...]:
    """Build the retry rounds of a run's end: a few, with ever more time.

    After the first round the run says why.

    The first one notices soon that a worker died. Before an attempt beats at all its input is fetched from where large
    payloads are kept, for which the later ones leave time. `first`: how long an attempt of the first round may take;
    `last_attempts`: in the last round, 0: until it works.
    """
    return (
        _build_policy(first, timedelta(seconds=30), 6),
        _build_policy(first * 10, timedelta(minutes=1), 6, silence=timedelta(minutes=1)),
        _build_policy(first * 120, timedelta(minutes=5), last_attempts, silence=timedelta(minutes=10)),
    )


PUBLISH: Final = _build_retry_rounds(timedelta(minutes=2), 11)
ARCHIVE: Final = _build_retry_rounds(timedelta(minutes=1), 0)
"""Archiving is retried without end: a run that is not archived would be lost."""


class LocalPolicy(TypedDict):
    """The options of `workflow.execute_local_activity` that make up a policy."""

    start_to_close_timeout: timedelta
    retry_policy: RetryPolicy


ARCHIVE_LOCALLY: Final = LocalPolicy(
    start_to_close_timeout=timedelta(seconds=5), retry_policy=RetryPolicy(maximum_attempts=1)
)
"""One short attempt within the workflow task: queries are not answered meanwhile."""

BOOKS: Final = _build_policy(timedelta(minutes=1), timedelta(minutes=1), 0, silence=None)
"""Reading the ledger, reopening a record: until it works."""
