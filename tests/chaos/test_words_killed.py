"""A worker dies in the middle of a text: what it had written is void, and what the next one writes is seen."""

import asyncio

import pytest

from elcano.dev import open_stack
from elcano.settings import Settings
from tests.api.sse import Message, following
from tests.chaos.conftest import ask, completed, numbers, report, told
from tests.chaos.researcher import Place, Researcher
from tests.unit.dev.test_dev import until

QUESTION = "Which harbour froze?"


@pytest.mark.timeout(300)
async def test_words_come_again_and_no_event_is_lost_or_doubled(chosen: Settings, researcher: Researcher) -> None:
    async with open_stack(chosen) as running, asyncio.timeout(280):
        twin = await ask(chosen, QUESTION)
        expected = await told(chosen, twin)
        researcher.halve(Place(QUESTION, "writer", 3))
        run = await ask(chosen, QUESTION)
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
                    running.worker.kill()
                    await until(lambda: running.worker.pid != killed)
                elif shown[-1][1] and shown[-1][0] == 2:
                    researcher.release()
        first, void, second, *_, over = shown
        assert (first[0], void, over) == (1, (1, ""), (2, ""))
        assert second == (2, first[1])
        assert first[1].startswith(f"# {QUESTION}")
        events = [message for message in seen if message.id is not None]
        assert numbers(events) == list(range(1, len(events) + 1))
        assert [one.event for one in events] == [one.event for one in expected]
        assert [one.data for one in await told(chosen, run)] == [one.data for one in events]
        assert await report(chosen, run) == await report(chosen, twin)
        assert await completed(chosen, run) == await completed(chosen, twin)
        asked = [place.agent for place, _ in researcher.prompts]
        assert asked.count("writer") == 2
