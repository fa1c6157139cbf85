"""What the routes work with, put together once when the application starts."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from api.stream import Feeds
from api.temporal import Temporal
from settings import Settings
from storage.store import Store


@dataclass(frozen=True)
class Services:
    """The store, Temporal, the feeds being read, and the settings."""

    settings: Settings
    store: Store
    temporal: Temporal
    feeds: Feeds


def _services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


Provided: TypeAlias = Annotated[Services, Depends(_services)]
