"""Temporal's command line on 33 runs in four states: each ends as `docs/temporal.md` says, and no list breaks.

What a model was asked is in the ledger, and the ledger is the budget, whatever was done to the run.
"""

import asyncio
import shlex
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import httpx
import pytest
from temporalio.client import Client

from elcano.dev.temporal import temporal_binary
from elcano.graphs.contracts import CONTROL_SIGNAL, CONTROL_UPDATE
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, until, working
from tests.api.asking import start

Json = dict[str, Any]
State: TypeAlias = Literal["working", "paused", "held", "ended"]
STOP: Final = '{"action": {"kind": "stop", "reason": "ops"}}'
VERSIONS: Final = "workflow update-options --versioning-override-behavior"
UNKNOWN_VERSION: Final = (
    "pinned --versioning-override-deployment-name none --versioning-override-build-id none"  # no worker has it
)
OTHER: Final = "--type research --task-queue none"
"""A workflow of another program, under the id of a run."""
READS: Final = ("metadata", "stack", "describe", "show")
BATCH: Final = "BATCH"
"""In a command: it is done by a batch job, to all workflows of a query."""


class Case(NamedTuple):
    """What is done to a run in a state, each twice, and the statuses that it may end with."""

    state: State
    commands: Sequence[str]
    ends: Sequence[str]
    cuts_off: bool = False
    """Whether a call may be cut off, of which the ledger then has an estimate or nothing."""
    is_refused: bool = False
    """Whether the command is refused."""


ALL: Final = ("completed", "unanswered", "partial")
CASES: Final = (
    Case("working", ["workflow cancel"], ["cancelled"], True),
    Case("working", ["workflow terminate --reason ops"], ["terminated"], True),
    Case("working", [f"workflow signal --name {CONTROL_SIGNAL}"], ALL),
    Case("working", [f"workflow signal --name {CONTROL_SIGNAL} --input 1", "workflow signal --name unknown"], ALL),
    Case("working", [f"workflow update execute --name {CONTROL_UPDATE} --input 1"], ALL, is_refused=True),
    Case("working", [f"workflow update execute --name {CONTROL_UPDATE} --input '{STOP}'"], ["stopped"], True),
    Case("working", ["workflow reset --type LastWorkflowTask --reason ops"], ALL, True),
    Case("working", ["workflow reset --type FirstWorkflowTask --reason ops"], ALL, True),
    Case("working", ["activity pause", "activity unpause"], ALL),
    Case("working", ["activity reset"], ALL),
    Case("working", ["activity update-options --start-to-close-timeout 200s"], ALL),
    Case("working", ["activity update-options --heartbeat-timeout 2s"], ALL, True),
    Case("working", ["activity update-options --retry-maximum-attempts 1"], ALL),
    Case("working", ["activity update-options --schedule-to-close-timeout 1s"], [*ALL, "failed"], True),
    Case("working", ["activity complete --result 1"], ["failed"], True),
    Case("working", ["activity fail --reason ops"], [*ALL, "failed"], True),
    Case("working", ["workflow pause --reason ops", "workflow unpause"], ALL),
    Case("working", ["workflow pause --reason ops", "workflow cancel"], ["cancelled"], True),
    Case("working", ["workflow delete --yes"], ["terminated"], True),
    Case("working", [f"workflow {one}" for one in READS], ALL),
    Case("working", [f"{VERSIONS} auto_upgrade", f"{VERSIONS} unspecified"], ALL),
    Case("working", [f"{VERSIONS} {UNKNOWN_VERSION}"], ALL, is_refused=True),
    Case("working", [f"workflow signal-with-start --signal-name unknown --signal-input 1 {OTHER}"], ALL),
    Case("paused", [f"{VERSIONS} auto_upgrade", f"workflow signal --name {CONTROL_SIGNAL} --input 1"], ALL),
    Case("paused", [f"workflow signal --name {CONTROL_SIGNAL}"], ALL),
    Case("paused", ["workflow terminate --reason ops"], ["terminated"], True),
    Case("held", ["workflow cancel"], ["cancelled"], True),
    Case("held", ["workflow pause --reason ops", "workflow terminate --reason ops"], ["terminated"], True),
    Case("ended", ["workflow reset --type LastWorkflowTask --reason ops"], ALL),
    Case("ended", ["workflow delete --yes"], ALL),
    Case("ended", ["workflow terminate --reason ops", "workflow cancel", "workflow pause"], ALL, is_refused=True),
    Case("ended", [f"workflow start {OTHER} --input 1", "workflow terminate --reason ops"], ALL),
    Case("ended", [f"{VERSIONS} auto_upgrade", "activity update-options --task-queue none"], ALL, is_refused=True),
)


class Operator:
    """Temporal's command line, for the server of a client."""

    def __init__(self, client: Client) -> None:
        self._address = client.service_client.config.target_host

    async def do(self, command: str, run_id: str, activity: str) -> tuple[int, str]:
        """Run a command on a run, or on its call; return its exit code, and what it prints."""
        named = ["--workflow-id", run_id, *(["--activity-id", activity] if command.startswith("activity") else [])]
        if BATCH in command:
            named = ["--query", f'WorkflowId = "{run_id}"', "--yes", "--reason", "ops"]
        return await self.run(*shlex.split(command.replace(BATCH, "")), *named)

    async def run(self, *words: str) -> tuple[int, str]:
        """Run a command; return its exit code, and what it prints."""
        binary = temporal_binary()
        assert binary is not None
        call = [binary, *words, "--address", self._address]
        while True:
            process = await asyncio.create_subprocess_exec(*call, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
            said, _ = await asyncio.wait_for(process.communicate(), 60)
            if b"Max concurrent batch operations" not in said:  # a namespace has one at a time
                return process.returncode or 0, said.decode()
            await asyncio.sleep(0.2)


async def bring_into(state: State, api: httpx.AsyncClient, provider: Provider, question: str) -> str:
    """The id of a run in this state."""
    if state == "held":
        provider.off.add(("thinking", question))
    elif state != "ended":
        provider.slow[("thinking", question)] = 4.0
    run_id = await start(api, question, budget={"when_exhausted": "pause"})

    async def is_there() -> bool:
        view = (await api.get(f"/v1/runs/{run_id}")).json()
        return bool(view["status"] != "running" if state == "ended" else view["stage"] == "held")

    if state in ("held", "ended"):
        await until(is_there)
    else:
        await provider.asked(("thinking", question))
    if state == "paused":
        assert (await api.post(f"/v1/runs/{run_id}/pause")).status_code == 202
    return run_id


@dataclass
class Stand:
    """What each run is checked against."""

    api: httpx.AsyncClient
    store: Store
    provider: Provider
    operator: Operator
    wrong: list[str] = field(default_factory=list)

    async def play(self, number: int, case: Case) -> None:
        """Brings a run into its state, does to it what is to be done, and notes what is wrong with its end."""
        question = f"{QUESTION} ({number})"
        run_id = await bring_into(case.state, self.api, self.provider, question)
        await self.do_all(case, run_id)
        self.provider.off.discard(("thinking", question))
        if case.state == "paused":
            await self.api.post(f"/v1/runs/{run_id}/unpause")
        faults = [fault async for fault in self.find_faults(run_id, question, case)]
        self.wrong += [f"{number}, {case.state}, {case.commands}: {fault}" for fault in faults]

    async def do_all(self, case: Case, workflow_id: str) -> None:
        for command in case.commands:
            await self.do(command, workflow_id, may_fail=case.is_refused)
            await self.do(command, workflow_id, may_fail=True)

    async def do(self, command: str, run_id: str, *, may_fail: bool) -> None:
        view = await self.api.get(f"/v1/runs/{run_id}")
        assert view.status_code == 200, f"before {command}: {view.text}"
        pending = view.json()["pending"]
        code, said = await self.operator.do(command, run_id, next((one["activity_id"] for one in pending), "none"))
        if code and not may_fail:
            self.wrong.append(f"{command}: {said}")
        listed = await self.api.get("/v1/runs", params={"limit": 50})
        if listed.status_code != 200 or run_id.partition(".")[0] not in listed.text:
            self.wrong.append(f"{command}: the list answers {listed.status_code}")

    async def find_faults(self, run_id: str, question: str, case: Case) -> AsyncIterator[str]:
        try:
            view = await self.wait_for_end(run_id)
        except TimeoutError:
            yield f"stuck: {(await self.api.get(f'/v1/runs/{run_id}')).json()}"
            return
        if view["status"] not in case.ends:
            yield f"{view['status']}, {view['failure']}"
        noted = await self.store.of("default").ledger.entries(run_id, branches=True)
        requests = sum(one.usage.requests for one in noted if one.kind == "agent")
        own = question.removeprefix(QUESTION)
        asked = sum(task.question.endswith(own) for task in self.provider.model.tasks)
        if requests > asked or (requests < asked and not case.cuts_off):
            yield f"the ledger has {requests} requests, the model {asked}"

    async def wait_for_end(self, run_id: str) -> Json:
        """The run's view once it and the list say the same end, and its budget says what the ledger does.

        A call whose activity somebody completed or failed still reports.
        """
        view: Json = {}

        async def is_over() -> bool:
            view.update((await self.api.get(f"/v1/runs/{run_id}")).json())
            listed = (await self.api.get("/v1/runs", params={"limit": 50})).json()["runs"]
            used = (await self.store.of("default").ledger.used(run_id)).tokens
            return (
                view["status"] != "running"
                and [one["status"] for one in listed if one["run_id"] == run_id] == [view["status"]]
                and view["budget"]["used"]["tokens"] == used
            )

        await until(is_over)
        return view


@pytest.mark.long
async def test_runs_stay_true_under_temporals_command_line(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    stand = Stand(api, store, Provider(), Operator(temporal))
    async with working(temporal, store, api_settings, stand.provider):
        await asyncio.gather(*(stand.play(number, case) for number, case in enumerate(CASES, start=1)))
    assert not stand.wrong, "\n".join(stand.wrong)
