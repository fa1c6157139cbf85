"""Records the histories that `test_replay` replays: `python -m tests.replay.record`, or into a folder that is named.

Only for new scenarios. A history that is recorded anew no longer guards the runs that were started before.
"""

import asyncio
import gc
import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from temporalio import activity
from temporalio.client import Client, WorkflowFailureError

from elcano import testing
from elcano.graphs.contracts import CHAIN_MODES, CHAIN_WORKFLOW, RESEARCH_WORKFLOW
from elcano.graphs.engine.approvals import ApprovePlan
from elcano.graphs.engine.control_actions import RollBack, Unpause
from elcano.graphs.frozen import JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import RunSnapshot
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.state.budget import Limits, TopUp
from elcano.graphs.state.failures import FailureType
from elcano.testing.script import Answer, Refused, Script, make_progress_ledger
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.control import ask, go_on, pause, section, steer, stop, top_up
from tests.replay.calls import record_calls
from tests.resetting import reset_before
from tests.tables import fault, in_turn, mended, of_paths, result, written
from tests.workflow.conftest import Handle, worker_for
from tests.workflow.test_budget import paused as until_paused

FOLDER = Path(__file__).parent / "histories"


def complete(script: Script) -> Limits:
    """Two iterations, then nothing is missing."""
    return Limits()


def iterations(script: Script) -> Limits:
    """Nothing is ever complete; the loop is used up."""
    script.complete_in = 99
    return Limits(iterations=3)


def partial(script: Script) -> Limits:
    """One of the searches and then the judge fail for good."""
    script.overrides["judge"] = refusing("Scripted")
    return Limits()


def refused(script: Script) -> Limits:
    """The provider refuses the key: the run fails at once."""
    script.overrides["thinking"] = refusing(FailureType.MODEL_REFUSED)
    return Limits()


def stopped(script: Script) -> Limits:
    """Somebody stops the run before its first step is through."""
    return Limits()


def paused(script: Script) -> Limits:
    """The budget is used up, of sections as well, and somebody raises it."""
    script.complete_in, script.tokens = 5, 1_200
    return Limits(tokens=80_000, iterations=2, when_exhausted="pause")


def held(script: Script) -> Limits:
    """The provider of the judge does not answer its first try, nor that of the writer."""
    waiting = {"judge", "writer"}

    def once(agent: str) -> Answer:
        def answer(given: JsonObject) -> JsonObject:
            if agent in waiting:
                waiting.remove(agent)
                raise Refused("scripted", type=FailureType.PROVIDER)
            del script.overrides[agent]
            return script.answer(agent, given)

        return answer

    script.overrides = {agent: once(agent) for agent in tuple(waiting)}
    return Limits(when_exhausted="pause")


def rested_while_held(script: Script) -> Limits:
    """The provider of the judge is away for a while; meanwhile somebody pauses the run, and it waits on."""
    left = 2 * max(1, len(script.sections))

    def away(given: JsonObject) -> JsonObject:
        nonlocal left
        left -= 1
        if left >= 0:
            raise Refused("scripted", type=FailureType.PROVIDER)
        del script.overrides["judge"]
        return script.answer("judge", given)

    script.overrides["judge"] = away
    return Limits(tokens=400_000, when_exhausted="pause")


def unpaused_while_held(script: Script) -> Limits:
    """The same; but when the run continues, the judge is tried at once."""
    return rested_while_held(script)


def abandoned(script: Script) -> Limits:
    """A call is cut off in the middle, and cannot say what it used."""

    async def endless(given: JsonObject) -> None:
        while given.get("iteration") == 2 and not given.get("evidence"):  # the writer, which has evidence, is let go
            activity.heartbeat()
            await asyncio.sleep(0.05)

    script.watching = endless
    return Limits()


def slow_once(script: Script, seconds: float) -> None:
    """The first call of the second iteration takes so long; it beats meanwhile, and can be given up."""
    left = [seconds]

    async def slow(given: JsonObject) -> None:
        if given.get("iteration") == 2 and left:
            until = asyncio.get_running_loop().time() + left.pop()
            while asyncio.get_running_loop().time() < until:
                activity.heartbeat()
                await asyncio.sleep(0.05)

    script.watching = slow


def taken_back(script: Script) -> Limits:
    """In the second iteration somebody takes the run back to its second step."""
    slow_once(script, 60.0)
    return Limits()


def rested(script: Script) -> Limits:
    """In the second iteration somebody pauses the run, and continues it."""
    slow_once(script, 1.5)
    return Limits()


def steered(script: Script) -> Limits:
    """In the second iteration somebody gives the run an instruction, and another source."""
    slow_once(script, 1.5)
    return Limits()


def approved(script: Script) -> Limits:
    """The plan waits, and somebody approves it with a section less."""
    return Limits()


def led_in_a_circle(script: Script) -> Limits:
    """A team comes no further: a new plan, the same again, then the report."""
    script.overrides["progress_ledger"] = lambda given: make_progress_ledger("searcher", "the same again")
    return Limits(tokens=300_000, iterations=12, stalls=2, resets=1)


def reset(script: Script) -> Limits:
    """The run had ended, and somebody takes it back to its first judgement."""
    script.last_event = 99
    return Limits()


def refusing(type: str) -> Answer:
    def answer(given: JsonObject) -> JsonObject:
        raise Refused("scripted", type=type)

    return answer


SCENARIOS: tuple[Callable[[Script], Limits], ...] = (
    complete,
    iterations,
    partial,
    refused,
    stopped,
    paused,
    held,
    abandoned,
    taken_back,
    rested,
    steered,
    reset,
)
PLAIN: Final = (iterations, partial, refused)
"""What differs between a graph and a chain in nothing that these do not differ in anyway."""
CHAIN: Final = "chain"
SECTION: Final = "section"
"""Endings of names: the run as a chain; and the first of its sections, which is a run of its own."""


def chosen(script: Script) -> Limits:
    """The question is read, and what it is understood as leads to a mode that is shown from then on."""
    script.overrides["input_parser"] = lambda given: {
        "original_query": "q",
        "improved_query": "q",
        "research_mode": "simple",
        "mode_reason": "One fact.",
    }
    return Limits()


def repaired(script: Script) -> Limits:
    """A query fails, is mended, and is answered."""
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["sql_repairer"] = mended("SELECT right")
    script.overrides["execute_sql"] = in_turn(fault("no such column: wrong"), result("right"))
    return Limits(iterations=4)


def split(script: Script) -> Limits:
    """A question goes in two paths, whose results are merged."""
    of_paths(script, ["2023", "2024"])
    return Limits(iterations=4)


def wanted() -> Iterator[tuple[str, Callable[[Script], Limits], bool]]:
    """Mode, scenario and whether as a chain."""
    for mode in MODES:
        for scenario in SCENARIOS if mode in ("iterative", "deep") else (complete,):
            yield mode, scenario, False
            if mode in CHAIN_MODES and scenario not in PLAIN:
                yield mode, scenario, True
    yield "data", repaired, False
    yield "data", split, False
    yield "magentic", led_in_a_circle, False
    yield "magentic", led_in_a_circle, True
    for mode in ("iterative", "deep"):
        yield mode, rested_while_held, False
        yield mode, unpaused_while_held, False
    yield "deep", approved, False
    yield "deep", approved, True
    yield "auto", chosen, False
    yield "auto", chosen, True
    yield "hierarchical", iterations, False
    yield "hierarchical", iterations, True


def named(mode: str, scenario: Callable[[Script], Limits], chain: bool) -> str:
    """What a history is called, and its run."""
    return f"{mode}-{scenario.__name__}" + (f"-{CHAIN}" if chain else "")


async def record(client: Client, mode: str, scenario: Callable[[Script], Limits], chain: bool) -> dict[str, str]:
    """Runs one scenario; its history as JSON, and that of its first section if it has any, by their names."""
    script = Script()
    limits = scenario(script)
    name = named(mode, scenario, chain)
    queue = run_id = f"run-{name}"
    asked = ResearchInput(
        run_id=run_id,
        question="What is it?",
        mode=mode,
        graph=MODES[mode],
        limits=limits,
        sources=("library",),
        databases=("library",) if mode == "data" else (),
        approve_plan=scenario is approved,
    )
    workflow = CHAIN_WORKFLOW if chain else RESEARCH_WORKFLOW
    handle: Handle = await client.start_workflow(
        workflow, asked, id=run_id, task_queue=queue, result_type=ResearchResult
    )
    minding = asyncio.create_task(_minded(handle, scenario))
    async with worker_for(client, queue, scripted_activities(script), cached_workflows=0):
        with suppress(WorkflowFailureError):
            await handle.result()
        if scenario is reset:
            own = [activity_id for run, activity_id in script.ledger if run == run_id]
            await reset_before(client, run_id, own[len(own) // 2])
            await client.get_workflow_handle(run_id).result()  # of the new execution
    minding.cancel()
    await asyncio.gather(minding, return_exceptions=True)
    histories = {name: await client.get_workflow_handle(run_id).fetch_history()}
    sections = [child.id async for child in client.list_workflows(f"RootWorkflowId = '{run_id}'") if child.parent_id]
    if sections:
        histories[f"{name}-{SECTION}"] = await client.get_workflow_handle(min(sections)).fetch_history()
    return {name: _without_the_machine(history.to_json()) for name, history in histories.items()}


def _without_the_machine(history: str) -> str:
    """Stack traces hold paths and identities hold host names; replay reads neither."""
    return re.sub(r'"(stackTrace|identity)": *"[^"\\]*(\\.[^"\\]*)*"', r'"\1": ""', history)


async def _minded(handle: Handle, scenario: Callable[[Script], Limits]) -> None:
    """What people do to the run while it works."""
    if scenario is stopped:
        await _stop(handle)
    elif scenario is approved:
        await _when(handle, lambda snapshot: snapshot.hold is not None)
        await ask(handle, ApprovePlan(sections=(section("history"), section("price"))))
    elif scenario in (rested_while_held, unpaused_while_held):
        await _when(handle, lambda snapshot: snapshot.stage == "held")
        await asyncio.sleep(2.5)  # the second try has failed, and the next one is in four seconds
        await pause(handle, "scripted")
        await ask(handle, Unpause(retry_now=scenario is unpaused_while_held))
    elif scenario in (abandoned, taken_back, rested, steered):
        await _when(handle, _in_the_second_iteration)
        await asyncio.sleep(0.5)
        await _asked(handle, scenario)
    else:
        await _top_up(handle)


async def _asked(handle: Handle, scenario: Callable[[Script], Limits]) -> None:
    if scenario is abandoned:
        await _stop(handle)
    elif scenario is taken_back:
        await ask(handle, RollBack(step=2, reason="scripted"))
    elif scenario is rested:
        await pause(handle, "scripted")
        await go_on(handle)
    else:
        await steer(handle, instruction="Look at costs.", add_sources=("other",))


def _in_the_second_iteration(snapshot: RunSnapshot) -> bool:
    return snapshot.iteration == 2 or any(branch.status == "running" for branch in snapshot.branches)


async def _when(handle: Handle, holds: Callable[[RunSnapshot], bool]) -> None:
    while True:
        snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
        if holds(snapshot):
            return
        await asyncio.sleep(0.1)


async def _stop(handle: Handle) -> None:
    await stop(handle, "scripted")


async def _top_up(handle: Handle) -> None:
    """Raises what the run is short of, whenever it has paused."""
    while True:
        await until_paused(handle)
        await top_up(handle, TopUp(tokens=300_000, iterations=5))


def keeping_payloads(client: Client) -> Client:
    """A client that puts nothing elsewhere: a history is replayed from its file alone."""
    config = client.config()
    config["data_converter"] = replace(client.data_converter, external_storage=None)
    return Client(**config)


async def main(folder: Path) -> None:
    """Writes every history that is not there yet."""
    with TemporaryDirectory() as payloads:
        async with testing.temporal_environment(Path(payloads)) as environment:
            client = keeping_payloads(environment.client)
            for mode, scenario, chain in wanted():
                if (folder / f"{named(mode, scenario, chain)}.json").exists():
                    continue
                for name, history in (await record(client, mode, scenario, chain)).items():
                    path = folder / f"{name}.json"
                    if not path.exists():
                        path.write_text(history)
            await record_calls(environment.client, folder, _without_the_machine)
    gc.collect()
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


if __name__ == "__main__":
    logging.getLogger("temporalio.activity").setLevel(logging.ERROR)  # some of what is recorded fails on purpose
    named_folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    named_folder.mkdir(exist_ok=True)
    asyncio.run(main(named_folder))
