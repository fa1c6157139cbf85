"""What the routes work with, put together once when the application starts."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from elcano.api.live.stream import Feeds
from elcano.api.runs.writable import Writable
from elcano.api.temporal.client import Temporal
from elcano.settings import Settings
from elcano.storage.store import Store, TenantStore


@dataclass(frozen=True)
class Services:
    """The store and whether it can be written, Temporal, the feeds being read, and the settings."""

    settings: Settings
    store: Store
    temporal: Temporal
    feeds: Feeds
    writable: Writable

    @property
    def kept(self) -> TenantStore:
        """What is kept for whoever asks."""
        return self.store.of("default")


def _services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


Provided: TypeAlias = Annotated[Services, Depends(_services)]
