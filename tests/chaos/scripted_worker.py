"""A worker of scripted activities as a process of its own, to be killed. It notes in a file what it does."""

import asyncio
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor, Worker

from elcano.graphs.contracts import PublishCall
from elcano.graphs.records import ArchiveCall
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows import retry_policies
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

NOTICED = timedelta(seconds=2)
"""After so long the server takes a worker for dead; for calls outside of tests that is half a minute."""
LONGEST_CALL = 0.03
"""Seconds."""


class Note(BaseModel):
    """One activity began, or was done and is about to be reported to the server."""

    what: Literal["begun", "done"]
    run_id: str
    activity_id: str
    publish: PublishCall | None = None
    archive: ArchiveCall | None = None


def notes(path: Path) -> list[Note]:
    """What was noted so far, whole lines only."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    return [Note.model_validate_json(line) for line in lines]


class Noting(Interceptor):
    """Notes every activity in the file `path`, and draws from `seed` how long it takes."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self._random = random.Random(seed)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Noted(next, self)

    async def linger(self) -> None:
        await asyncio.sleep(self._random.uniform(0, LONGEST_CALL))

    def note(self, what: Literal["begun", "done"], call: object) -> None:
        info = activity.info()
        line = Note(
            what=what,
            run_id=info.workflow_id or "",
            activity_id=info.activity_id,
            publish=call if isinstance(call, PublishCall) else None,
            archive=call if isinstance(call, ArchiveCall) else None,
        )
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line.model_dump_json() + "\n")


class _Noted(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, noting: Noting) -> None:
        super().__init__(next)
        self._noting = noting

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        (call,) = input.args
        self._noting.note("begun", call)
        await self._noting.linger()
        result = await super().execute_activity(input)
        self._noting.note("done", call)
        return result


def serve(
    address: str, queue: str, payloads: Path, path: Path, seed: int, script: Callable[[], Script] = Script
) -> None:
    """The process: works until it is killed."""
    asyncio.run(_work(address, queue, payloads, Noting(path, seed), script()))


async def _work(address: str, queue: str, payloads: Path, noting: Noting, script: Script) -> None:
    for policy in (retry_policies.AGENT, retry_policies.TOOL, *retry_policies.PUBLISH, *retry_policies.ARCHIVE):
        policy["heartbeat_timeout"] = NOTICED
    worker = Worker(
        await Client.connect(address, data_converter=data_converter(open_objects("", payloads))),
        task_queue=queue,
        workflows=[ResearchWorkflow],
        activities=scripted_activities(script),
        interceptors=[noting],
        workflow_runner=workflow_runner(),
        sticky_queue_schedule_to_start_timeout=NOTICED,
        build_id="scripted",  # else the SDK reads the code of every module, which takes longer than the run
    )
    await worker.run()
