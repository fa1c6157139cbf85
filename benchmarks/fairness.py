"""Whether three worker processes together ask a provider no more often than it allows, and leave it alone when told.

A run searches a service that allows 3 requests a second, and which answers one of them with 429 and Retry-After: 5. The
service is a process of its own that notes when each request reaches it. Targets: never more than 33 requests in any ten
seconds, nor 4 in any one; after the 429 none for 5 s but those that were on their way.
"""

import asyncio
import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.server import archive_nothing, publish_nothing, temporal_server
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.calls.names import agent_activities
from elcano.activities.sources.registry import Sources
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode, ResearchGraph, SequentialEdge, ToolNode
from elcano.settings import Settings
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.storage.store import open_store
from elcano.worker import provider_worker
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.workflow.counting_service import Noted, counting
from tests.workflow.searching_worker import counted, searching

PER_SECOND: Final = 3.0
PROCESSES: Final = 3
SEARCHES: Final = 60
REFUSED: Final = 37
"""The request that is answered 429."""
RETRY_AFTER: Final = 5
ON_THE_WAY: Final = 1.0
"""Seconds: a request that had its turn at the moment of the refusal is not called back."""


def graph(source: str) -> ResearchGraph:
    """All searches at once, and a writer."""
    queries = json.dumps([str(number) for number in range(SEARCHES)])
    return ResearchGraph(
        name="fairness",
        nodes=(
            ToolNode(
                id="search",
                tool="search",
                for_each=f"`{queries}`",
                inputs={"source": f"'{source}'", "query": "item"},
                reducer="add_evidence",
            ),
            AgentNode(id="write", agent="writer", inputs={"question": "question"}),
        ),
        edges=(SequentialEdge(from_node="search", to_node="write"),),
        entry_node="search",
        exit_nodes=("write",),
    )


def most_within(times: Sequence[float], seconds: float) -> int:
    """The most of `times` in any window so long."""
    return max(sum(begin <= at < begin + seconds for at in times) for begin in times)


def told(asked: Sequence[Noted]) -> None:
    """Prints what the service saw."""
    times = [one.at for one in asked]
    (refused,) = (one.at for one in asked if one.refused)
    after = [at - refused for at in times if at > refused]
    early = [at for at in after if at < RETRY_AFTER]
    span = times[-1] - times[0]
    print(f"fairness  {len(asked)} requests of {PROCESSES} processes in {span:.0f} s, {PER_SECOND:g} a second allowed")
    print(f"fairness  at most {most_within(times, 1.0)} in any second (target <= 4)")
    print(f"fairness  at most {most_within(times, 10.0)} in any ten (target <= 33)")
    late = [at for at in early if at > ON_THE_WAY]
    back = min(at for at in after if at >= RETRY_AFTER)
    print(
        f"fairness  after the 429: {len(early)} were on their way, {len(late)} came later (target 0), "
        f"the next one after {back:.2f} s (target >= {RETRY_AFTER})"
    )


async def main() -> None:
    """Everything on one machine."""
    with TemporaryDirectory() as folder:
        async with temporal_server() as client:
            await _measure(client, Path(folder))
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


async def _measure(client: Client, folder: Path) -> None:
    address = client.service_client.config.target_host
    payloads = folder / "payloads"
    settings = Settings.model_validate(
        {"TEMPORAL_ADDRESS": address, "data_dir": folder, "objects_url": f"file://{payloads}"}
    )
    spec = counted(f"counted-{uuid.uuid4()}", PER_SECOND)
    SOURCES[spec.name] = spec
    own = await Client.connect(address, data_converter=data_converter(open_objects(settings.objects_url, folder)))
    async with open_store(folder) as store:
        agents = AgentActivities(store, Sources({}), settings)
        leading = Worker(
            own,
            task_queue=TASK_QUEUE,
            workflows=[ResearchWorkflow],
            activities=[*agent_activities(agents.run_agent), publish_nothing, archive_nothing],
            workflow_runner=workflow_runner(),
            build_id="benchmark",
        )
        with counting(folder / "asked", refuse=REFUSED, retry_after=RETRY_AFTER) as service:
            async with (
                leading,
                provider_worker(own, store, settings),
                searching(PROCESSES, settings, spec, service.url),
            ):
                run_id = f"run-{uuid.uuid4()}"
                asked = ResearchInput(run_id=run_id, question="Whales?", mode="fairness", graph=graph(spec.name))
                await own.execute_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=TASK_QUEUE)
            told(service.asked)


if __name__ == "__main__":
    asyncio.run(main())
