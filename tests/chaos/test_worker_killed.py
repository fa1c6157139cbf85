"""A worker dies in the middle of several runs: another takes over, and nobody can tell from what is left behind.

In the middle of a text: what it had written is void, and what the next one writes is seen. In the second sub-iteration
of a team: the next one goes on there, with the judge's words in hand.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from elcano.dev.stack import Stack
from elcano.settings import Settings
from tests.api.sse import Message, following
from tests.chaos.conftest import ask, completed, kill_worker, numbers, report, told
from tests.chaos.researcher import Place, Researcher
from tests.unit.dev.test_dev import until

HARBOUR = "Which harbour froze?"
PLACES = [
    Place(HARBOUR, "thinking", 1),
    Place("Which winter was it?", "tool_selector", 2),
    Place("Which island had water?", "judge", 2),
    Place("Which voyage took three years?", "writer", 3),
]
"""Where each of the runs is when the worker dies."""


@pytest.fixture(autouse=True)
def released(researcher: Researcher) -> Iterator[None]:
    """Nothing is held back for ever where a test fails."""
    yield
    researcher.release()


@pytest.mark.timeout(300)
async def test_runs_end_as_if_nothing_had_happened(running: Stack, chosen: Settings, researcher: Researcher) -> None:
    async with asyncio.timeout(280):
        researcher.hold(())
        expected = [await undisturbed(chosen, place.question) for place in PLACES]
        asked_before = Counter(researcher.prompts)
        researcher.hold(PLACES)
        runs = [await ask(chosen, place.question) for place in PLACES]
        streams = [asyncio.create_task(told(chosen, run)) for run in runs]
        await until(lambda: researcher.holds)
        await kill_worker(running)
        researcher.release()
        for stream in await asyncio.gather(*streams):
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


@pytest.mark.timeout(300)
async def test_words_come_again_and_no_event_is_lost_or_doubled(
    running: Stack, chosen: Settings, researcher: Researcher
) -> None:
    async with asyncio.timeout(280):
        twin = await ask(chosen, HARBOUR)
        expected = await told(chosen, twin)
        researcher.halve(Place(HARBOUR, "writer", 3))
        run = await ask(chosen, HARBOUR)
        seen: list[Message] = []
        shown: list[tuple[int, str]] = []
        killed = running.worker.pid
        async with following(f"{chosen.base_url}{run}/events") as messages:
            async for message in messages:
                if message.event != "streaming":
                    seen.append(message)
                    continue
                shown.append((message.data["attempt"], message.data["text"]))
                assert (message.id, message.data["node"]) == (None, "writer")
                if shown[-1][1] and running.worker.pid == killed:
                    await kill_worker(running)
                elif shown[-1][1] and shown[-1][0] > 1:
                    researcher.release()
        attempts = [attempt for attempt, _ in shown]
        again = attempts[-1]  # on a busy machine an attempt may be lost before its first word
        assert attempts == sorted(attempts)
        assert set(attempts) == {1, again}
        assert again > 1
        wrote = {attempt: [text for number, text in shown if number == attempt and text] for attempt in (1, again)}
        assert shown[-1][1] == ""  # over; the words of the first may be void, or replaced by those of the last at once
        assert all(after.startswith(before) for texts in wrote.values() for before, after in pairwise(texts))
        first, second = wrote[1][-1], wrote[again][-1]
        assert first.startswith(f"# {HARBOUR}")
        assert second.startswith(first) or first.startswith(second)  # a message comes when there are words for it
        events = [message for message in seen if message.id is not None]
        assert numbers(events) == list(range(1, len(events) + 1))
        assert [one.event for one in events] == [one.event for one in expected]
        assert [one.data for one in await told(chosen, run)] == [one.data for one in events]
        assert await report(chosen, run) == await report(chosen, twin)
        assert await completed(chosen, run) == await completed(chosen, twin)
        asked = [place.agent for place, _ in researcher.prompts]
        assert 2 <= asked.count("writer") <= again


SECOND_DRAFT = Place(HARBOUR, "drafter", 2)


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_a_team_goes_on_in_the_sub_iteration_it_was_killed_in(
    running: Stack, chosen: Settings, researcher: Researcher
) -> None:
    async with asyncio.timeout(280):
        researcher.hold(())
        twin = await ask(chosen, HARBOUR, mode="hierarchical")
        expected = await told(chosen, twin)
        before = Counter(researcher.prompts)
        researcher.hold([SECOND_DRAFT])
        run = await ask(chosen, HARBOUR, mode="hierarchical")
        stream = asyncio.create_task(told(chosen, run))
        await until(lambda: researcher.holds)
        await kill_worker(running)
        researcher.release()
        seen = await stream
        assert await report(chosen, run) == await report(chosen, twin)
        assert await completed(chosen, run) == await completed(chosen, twin)
        assert set((await completed(chosen, run)).values()) == {1}
    assert [(one.event, one.data["section"], one.data["iteration"]) for one in seen] == [
        (one.event, one.data["section"], one.data["iteration"]) for one in expected
    ]
    asked = Counter(researcher.prompts)
    assert Counter(place for place, _ in (asked - before).elements()) == Counter([SECOND_DRAFT])
    drafted = [prompt for place, prompt in researcher.prompts if place == SECOND_DRAFT]
    assert len(drafted) == 2
    assert all(f'"feedback": "Say more of {HARBOUR}"' in prompt for prompt in drafted)
