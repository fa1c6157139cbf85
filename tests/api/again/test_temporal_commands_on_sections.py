"""Temporal's command line on sections of deep runs, and its batch jobs: the runs stay true as under other commands."""

import asyncio
from collections.abc import Mapping
from typing import Final

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import CONTROL_SIGNAL
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, ended, until, working
from tests.api.again.test_temporal_commands import ALL, BATCH, Case, Operator, Stand
from tests.api.asking import start

SECTIONS: Final = (
    Case("working", ["workflow terminate --reason ops"], ALL, True),
    Case("working", ["workflow cancel"], ALL, True),
    Case("working", [f"workflow signal --name {CONTROL_SIGNAL}"], ALL),
    Case("working", ["workflow reset --type LastWorkflowTask --reason ops"], ALL, True),
    Case("working", ["workflow reset --type FirstWorkflowTask --reapply-exclude All --reason ops"], ALL, True),
    Case("working", ["workflow pause --reason ops", "workflow unpause"], ALL),
    Case("working", ["activity pause", "activity reset"], ALL),
    Case("working", ["activity complete --result 1"], ALL, True),
    Case("working", ["activity fail --reason ops"], ALL, True),
    Case("working", ["workflow delete --yes"], ALL, True),
    Case("ended", ["workflow delete --yes"], ALL),
    Case("ended", ["workflow reset --type LastWorkflowTask --reason ops"], ALL),
)
RUNS: Final = (
    Case("working", [f"workflow cancel {BATCH}"], ["cancelled"], True),
    Case("working", [f"workflow terminate {BATCH}"], ["terminated"], True),
    Case("working", [f"workflow signal --name {CONTROL_SIGNAL} {BATCH}"], ALL),
    Case("working", [f"workflow reset --type LastWorkflowTask {BATCH}"], ALL, True),
    Case("working", [f"activity reset {BATCH}", f"activity unpause {BATCH}"], ALL),
    Case("working", [f"workflow delete {BATCH}"], ["terminated"], True),
    Case("working", ["workflow reset --type LastWorkflowTask --reapply-exclude Signal --reason ops"], ALL, True),
    Case("working", ["workflow reset --type LastWorkflowTask --reapply-exclude Update --reason ops"], ALL, True),
    Case("paused", ["workflow reset --type LastWorkflowTask --reapply-exclude All --reason ops"], ALL, True),
    Case("held", ["workflow reset --type FirstWorkflowTask --reapply-exclude All --reason ops"], ALL, True),
    Case("held", [f"workflow signal --name {CONTROL_SIGNAL}"], ALL, True),
    Case("ended", [f"workflow reset --type FirstWorkflowTask --reapply-exclude All {BATCH}"], ALL),
)


def section(question: str, number: int) -> str:
    return f"What of Section {number} and retries?{question.removeprefix(QUESTION)}"


class Planner(Provider):
    """Plans sections that tell by their questions which run they are of."""

    def _output(self, task: TaskEnvelope) -> Mapping[str, object]:
        if task.kind != "planner":
            return super()._output(task)
        outline = [{"title": f"Section {one}", "key_question": section(task.question, one)} for one in (1, 2)]
        return {"report_title": "Retries", "report_outline": outline}


AT_ONCE: Final = 4
"""Deep runs at a time: each is three workflows, and all write to one SQLite file."""


class OnSections(Stand):
    """Does to the second section of each run what is to be done."""

    async def play_in_turn(self, turns: asyncio.Semaphore, number: int, case: Case) -> None:
        async with turns:
            await self.play(number, case)

    async def play(self, number: int, case: Case) -> None:
        """Brings a deep run into its state, does to its section what is to be done, notes what is wrong at the end."""
        question = f"{QUESTION} ({number})"
        if case.state != "ended":
            self.provider.slow[("thinking", section(question, 2))] = 4.0
        run_id = await start(self.api, question, mode="deep")
        if case.state == "ended":
            await ended(self.api, run_id)
        else:
            await self.provider.asked(("thinking", section(question, 2)))
        own: list[str] = []

        async def has_section() -> bool:
            branches = (await self.api.get(f"/v1/runs/{run_id}")).json()["branches"]
            own[:] = [one["run_id"] for one in branches if one["section"] == "Section 2"]
            return bool(own)

        await until(has_section)
        await self.do_all(case, own[0])
        faults = [fault async for fault in self.find_faults(run_id, question, case)]
        self.wrong += [f"{number}, section, {case.state}, {case.commands}: {fault}" for fault in faults]


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_runs_stay_true_while_something_is_done_to_their_sections(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    stand = OnSections(api, store, Planner(), Operator(temporal))
    turns = asyncio.Semaphore(AT_ONCE)
    async with working(temporal, store, api_settings, stand.provider):
        await asyncio.gather(*(stand.play_in_turn(turns, *numbered) for numbered in enumerate(SECTIONS, start=1)))
    assert not stand.wrong, "\n".join(stand.wrong)


@pytest.mark.long
async def test_runs_stay_true_under_batches_and_resets_that_leave_out_what_was_signalled(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    stand = Stand(api, store, Provider(), Operator(temporal))
    async with working(temporal, store, api_settings, stand.provider):
        await asyncio.gather(*(stand.play(number, case) for number, case in enumerate(RUNS, start=1)))
    assert not stand.wrong, "\n".join(stand.wrong)
