"""What a tool works with: the function of a tool gets this and its input, and returns its output."""

from dataclasses import dataclass

from elcano.activities.services import Services
from elcano.storage.store import TenantStore


@dataclass(frozen=True)
class ToolWork:
    """One call of a tool."""

    store: TenantStore
    """What its results are kept in, bound to the tenant of the run."""
    run_id: str
    services: Services
    approval: str = ""
    """The id under which a person approved the call; empty: nobody was asked."""
