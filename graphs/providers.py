"""Messages between workflows and activities about providers: sources and the services of models.

A provider is named by its source, or by `model:` and the name of the service. Names and fields here are persisted in
histories, as those in `contracts.py` are.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.catalogue.sources import LONGEST_QUERY, MOST_RESULTS
from elcano.graphs.frozen import Answer, Frozen
from elcano.graphs.tenants import DEFAULT_TENANT, Tenant
from elcano.graphs.text import shorten_text

PROVIDER_QUEUE: Final = "elcano-providers"
"""The task queue of what is of no run: the workflows of this file. Its workers are of no version."""
PROVIDER_WORKFLOW: Final = "provider"
PROVIDER_CHANGED: Final = "changed"
"""The signal that the row of a provider is another one now."""
KEEP_QUEUE: Final = "keep_queue"
LIMIT_REASON: Final = "elcano: "
"""The prefix of the reason of a queue's limit that we set."""
CHECK_WORKFLOW: Final = "source_check"
CHECK_SOURCE: Final = "check_source"
CHECK_SECONDS: Final = 30.0
"""Seconds that the API waits for a check of a source."""
MODEL_PREFIX: Final = "model:"


def workflow_id(provider: str) -> str:
    """The id of the workflow that looks after a provider while something is wrong with it."""
    return f"elcano-provider-{provider}"


State: TypeAlias = Literal["ready", "waiting", "failing", "trial"]
"""`waiting`: it asked to. `failing`: it is left alone, because it failed. `trial`: single calls try if it is back."""


class ProviderQueue(Frozen):
    """Input of the workflow of a provider and of `keep_queue`."""

    provider: str
    queue: str
    """The task queue of its calls."""


class QueueState(Frozen):
    """Output of `keep_queue`: what the provider's queue goes by now."""

    state: State
    next_look: float | None = None
    """Seconds until it may be otherwise; None: nothing is wrong."""
    per_second: float | None = None
    """The limit of its queue, 0 if nothing is handed out; None: only the provider's own rate."""
    said: str = ""
    """All of that for people, in a line."""


class SourceCheck(Frozen):
    """Input of the check of a source: one search that belongs to no run, and of which nothing is kept."""

    source: str
    queue: str
    """The task queue of its searches."""
    query: str = Field(min_length=1, max_length=LONGEST_QUERY)
    limit: int = Field(default=5, ge=1, le=MOST_RESULTS)
    tenant: Tenant = DEFAULT_TENANT
    """The tenant: a source that searches stored passages uses this tenant's."""


class FoundPassage(Frozen):
    """A passage that a check found."""

    title: str
    locator: str
    excerpt: str
    """The beginning of the passage."""


class SourceChecked(Answer):
    """The results of a source check."""

    query: str
    """The query as sent: a source may accept less."""
    passages: tuple[FoundPassage, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    """The duration of the search alone, without waiting for its turn."""


SPACING: Final = 1.1
"""Turns are a tenth further apart than the rate says: between a worker's turn and the service are a machine that may be
busy and a network, and calls that were delayed come nearer to those behind them."""
FAILURES: Final = 5
"""Number of failures in a row, of all workers together, that opens the circuit breaker."""
FIRST_REST: Final = 5.0
LONGEST_REST: Final = 300.0
"""Seconds for which a provider that fails is left alone: doubled each time, up to this."""
TRIAL_SECONDS: Final = 5.0
"""Between two calls that try whether it is back."""
TRIAL_LASTS: Final = 600.0
"""Seconds without a call after which it counts as recovered, and the next failure as the last of a row."""
LONGEST_ASKED: Final = 86_400.0
"""Seconds; a provider that asks for more is asked again after a day."""
LONGEST_TURN: Final = 15.0
"""Seconds that a worker keeps a call which waits for its turn; one that would wait longer goes back to Temporal."""
ERROR_CHARACTERS: Final = 300


class Provider(Frozen):
    """The stored state of a provider. Times are seconds since the epoch, by the clock of the store."""

    next_turn: float = 0.0
    """No call may go before; only of a provider with a rate."""
    held_until: float = 0.0
    """It is not called before this time."""
    asked: bool = False
    """Whether it asked for this wait itself."""
    failures: int = Field(default=0, ge=0)
    """Number of failures in a row."""
    openings: int = Field(default=0, ge=0)
    """Consecutive times that its circuit breaker opened; 0: it does not count as failing."""
    since: float = 0.0
    """When the first failure of the row was, or when it asked to wait; 0: nothing is wrong."""
    error: str = ""
    """Its last error message. It stays when the provider answers again."""
    error_at: float = 0.0


class Turn(Frozen):
    """A call may go in `seconds`, and not much later: then its turn is over."""

    seconds: float = 0.0
    interval: float = 0.0
    """Seconds to the turn of the next call; 0: as many go as come."""


class Backoff(Frozen):
    """No call may go for `seconds`; `why` is for people."""

    seconds: float
    why: str


def get_provider_state(provider: Provider, now: float) -> State:
    """Return the provider's state."""
    if provider.held_until > now:
        return "waiting" if provider.asked else "failing"
    return "trial" if provider.openings else "ready"


def admit_provider_call(provider: Provider, now: float, per_second: float | None) -> tuple[Provider, Turn | Backoff]:
    """Admit a call: return the provider's new state and when the call may go; `per_second` None: no rate limit."""
    if provider.held_until > now:
        return provider, Backoff(seconds=provider.held_until - now, why=provider.error)
    turn = max(provider.next_turn, now)
    if provider.openings:  # one at a time: the others are not kept waiting here for an answer that may not come
        if turn > now:
            return provider, Backoff(seconds=turn - now, why=f"a call tries whether it is back; {provider.error}")
        return provider.model_copy(update={"next_turn": now + TRIAL_SECONDS}), Turn()
    if not per_second:
        return provider, Turn()
    if turn - now > LONGEST_TURN:
        return provider, Backoff(seconds=turn - now, why=f"{turn - now:.0f} s of other calls are before this one")
    interval = SPACING / per_second
    return provider.model_copy(update={"next_turn": turn + interval}), Turn(seconds=turn - now, interval=interval)


def record_provider_answer(provider: Provider, now: float) -> Provider:
    """Record that the provider answered, even with a refusal: it works. A pause that it asked for stays."""
    if not provider.failures and not provider.openings:
        return provider
    calm: dict[str, float] = {"failures": 0, "openings": 0}
    if provider.openings:  # who comes next need not wait as long as one who tries
        calm["next_turn"] = min(provider.next_turn, now + 1.0)
    if not provider.asked:
        calm |= {"held_until": 0.0, "since": 0.0}
    return provider.model_copy(update=calm)


def record_provider_failure(provider: Provider, now: float, error: str, retry_after: float | None) -> Provider:
    """Record that it did not answer, or asked to wait for `retry_after` seconds."""
    first = provider.since if provider.failures or provider.held_until > now else now
    said = {"error": shorten_text(error, ERROR_CHARACTERS), "error_at": now, "since": first}
    if retry_after is not None and retry_after > 0:
        until = max(provider.held_until, now + min(retry_after, LONGEST_ASKED))
        return provider.model_copy(update={**said, "held_until": until, "asked": True})
    failures = provider.failures + 1
    said["failures"] = failures
    resting = provider.held_until > now  # a call that was under way when it began to be left alone
    if resting or (not provider.openings and failures < FAILURES):
        return provider.model_copy(update=said)
    rest = min(FIRST_REST * 2.0 ** min(provider.openings, 20), LONGEST_REST)
    opened = {"openings": provider.openings + 1, "held_until": now + rest, "asked": False}
    return provider.model_copy(update={**said, **opened})


def adjust_to_clock(provider: Provider, now: float) -> Provider:
    """Return the state by a clock that was set back since it was stored, so that no call waits for the former time."""
    back = provider.error_at - now
    if back <= 0:
        return provider
    times = ("next_turn", "held_until", "since", "error_at")
    return provider.model_copy(update={name: max(0.0, getattr(provider, name) - back) for name in times})


def looked_at(provider: Provider, now: float) -> Provider:
    """Return the provider's state, corrected if no call has tried it for long."""
    if provider.openings and now - provider.held_until > TRIAL_LASTS:
        return provider.model_copy(update={"openings": 0, "failures": FAILURES - 1})
    return provider
