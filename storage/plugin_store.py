"""Stores of plugins, with their part of comparisons; the base of stores with only tables."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.settings.settings import Settings
from elcano.storage.sql.rows import Rows

Kind = TypeVar("Kind")


@runtime_checkable
class PluginStore(Protocol):
    """The data that one plugin stores next to the kernel, for all tenants."""

    def of(self, tenant: str) -> Any:
        """Return the data of one tenant, from which nothing of another can be reached."""
        ...

    async def delete_run(self, tenant: str, run_id: str) -> None:
        """Deletes all that it keeps of a run; of a run that is unknown nothing."""
        ...

    async def delete_tenant(self, tenant: str) -> None:
        """Ends the access that it gives a tenant, and deletes what it keeps of it besides the database's tables.

        Rows of tables in `storage.sql.tables.metadata` that have a tenant are deleted without its help. Repeating this
        changes nothing.
        """
        ...

    async def close(self) -> None:
        """Gives back what it holds open."""
        ...


class PluginTables(Rows):
    """A `PluginStore`, but for `of`, that keeps nothing of runs and has all else in tables of the kernel's database."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        """`engine`: of the store's database."""
        super().__init__(engine)

    async def delete_run(self, tenant: str, run_id: str) -> None:
        """Nothing of a run is kept."""

    async def delete_tenant(self, tenant: str) -> None:
        """The rows go with all others."""

    async def close(self) -> None:
        """The engine is the store's."""


def get_plugin_data(plugins: Mapping[str, Any], name: str, kind: type[Kind]) -> Kind:
    """The data of a plugin, by the name of its store, in the `plugins` of a store or of a tenant's store."""
    found = plugins[name]
    assert isinstance(found, kind)
    return found


@dataclass(frozen=True)
class Difference:
    """One difference, in words. Finding it changes nothing; `mend` does."""

    kind: str
    """Kind of the fault for programs: `run_unknown`."""
    tenant: str
    run_id: str
    """The run, or the branch of one, that it is about."""
    text: str
    """Description of the difference, a sentence without its full stop."""
    action: str
    """Effect of mending; without `mend`, what a person has to do."""
    mend: Callable[[], Awaitable[object]] | None = None
    """Mends it. It may be called again after it was cut off anywhere, and by several at once; None: nothing can.

    Raises:
        ElcanoError: it cannot be mended now; the text says why.
    """
