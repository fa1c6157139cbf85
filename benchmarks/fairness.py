"""Whether worker processes share a provider: no more often than it allows, left alone when told, tenants in turn.

A run searches a service that allows 3 requests a second, and which answers one of them with 429 and Retry-After: 5. The
service is a process of its own that notes when each request reaches it. Targets: never more than 33 requests in any ten
seconds, nor 4 in any one; after the 429 none for 5 s but those that were on their way.

And 150 searches of one tenant wait in a source's queue when 15 of another come: the last of these is among the first
45. Of batch searches none goes before an interactive one that waits.
"""

import json
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Final

from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.server import archive_nothing, publish_nothing, research_worker, settings_for
from elcano.activities.agents.agent_activity import AgentActivities, agent_activities
from elcano.activities.sources.registry import Sources
from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.graphs.contracts import TASK_QUEUE, RunPriority
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode, ResearchGraph, SequentialEdge, ToolNode
from elcano.storage.payloads import connect_config
from elcano.storage.store import open_store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.worker import provider_worker
from elcano.workflows.research import ResearchWorkflow
from tests.sources import Shelf
from tests.workflow.counting_service import Noted, counting
from tests.workflow.crowd import Crowd, last_place, searches, serve
from tests.workflow.searching_worker import counted, searching

PER_SECOND: Final = 3.0
RETRY_AFTER: Final = 5
ON_THE_WAY: Final = 1.0
"""Seconds: a request that had its turn at the moment of the refusal is not called back."""


def graph(source: str, searches: int) -> ResearchGraph:
    """All searches at once, and a writer."""
    queries = json.dumps([str(number) for number in range(searches)])
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


def tell(bench: Bench, asked: Sequence[Noted]) -> None:
    """Tells what the service saw."""
    times = [one.at for one in asked]
    (refused,) = (one.at for one in asked if one.refused)
    after = [at - refused for at in times if at > refused]
    early = [at for at in after if at < RETRY_AFTER]
    back = min(at for at in after if at >= RETRY_AFTER)
    bench.say(f"{len(asked)} requests in {times[-1] - times[0]:.0f} s; {len(early)} were on their way after the 429")
    bench.tell("most in a second / allowed", most_within(times, 1.0) / (PER_SECOND + 1))
    bench.tell("most in ten / allowed", most_within(times, 10.0) / (10 * PER_SECOND + 3))
    bench.tell("asked in spite of a 429", sum(at > ON_THE_WAY for at in early))
    bench.tell("back / when asked to", back / RETRY_AFTER)


async def main(bench: Bench) -> None:
    """Everything on one machine."""
    async with bench.temporal() as client:
        spec = counted(f"counted-{uuid.uuid4()}", PER_SECOND)
        SOURCES[spec.name] = spec
        try:
            await _measure(bench, client, spec)
            await _measure_turns(bench, client)
        finally:
            del SOURCES[spec.name]


async def _measure(bench: Bench, client: Client, spec: SourceSpec) -> None:
    settings = settings_for(client, bench.folder)
    own = await Client.connect(**connect_config(settings))
    async with open_store(bench.folder) as store:
        agents = AgentActivities(store, Sources({}), settings)
        activities: list[Callable[..., Any]] = [*agent_activities(agents.run_agent), publish_nothing, archive_nothing]
        searches, processes = bench.choose(60, 5), bench.choose(3, 1)
        with counting(bench.folder / "asked", refuse=bench.choose(37, 3), retry_after=RETRY_AFTER) as service:
            async with (
                research_worker(own, TASK_QUEUE, activities),
                provider_worker(own, store, settings),
                searching(processes, settings, spec, service.url),
            ):
                asked = ResearchInput(
                    run_id=f"run-{uuid.uuid4()}",
                    question="Whales?",
                    mode="fairness",
                    graph=graph(spec.name, searches),
                )
                await own.execute_workflow(ResearchWorkflow.run, asked, id=asked.run_id, task_queue=TASK_QUEUE)
            tell(bench, service.asked)


async def _measure_turns(bench: Bench, client: Client) -> None:
    many, few = bench.choose(10, 2), bench.choose(15, 3)
    own = await Client.connect(**connect_config(settings_for(client, bench.folder)))
    order = await _order_of(bench, own, [("many", many, few, "interactive"), ("few", 1, few, "interactive")])
    bench.say(f"the last of {few} is number {last_place(order, 'few')} of {len(order)}")
    bench.tell("last of few / three times as many", last_place(order, "few") / (3 * few))
    order = await _order_of(bench, own, [("many", many, few, "batch"), ("few", 1, few, "interactive")])
    bench.tell("batch before interactive", last_place(order, "few") - few)


async def _order_of(bench: Bench, client: Client, crowds: Sequence[tuple[str, int, int, RunPriority]]) -> list[str]:
    """Whose searches were given out, in their order: of tenants with so many runs of so many searches each."""
    spec = SourceSpec(
        name=f"turns-{uuid.uuid4()}",
        kind="articles",
        description="Everybody searches it.",
        limits=SourceLimits(per_second=100.0, side_by_side=1),
        policy=SourcePolicy(queue_seconds=600),
    )
    SOURCES[spec.name] = spec
    activities = [*scripted_activities(Script())]
    queued = 0
    try:
        async with open_store(bench.folder) as store, research_worker(client, spec.name, activities):
            crowd = Crowd(client, spec.name)
            for tenant, runs, searches_a_run, priority in crowds:
                for _ in range(runs):
                    await crowd.start(tenant, searches(spec, tenant, searches_a_run), priority)
                queued += runs * searches_a_run
                await crowd.until_queued(spec.queue, queued)
            return await serve(client, store, Shelf(spec), crowd)
    finally:
        del SOURCES[spec.name]
