"""A run of a tenant, with something of every kind, as it is left in the store; and a Temporal that is away."""

from temporalio.client import Client

from elcano.graphs.frozen import JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchivedRun
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.service.errors import TemporalUnavailable
from elcano.storage.store import TenantStore
from tests.unit.storage.test_tenants import leave_all

ULID = "01kb1q3yw5v7c8m2n4p6r8t0vx"


async def connect_to_nothing() -> Client:
    raise TemporalUnavailable("Temporal is away")


async def leave_run(own: TenantStore, question: str = "Why?") -> str:
    """Leave an ended run, a graph and an agent; returns the run's id."""
    run_id = f"{own.tenant}-{ULID}"
    await leave_all(own, run_id)
    found = await own.runs.get(run_id)
    assert isinstance(found, ArchivedRun)
    await own.runs.archive(found.model_copy(update={"question": question}), await own.runs.events(run_id))
    await own.graphs.keep(MODES["simple"].model_copy(update={"name": f"graph_of_{own.tenant}"}))
    output: JsonObject = {"type": "object", "properties": {"answer": {"type": "string"}}}
    agent = OwnAgent(name=f"agent_of_{own.tenant}", instructions=question, output=output)
    await own.agents.keep(agent)
    return run_id
