"""What tools work with, for tests that call their functions."""

from elcano.activities.services import NOTHING, Opened, Services
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolWork
from elcano.settings import Settings
from elcano.storage.store import TenantStore


def work_of(store: TenantStore, run_id: str = "run", *, given: Opened = NOTHING) -> ToolWork:
    """One call in a run; `given` are services that are open already."""
    return ToolWork(store, run_id, Services(Settings(_env_file=None), given), Sources({}))
