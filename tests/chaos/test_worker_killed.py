"""A worker dies in the middle of several runs: another takes over, and nobody can tell from what is left behind."""

import asyncio
from collections import Counter

import pytest

from elcano.dev import open_stack
from elcano.settings import Settings
from tests.chaos.conftest import ask, completed, numbers, report, told
from tests.chaos.researcher import Place, Researcher
from tests.unit.dev.test_dev import until

PLACES = [
    Place("Which harbour froze?", "thinking", 1),
    Place("Which winter was it?", "tool_selector", 2),
    Place("Which island had water?", "judge", 2),
    Place("Which voyage took three years?", "writer", 3),
]
"""Where each of the runs is when the worker dies."""


@pytest.mark.timeout(300)
async def test_runs_end_as_if_nothing_had_happened(chosen: Settings, researcher: Researcher) -> None:
    async with open_stack(chosen) as running, asyncio.timeout(280):
        researcher.release()
        expected = [await undisturbed(chosen, place.question) for place in PLACES]
        asked_before = Counter(researcher.prompts)
        researcher.hold(PLACES)
        runs = [await ask(chosen, place.question) for place in PLACES]
        following = [asyncio.create_task(told(chosen, run)) for run in runs]
        await until(lambda: researcher.holds)
        killed = running.worker.pid
        running.worker.kill()
        await until(lambda: running.worker.pid != killed)
        researcher.release()
        for stream in await asyncio.gather(*following):
            assert numbers(stream) == list(range(1, len(stream) + 1))
            assert stream[-1].event == "complete"
        assert [(await report(chosen, run), await completed(chosen, run)) for run in runs] == expected
    for text, counted in expected:
        assert "## References" in text
        assert set(counted.values()) == {1}
    asked = Counter(researcher.prompts)
    assert not asked_before - asked
    assert Counter(place for place, _ in (asked - asked_before).elements()) == Counter(PLACES)


async def undisturbed(chosen: Settings, question: str) -> tuple[str, Counter[tuple[str, str, int, int]]]:
    """The report of a run that nothing happens to, and how often each of its activities was completed."""
    run = await ask(chosen, question)
    assert (await told(chosen, run))[-1].event == "complete"
    return await report(chosen, run), await completed(chosen, run)
