"""The Python client over the API as it is served: the life of a run, its refusals, and a run that displays itself."""

import asyncio

import pytest
from temporalio.client import Client

from elcano.client import AsyncElcano, AsyncRun, Conflict, Elcano, InvalidRequest, LiveText, NotFound, Unreachable
from elcano.client.models import AgentEvent
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, working


async def test_the_life_of_a_run(served: str, temporal: Client, store: Store, api_settings: Settings) -> None:
    provider = Provider()
    provider.slow["judge", ""] = 1.0
    async with working(temporal, store, api_settings, provider), AsyncElcano(served) as elcano:
        run, same = await asyncio.gather(*(elcano.research(QUESTION, mode="iterative", key="once") for _ in range(2)))
        assert run.run_id == same.run_id
        await provider.asked(("judge", QUESTION))
        await run.pause()
        with pytest.raises(Conflict, match="already paused"):
            await run.pause()
        assert (await run.view()).hold is not None
        await run.steer(instruction="Say what it costs.")
        assert (await run.top_up(tokens=1_000))["limits"]["tokens"] == 151_000
        await run.unpause()
        events = [event async for event in run.events()]
        view = await (await run.wait()).view()
        assert (events[0].type, events[-1].terminal, view.finished_at is not None) == ("started", True, True)
        assert [event.type for event in events if event.type in ("paused", "steered")] == ["paused", "steered"]
        report = await run.report()
        assert report.question == QUESTION
        assert "## References" in report.markdown
        assert "<html" in await run.report_as("text/html")
        assert [passage.title async for passage in run.evidence()] == ["Retries"]
        assert [one.run_id for one in (await elcano.list_runs(limit=5)).runs] == [run.run_id]
        await assert_streams_resume(run)
        fork = await run.fork(view.steps or 1)
        assert (await (await fork.wait()).view()).forked_from is not None
        await run.roll_back(view.steps or 1)
        assert (await run.wait()).run_id == run.run_id
        await run.delete()
        with pytest.raises(NotFound):
            await run.view()


async def assert_streams_resume(run: AsyncRun) -> None:
    """From the message after the one that was received last."""
    whole = [told async for told in run.stream() if not isinstance(told, LiveText)]
    events = [told for told in whole if isinstance(told, AgentEvent)]
    rest = [told async for told in run.events(after=str(events[2].seq))]
    assert rest == events[3:]


async def test_refusals_say_what_is_wrong(served: str, api_settings: Settings) -> None:
    async with AsyncElcano(served) as elcano:
        with pytest.raises(InvalidRequest, match="question") as refused:
            await elcano.research("")
        assert refused.value.status == 422
        assert [fault["field"] for fault in refused.value.document["errors"]] == ["question"]
        with pytest.raises(InvalidRequest, match="mode"):
            await elcano.research(QUESTION, mode="telepathy")
        with pytest.raises(NotFound, match="No such run"):
            await elcano.run("default-nothing").view()
        with pytest.raises(NotFound):
            _ = [event async for event in elcano.run("default-nothing").events()]
    async with AsyncElcano("http://127.0.0.1:9") as away:
        with pytest.raises(Unreachable, match="does not answer"):
            await away.research(QUESTION)


async def test_a_program_that_waits_needs_three_lines(
    served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    def research() -> tuple[str, list[str]]:
        with Elcano(served) as elcano:
            run = elcano.research(QUESTION, mode="iterative")
            for event in run.events():
                if event.type == "thinking":
                    break  # the rest of the stream is given up
            markdown = run.wait().report().markdown
            return markdown, [passage.title for passage in run.evidence()]

    async with working(temporal, store, api_settings, Provider()):
        markdown, found = await asyncio.to_thread(research)
    assert "## References" in markdown
    assert found == ["Retries"]
