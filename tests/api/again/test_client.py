"""The Python client over the API as it is served: the life of a run, its refusals, and a run that displays itself."""

import asyncio
import sys

import pytest
from temporalio.client import Client

from elcano.client import AsyncElcano, AsyncRun, Conflict, Elcano, InvalidRequest, LiveText, NotFound, Unreachable
from elcano.client.models import AgentEvent
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, until, working


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
    def research() -> tuple[str, str, str, list[str]]:
        with Elcano(served) as elcano:
            run = elcano.research(QUESTION, mode="iterative")
            before = run._repr_markdown_()
            for event in run.events():
                if event.type == "thinking":
                    break  # the rest of the stream is given up
            markdown = run.wait().report().markdown
            return before, run._repr_markdown_(), markdown, [passage.title for passage in run.evidence()]

    async with working(temporal, store, api_settings, Provider()):
        before, after, markdown, found = await asyncio.to_thread(research)
    assert before.startswith("**running**")
    assert " UTC · " in before
    assert "## References" not in before
    assert after.startswith("**completed** · `default-")
    assert "of 150,000 tokens · turn 2 · 1 passages" in after
    assert after.endswith(markdown)
    assert found == ["Retries"]


class Notebook:
    """What stands for `IPython.display` and its display handle: keeps all that was ever shown."""

    Markdown = str

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, text: str, *, display_id: bool) -> "Notebook":
        assert display_id
        self.update(text)
        return self

    def update(self, text: str) -> None:
        self.shown.append(text)


async def test_a_notebook_shows_a_run_in_place_and_how_its_plan_is_approved(
    served: str, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = Notebook()
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)

    def research() -> None:
        with Elcano(served) as elcano:
            elcano.run(run.run_id).show()

    async def is_asked() -> bool:
        return any("Waiting: " in text for text in notebook.shown)

    async with working(temporal, store, api_settings, Provider(sections=1)), AsyncElcano(served) as elcano:
        run = await elcano.research(QUESTION, mode="deep", approve_plan=True)
        showing = asyncio.create_task(asyncio.to_thread(research))
        await until(is_asked)
        asks = notebook.shown[-1]
        assert "- Section 1: What of Section 1 and retries?" in asks
        assert 'run.control("approve")' in asks
        await run.control("approve")
        await showing
        report = await run.report()
    assert notebook.shown[-1].startswith("**completed** · `default-")
    assert notebook.shown[-1].endswith(report.markdown)
    ended = [text.startswith("**completed**") for text in notebook.shown]
    assert ended == sorted(ended), "what has ended does not run again"


def test_a_run_of_which_nothing_is_known_is_shown_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with Elcano("http://127.0.0.1:9") as away:
        shown = away.run("default-1")._repr_markdown_()
        monkeypatch.setitem(sys.modules, "IPython.display", None)  # so an import fails
        with pytest.raises(RuntimeError, match="only notebooks"):
            away.run("default-1").show()
    assert shown.startswith("**unknown** · `default-1` · the API at http://127.0.0.1:9 does not answer")
