"""The store, Temporal and the settings of a program that takes requests, and a tenant's share of them.

The API is one such program. A worker, which starts runs that were asked for earlier, is another: nothing here needs a
web framework.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.plugin import Surroundings, load_configured
from elcano.graphs.state.rubric import Rubric
from elcano.graphs.tenants import EVERYTHING, Allowance, AllowanceOf, Tenant, open_allowances
from elcano.service.permissions import Principal
from elcano.service.source_survey import SourceCatalogue, narrow_offer
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings.settings import Settings
from elcano.storage.admission import AdmissionRule
from elcano.storage.health import Probe, describe_store_error, store_trouble
from elcano.storage.providers import ProviderStore
from elcano.storage.rubric_files import known_domains
from elcano.storage.store import Store, TenantStore

GOOD_SECONDS: Final = 3.0
"""Seconds for which a check of the store counts: a disk fills up at once."""

ANSWER_SECONDS: Final = 3.0
"""Time limit of the store in health checks; monitoring waits seconds for an answer, not longer."""

_log = logging.getLogger("api.writable")


class Writable:
    """Asks the store, seldom."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._asking: asyncio.Task[str | None] | None = None
        self._good_until = 0.0
        self._forgotten = 0

    def forget(self) -> None:
        """Makes the next caller get a fresh answer. One that is under way may be older, and is not remembered."""
        self._good_until = 0.0
        self._forgotten += 1

    async def fault(self) -> str | None:
        """Why the store cannot be written; None if it can. Those who ask at the same time share the answer."""
        if time.monotonic() < self._good_until:
            return None
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._asked())
        return await asyncio.shield(self._asking)

    async def _asked(self) -> str | None:
        forgotten = self._forgotten
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._probe.write()
        except TimeoutError:
            _log.warning("the store did not take anything within %g s", ANSWER_SECONDS)
            return f"the store cannot be used: it did not answer within {ANSWER_SECONDS:g} s"
        except Exception as error:  # whatever it is, it is the answer
            if (trouble := store_trouble(error)) is None:
                _log.exception("the store cannot be written")
                return "the store cannot be written; the log says why"
            _log.warning("%s", describe_store_error(error))
            return trouble
        if forgotten == self._forgotten:
            self._good_until = time.monotonic() + GOOD_SECONDS
        return None


@dataclass(frozen=True)
class Services:
    """The dependencies of one tenant's requests. Temporal is asked only about runs in this tenant's store."""

    tenant: Tenant
    principal: Principal
    """Caller, and its permissions."""
    settings: Settings
    store: TenantStore
    temporal: Temporal
    forget_run: Callable[[str], None]
    """Drops a deleted run from this process's memory."""
    admission_rules: Sequence[AdmissionRule]
    """Further conditions for starting a run."""
    workflows_page: str
    """The list of workflows in the Temporal UI; empty: its address is not known."""
    providers: ProviderStore
    """State of sources, shared by all tenants."""
    sources: SourceCatalogue
    """The sources that the tenant may search; `settings` have no databases or tool servers but its own."""
    allowance: Allowance
    domains: Mapping[str, Rubric]
    """The rubrics by which evidence can be judged here, by name."""
    address: str
    """Base URL of this API for clients, without a trailing slash."""


@dataclass(frozen=True)
class Process:
    """The store and whether it can be written, Temporal, and the settings."""

    settings: Settings
    store: Store
    temporal: Temporal
    writable: Writable
    forget_run: Callable[[Tenant, str], None]
    workflows_page: str = ""

    @classmethod
    def of_worker(cls, around: Surroundings) -> "Process":
        """Build the one of a worker, which keeps no runs in memory."""
        temporal = Temporal(Connection(around.connect), TASK_QUEUE)
        return cls(around.settings, around.store, temporal, Writable(around.store.probe), lambda tenant, run_id: None)

    @cached_property
    def sources(self) -> SourceCatalogue:
        """The sources that there are."""
        return SourceCatalogue.of(self.settings)

    @cached_property
    def admission_rules(self) -> Sequence[AdmissionRule]:
        """The conditions of plugins for starting a run."""
        return load_configured("admission_rules", self.settings)

    @cached_property
    def domains(self) -> Mapping[str, Rubric]:
        """The rubrics that there are."""
        return known_domains(self.settings)

    @cached_property
    def _allowance_of(self) -> AllowanceOf:
        return open_allowances(self.settings)

    @cached_property
    def _narrowed(self) -> dict[Allowance, tuple[Settings, SourceCatalogue]]:
        """The settings and the sources under each allowance that was asked for."""
        return {EVERYTHING: (self.settings, self.sources)}

    def _narrow(self, allowance: Allowance) -> tuple[Settings, SourceCatalogue]:
        if allowance not in self._narrowed:
            self._narrowed[allowance] = narrow_offer(self.settings, self.sources, allowance)
        return self._narrowed[allowance]

    def of(self, principal: Principal) -> Services:
        """Binds the services to the tenant of a principal, with what it may use."""
        tenant = principal.tenant
        allowance = self._allowance_of(tenant)
        settings, sources = self._narrow(allowance)
        return Services(
            tenant=tenant,
            principal=principal,
            settings=settings,
            store=self.store.of(tenant),
            temporal=self.temporal,
            forget_run=partial(self.forget_run, tenant),
            admission_rules=self.admission_rules,
            workflows_page=self.workflows_page,
            providers=self.store.providers,
            sources=sources,
            allowance=allowance,
            domains=self.domains,
            address=self.settings.base_url.rstrip("/"),
        )
