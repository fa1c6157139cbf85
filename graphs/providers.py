"""What workflows and activities say to each other of providers: sources and the services of models.

A provider is called by its source's name, or `model:` and the name of the service. Names and fields here are persisted
in histories, as those in `contracts.py` are.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.source_spec import LONGEST_QUERY, MOST_RESULTS
from elcano.graphs.frozen import Answer, Frozen
from elcano.graphs.values.providers import State
from elcano.graphs.values.tenant import DEFAULT_TENANT, Tenant

PROVIDER_QUEUE: Final = "elcano-providers"
"""The task queue of what is of no run: the workflows of this file. Its workers are of no version."""
PROVIDER_WORKFLOW: Final = "provider"
PROVIDER_CHANGED: Final = "changed"
"""The signal that the row of a provider is another one now."""
KEEP_QUEUE: Final = "keep_queue"
CHECK_WORKFLOW: Final = "source_check"
CHECK_SOURCE: Final = "check_source"
CHECK_SECONDS: Final = 30.0
"""How long somebody waits for a check of a source."""
MODEL_PREFIX: Final = "model:"


def workflow_id(provider: str) -> str:
    """The id of the workflow that looks after a provider while something is wrong with it."""
    return f"elcano-provider-{provider}"


def model_queue(provider: str) -> str:
    """The task queue of calls of models of a provider whose rate is set."""
    return f"elcano-model-{provider}"


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
    """What its queue was limited to, 0 if nothing is given out; None: only to the provider's own rate."""
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
    """Who asks: of a source that searches what was kept, the passages of this tenant."""


class FoundPassage(Frozen):
    """A passage that a check found."""

    title: str
    locator: str
    excerpt: str
    """The beginning of the passage."""


class SourceChecked(Answer):
    """The results of a source check."""

    query: str
    """As it was asked: a source may take less."""
    passages: tuple[FoundPassage, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    """For the search alone, without waiting for its turn."""
