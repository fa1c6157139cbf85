"""A worker dies in the second sub-iteration of a team: the next one goes on there, with the judge's words in hand."""

import asyncio
from collections import Counter

import pytest

from elcano.dev import open_stack
from elcano.settings import Settings
from tests.chaos.conftest import ask, completed, report, told
from tests.chaos.researcher import Place, Researcher
from tests.unit.dev.test_dev import until

QUESTION = "Which harbour froze?"
SECOND_DRAFT = Place(QUESTION, "drafter", 2)


@pytest.mark.timeout(300)
async def test_a_team_goes_on_in_the_sub_iteration_it_was_killed_in(chosen: Settings, researcher: Researcher) -> None:
    async with open_stack(chosen) as running, asyncio.timeout(280):
        researcher.release()
        twin = await ask(chosen, QUESTION, mode="hierarchical")
        expected = await told(chosen, twin)
        before = Counter(researcher.prompts)
        researcher.hold([SECOND_DRAFT])
        run = await ask(chosen, QUESTION, mode="hierarchical")
        following = asyncio.create_task(told(chosen, run))
        await until(lambda: researcher.holds)
        killed = running.worker.pid
        running.worker.kill()
        await until(lambda: running.worker.pid != killed)
        researcher.release()
        seen = await following
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
    assert all(f'"feedback": "Say more of {QUESTION}"' in prompt for prompt in drafted)
