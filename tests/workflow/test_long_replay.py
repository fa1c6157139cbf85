"""What a run does next may take a worker long to say: its history is long, and its payloads are far away."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import replace

from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.converter import PayloadCodec

from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from tests.api.serving import connecting
from tests.workflow.conftest import asking, worker_for

FAR = 6.0
"""Seconds."""


class FarAway(PayloadCodec):
    """The payloads of a worker's first task are fetched for so long."""

    def __init__(self) -> None:
        self._fetched = False

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return list(payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        if not self._fetched:
            self._fetched = True
            await asyncio.sleep(FAR)
        return list(payloads)


async def test_a_worker_that_replays_for_long_is_waited_for(temporal: Client, script: Script) -> None:
    far = replace(temporal.data_converter, payload_codec=FarAway())
    config = temporal.config() | {"data_converter": far}
    queue = run_id = f"run-{uuid.uuid4()}"

    await Temporal(Connection(connecting(temporal)), queue).start(asking(run_id), "graph")
    async with worker_for(Client(**config), queue, scripted_activities(script)):
        handle = temporal.get_workflow_handle(run_id)
        await handle.result()
    history = await handle.fetch_history()
    tasks = [event.event_type for event in history.events]
    assert EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED in tasks
    assert EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT not in tasks
