"""The dependencies of the routes: shared ones, created once per process, and a tenant's, bound for each request.

A route about runs takes `Provided`: a store, feeds and settings that are bound to the tenant that asks, so that no
mistake in a route can reach another tenant's.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from elcano.api.http.identity import asker_of, tenant_of
from elcano.api.http.schemas import Link, RunView
from elcano.api.live.feed import Feed
from elcano.api.live.stream import Feeds
from elcano.api.runs.starter import Starter
from elcano.api.runs.writable import Writable
from elcano.api.temporal.client import Temporal
from elcano.graphs.identity import Tenant
from elcano.graphs.records import ArchivedRun
from elcano.settings import Settings
from elcano.storage.all_tenants import Admission
from elcano.storage.providers import ProviderStore
from elcano.storage.store import Store, TenantStore


@dataclass(frozen=True)
class Process:
    """The store and whether it can be written, Temporal, the feeds being read, and the settings."""

    settings: Settings
    store: Store
    temporal: Temporal
    feeds: Feeds
    writable: Writable
    workflows_page: str = ""
    """Of the Temporal UI; empty: its address is not known."""

    def of(self, tenant: Tenant) -> "Services":
        """Binds the services to a tenant."""
        return Services(
            tenant=tenant,
            settings=self.settings,
            store=self.store.of(tenant),
            admit=partial(self.store.admit, at_most=self.settings.open_runs),
            temporal=self.temporal,
            feeds=TenantFeeds(self.feeds, tenant),
            workflows_page=self.workflows_page,
            providers=self.store.providers,
        )


@dataclass(frozen=True)
class TenantFeeds:
    """The feeds of one tenant's runs."""

    _feeds: Feeds
    _tenant: Tenant

    def open(self, run_id: str) -> AbstractAsyncContextManager[Feed]:
        """The feed of a run.

        Raises:
            RunNotFound: the tenant has no such run.
        """
        return self._feeds.open(self._tenant, run_id)

    def forget(self, run_id: str) -> None:
        """Keeps nothing more of a run that was deleted; who reads it reads to its end."""
        self._feeds.forget(self._tenant, run_id)


@dataclass(frozen=True)
class Services:
    """The dependencies of one tenant's requests. Temporal is asked only about runs in this tenant's store."""

    tenant: Tenant
    settings: Settings
    store: TenantStore
    admit: Callable[[ArchivedRun], Awaitable[Admission]]
    """Takes a place for one of the tenant's runs among those of all."""
    temporal: Temporal
    feeds: TenantFeeds
    workflows_page: str
    providers: ProviderStore
    """How sources stand, which is the same for all tenants."""

    @property
    def starter(self) -> Starter:
        """What starts the tenant's runs."""
        return Starter(self.temporal, self.store, self.admit, self.settings)

    def linked(self, run: RunView) -> RunView:
        """A run with where more of it is: paths of this API, and its page in the Temporal UI."""
        path = f"/v1/runs/{run.run_id}"
        links: dict[Link, str] = {"events": f"{path}/events", "report": f"{path}/report"}
        if self.workflows_page:
            links["temporal_ui"] = f"{self.workflows_page}/{run.run_id}"
        return run.model_copy(update={"links": links})


def _get_process(request: Request) -> Process:
    found: Process = request.app.state.services
    return found


InProcess: TypeAlias = Annotated[Process, Depends(_get_process)]
"""For what is nobody's: whether the service is ready."""


async def _get_services(process: InProcess, tenant: Annotated[Tenant, Depends(tenant_of)]) -> Services:
    return process.of(tenant)


Provided: TypeAlias = Annotated[Services, Depends(_get_services)]


async def _get_asker(request: Request, process: InProcess) -> str:
    return asker_of(request, process.settings.user_header)


Asker: TypeAlias = Annotated[str, Depends(_get_asker)]
"""Who asks, for what is written down; empty if nobody is named."""
