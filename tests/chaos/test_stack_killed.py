"""Everything dies at once, as when the machine loses its power: on the same folder the run goes on to its report."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from settings import Settings
from tests.api.sse import Message, following
from tests.chaos.conftest import ask, completed, numbers, report, told
from tests.scripted_research import Place, Researcher
from tests.unit.test_dev import until

ROOT = Path(__file__).parents[2]
HELD = Place("Which island had water?", "judge", 2)


@pytest.mark.timeout(300)
async def test_a_run_goes_on_where_everything_died(chosen: Settings, researcher: Researcher) -> None:
    async with asyncio.timeout(280):
        researcher.hold([HELD])
        async with serving(chosen) as supervisor:
            run = await ask(chosen, HELD.question)
            seen = await told_until_held(chosen, run, researcher)
            await kill_everything(supervisor)
        researcher.release()
        asked_before = len(researcher.prompts)
        async with serving(chosen):
            rest = await told(chosen, run, since=numbers(seen)[-1])
            whole = await told(chosen, run)
            text = await report(chosen, run)
            twin = await ask(chosen, HELD.question)
            assert (await told(chosen, twin))[-1].event == "complete"
            assert text == await report(chosen, twin)
            done = await completed(chosen, run)
            assert done == await completed(chosen, twin)
    assert [*seen, *rest] == whole
    assert numbers(whole) == list(range(1, len(whole) + 1))
    assert [message.event for message in whole if message.event in ("complete", "failed", "cancelled")] == ["complete"]
    assert whole[-1].event == "complete"
    assert "## References" in text
    assert set(done.values()) == {1}
    again = [place for place, _ in researcher.prompts[asked_before:]]
    assert again[0] == HELD
    assert researcher.prompts[asked_before] == researcher.prompts[asked_before - 1]


async def told_until_held(chosen: Settings, run: str, researcher: Researcher) -> list[Message]:
    """What the stream tells of the run up to the call that is held back."""
    seen: list[Message] = []
    async with following(f"{chosen.base_url}{run}/events") as messages:
        async for message in messages:
            if message.id is None:  # a notice that no worker answers just now
                continue
            seen.append(message)
            if message.event == "judging" and message.data["iteration"] == HELD.iteration:
                break
    await until(lambda: researcher.holds)
    return seen


@asynccontextmanager
async def serving(chosen: Settings) -> AsyncIterator[Process]:
    """`elcano serve` as a program of its own, ready."""
    supervisor = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dev", cwd=ROOT, env=chosen.environment(), stdin=DEVNULL, stdout=PIPE
    )
    assert supervisor.stdout is not None
    try:
        said = b""
        while b"is ready" not in said:
            said = await supervisor.stdout.readline()
            assert said, "the stack ended while starting"
        yield supervisor
    finally:
        with suppress(ProcessLookupError):
            supervisor.terminate()
        await supervisor.wait()


async def kill_everything(supervisor: Process) -> None:
    """SIGKILL for the supervisor and all that it started; it is stopped first, so that it cannot mend anything."""
    supervisor.send_signal(signal.SIGSTOP)
    for group in await groups_of_children(supervisor.pid):
        os.killpg(group, signal.SIGKILL)
    supervisor.kill()
    await supervisor.wait()


async def groups_of_children(parent: int) -> set[int]:
    """The process groups of a process's children, none of which is the caller's."""
    listing = await asyncio.create_subprocess_exec("ps", "-A", "-o", "ppid=,pgid=", stdout=PIPE)
    output, _ = await listing.communicate()
    rows = (line.split() for line in output.decode().splitlines())
    groups = {int(group) for owner, group in rows if int(owner) == parent}
    assert groups
    assert os.getpgrp() not in groups
    return groups
