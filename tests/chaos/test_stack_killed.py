"""Everything dies at once, as when the machine loses its power: on the same folder the run goes on to its report."""

import asyncio

import pytest

from elcano.settings import Settings
from tests.api.sse import Message, following
from tests.chaos.conftest import ask, completed, numbers, report, told
from tests.chaos.programs import kill_everything, serving
from tests.chaos.researcher import Place, Researcher
from tests.unit.dev.test_dev import until

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
