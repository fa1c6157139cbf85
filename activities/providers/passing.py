"""How searches pass the gate: those of a source with a queue as its provider allows, all others at once."""

from contextlib import AbstractAsyncContextManager

from elcano.activities.providers.gate import Gate
from elcano.activities.providers.queues import notify_provider_workflow
from elcano.activities.tools.search import Passing, pass_without_waiting
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.settings import Settings
from elcano.storage.store import Store


def through_gate(store: Store, settings: Settings) -> Passing:
    """Return the gate that searches of a worker with these settings pass through."""
    gate = Gate(store.providers, notify_provider_workflow)

    def passing(source: SourceSpec) -> AbstractAsyncContextManager[None]:
        if not source.queue:
            return pass_without_waiting(source)
        return gate.passing(source.name, source.queue, source.rate(settings.has))

    return passing
