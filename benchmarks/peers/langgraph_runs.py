"""LangGraph, in the peers' environment: `sqlite FILE`, `postgresql URL` or, by Temporal's plugin, `temporal ADDRESS`.

Savers write every step before the next one begins (`durability="sync"`): by default they do it meanwhile, and a program
that dies may have done a step that nobody knows of.
"""

import uuid
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import Any, Final, TypedDict

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import START, StateGraph
    from psycopg.rows import dict_row
    from psycopg_pool import AsyncConnectionPool
    from temporalio.client import Client
    from temporalio.langgraph import LangGraphPlugin, graph
    from temporalio.worker import Worker

    from benchmarks.peers.work import AUTHOR, take_turns

QUEUE: Final = "langgraph"
CONNECTIONS: Final = 10
UNBOUNDED: Final = {"recursion_limit": 1_000}


class State(TypedDict):
    """Of every graph."""

    text: str


async def write_text(state: State) -> State:
    """The next text."""
    return {"text": AUTHOR.write(state["text"])}


@cache
def chain(steps: int) -> Any:
    """A graph of so many nodes in a row."""
    made = StateGraph(State)
    names = [f"n{number:03d}" for number in range(steps)]
    for name in names:
        made.add_node(name, write_text, metadata={"execute_in": "activity"})
    for before, name in pairwise([START, *names]):
        made.add_edge(before, name)
    return made


@workflow.defn(name="langgraph")
class Chain:
    """As the plugin's documentation has it."""

    @workflow.run
    async def run(self, steps: int) -> None:
        """Runs the graph of so many nodes."""
        await graph(str(steps)).compile().ainvoke({"text": ""}, UNBOUNDED)


async def main(kind: str, where: str, *lengths: str) -> None:
    """Works until nothing more is asked; runs have one of these lengths."""
    async with AsyncExitStack() as opened:
        if kind == "temporal":
            plugin = LangGraphPlugin(
                graphs={length: chain(int(length)) for length in lengths},
                default_activity_options={"start_to_close_timeout": timedelta(minutes=1)},
            )
            client = await Client.connect(where)
            await opened.enter_async_context(
                Worker(
                    client,
                    task_queue=QUEUE,
                    workflows=[Chain],
                    plugins=[plugin],
                    max_concurrent_activities=500,
                    max_cached_workflows=1_000,
                )
            )

            async def run(steps: int) -> str:
                run_id = f"langgraph-{uuid.uuid4()}"
                await client.execute_workflow(Chain.run, steps, id=run_id, task_queue=QUEUE)
                return run_id

        else:
            if kind == "sqlite":
                saver: Any = await opened.enter_async_context(AsyncSqliteSaver.from_conn_string(where))
            else:
                options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
                pool = AsyncConnectionPool(where, max_size=CONNECTIONS, kwargs=options, open=False)
                saver = AsyncPostgresSaver(await opened.enter_async_context(pool))
            await saver.setup()
            graphs = {int(length): chain(int(length)).compile(checkpointer=saver) for length in lengths}

            async def run(steps: int) -> str:
                run_id = str(uuid.uuid4())
                config = {**UNBOUNDED, "configurable": {"thread_id": run_id}}
                await graphs[steps].ainvoke({"text": ""}, config, durability="sync")
                return run_id

        await take_turns(run)
