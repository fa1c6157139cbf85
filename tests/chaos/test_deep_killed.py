"""Deep research by the real agents on real documents, killed while it is under way: it ends like an undisturbed one.

The undisturbed run is asked for while the server still waits for the dead worker's heartbeats. The server must know of
every completed call before the kill, else a call is made, and counted, a second time, as it should be.
"""

import asyncio
from collections.abc import Sequence

import pytest
from temporalio.client import Client

from elcano.activities.agents.long_writing import Progress
from elcano.dev.demo import QUESTION_OF_PARTS
from elcano.dev.stack import Stack, open_stack
from elcano.settings import Settings
from elcano.storage.ledger import LedgerEntry
from elcano.storage.payloads import connect_config
from tests.api.sse import Message, following
from tests.api.test_deep import assert_whole
from tests.chaos import histories, holding
from tests.chaos.conftest import ask, completed, ledger, reported, told
from tests.chaos.programs import kill_everything, serving
from tests.unit.dev.test_dev import until

SECONDS = 120.0
"""Thirty of them pass until a worker is missed."""
SECTIONS = 4


@pytest.mark.timeout(240)
async def test_sections_and_then_the_long_writer_go_on_when_their_worker_is_killed(readmes: Settings) -> None:
    async with open_stack(readmes) as running, asyncio.timeout(2 * SECONDS):
        holding.hold(readmes.data_dir, holding.SECTIONS_UNDER_WAY)
        run = await start(readmes)
        stream = asyncio.create_task(told(readmes, run))
        cut_off = await sections_under_way(readmes, run)
        await kill_held_worker(running, readmes)
        holding.hold(readmes.data_dir, holding.LONG_WRITING)
        await long_writing(readmes, run)
        await kill_held_worker(running, readmes)
        twin = await assert_ends_undisturbed(readmes, run)
        await assert_told(readmes, run, await stream)
        assert repeated(await ledger(readmes, run)) >= cut_off
        assert written(await ledger(readmes, twin)) == [(1, "completed", SECTIONS + 1)]
        rest = SECTIONS + 1 - holding.SECTIONS_WRITTEN
        assert written(await ledger(readmes, run)) == [
            (1, "failed", holding.SECTIONS_WRITTEN),
            (2, "completed", rest),
        ]


@pytest.mark.long
@pytest.mark.timeout(150)
async def test_sections_go_on_where_everything_died(readmes: Settings) -> None:
    async with asyncio.timeout(SECONDS):
        async with serving(readmes) as supervisor:
            holding.hold(readmes.data_dir, holding.SECTIONS_UNDER_WAY)
            run = await start(readmes)
            seen = await told_of_two_sections(readmes, run)
            cut_off = await sections_under_way(readmes, run)
            await kill_everything(supervisor)
        holding.release(readmes.data_dir)
        async with serving(readmes):
            rest = asyncio.create_task(told(readmes, run, since=seen[-1].id))
            await assert_ends_undisturbed(readmes, run)
            await assert_told(readmes, run, [*seen, *await rest])
            assert repeated(await ledger(readmes, run)) >= cut_off


async def kill_held_worker(running: Stack, chosen: Settings) -> None:
    """Kills the worker that is held; returns once another one has been started, which nothing holds."""
    killed = running.worker.pid
    running.worker.kill()
    holding.release(chosen.data_dir)
    await until(lambda: running.worker.pid != killed)


async def start(chosen: Settings) -> str:
    return await ask(chosen, QUESTION_OF_PARTS, mode="deep", sources=["packages"])


async def sections_under_way(chosen: Settings, run: str) -> set[str]:
    """Waits until the sections are held and the server knows all that they did; those whose calls are on their way."""
    await holding.until_held(chosen.data_dir, holding.SECTIONS_UNDER_WAY)
    client, run_id = await Client.connect(**connect_config(chosen)), run.rpartition("/")[2]

    async def all_known() -> bool:
        return await histories.completed_calls(client, run_id) == holding.completed_calls(chosen.data_dir)

    await until(all_known)
    pending = await histories.pending_activities(client, run_id)
    cut_off = {owner.removeprefix(run_id) for (owner, _), info in pending.items() if info.HasField("last_started_time")}
    assert len(cut_off) >= 2
    assert "" not in cut_off
    return cut_off


async def long_writing(chosen: Settings, run: str) -> None:
    """Waits until the long writer is held and the server knows what it has finished."""
    await holding.until_held(chosen.data_dir, holding.LONG_WRITING)
    client, run_id = await Client.connect(**connect_config(chosen)), run.rpartition("/")[2]

    async def kept() -> bool:
        ((_, info),) = (await histories.pending_activities(client, run_id)).items()
        details = await client.data_converter.decode(info.heartbeat_details.payloads)
        return bool(details) and len(Progress.model_validate(details[0]).sections) == holding.SECTIONS_WRITTEN

    await until(kept)


async def told_of_two_sections(chosen: Settings, run: str) -> list[Message]:
    """What the stream tells up to the first thoughts of a second section."""
    seen: list[Message] = []
    async with following(f"{chosen.base_url}{run}/events") as messages:
        async for message in messages:
            if message.id is not None:
                seen.append(message)
            if len({one.data["section"] for one in seen if one.event == "thinking"}) == 2:
                break
    return seen


async def assert_ends_undisturbed(chosen: Settings, run: str) -> str:
    """The run leaves what a twin leaves that nothing happens to; the twin's path."""
    twin = await start(chosen)
    for path in (twin, run):
        assert (await told(chosen, path))[-1].event == "complete"
    done = await completed(chosen, run)
    assert done == await completed(chosen, twin)
    assert set(done.values()) == {1}
    report = await reported(chosen, run)
    assert report == await reported(chosen, twin)
    assert report.partial is None
    assert report.unverified == ()
    assert report.markdown.count("\n## How does") == SECTIONS
    assert len(report.references) >= SECTIONS - 1
    return twin


async def assert_told(chosen: Settings, run: str, stream: Sequence[Message]) -> None:
    """The stream, broken off or not, told everything once, and one end."""
    sections = {message.data["section"] for message in stream if message.event == "branch_started"}
    assert len(sections) == SECTIONS
    assert_whole(stream, sorted(sections))
    archived = await told(chosen, run)
    assert sorted(str(message.data) for message in archived) == sorted(str(message.data) for message in stream)


def repeated(lines: Sequence[LedgerEntry]) -> set[str]:
    """The sections in which something was completed by an attempt after the first."""
    return {line.run_id for line in lines if line.attempt > 1}


def written(lines: Sequence[LedgerEntry]) -> list[tuple[int, str, int]]:
    """The attempts of the long writer, how they ended and how often they asked their model."""
    return [(line.attempt, line.outcome, line.usage.requests) for line in lines if line.node == "synthesizer"]
