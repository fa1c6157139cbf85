"""Stacks on free ports, whose model is scripted or the offline one, and what their runs leave behind."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from elcano.dev import child
from elcano.dev.stack import Stack, open_stack
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.report.report import Report
from elcano.settings import Settings
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import open_configured
from tests.api.sse import Message, read_events
from tests.chaos.researcher import Researcher, researching
from tests.forked_programs import forked_programs
from tests.unit.dev.test_dev import until
from tests.workflow.test_stack import settings_for

PASSAGES = {
    "harbour.md": "# The harbour\n\nThe harbour froze in the winter of 1519, and no ship left it before March.",
    "island.md": "# The island\n\nOn the island the crew found water, wood and a bay that no chart had shown.",
    "voyage.md": "# The voyage\n\nThe voyage took three years; of five ships one came home, with eighteen men.",
    "crew.md": "# The crew\n\nSixty sailors were sick when the fleet came to the strait, and fresh food healed them.",
}
"""Of these the first search finds one, and each turn of `researcher` another."""


RULES = "tests.rules.plugin:plugin"


@pytest.fixture(scope="module")
def changed() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patched:
        yield patched


@pytest.fixture(scope="module", autouse=True)
def impatient(changed: pytest.MonkeyPatch) -> None:
    """Workers that are killed are missed soon, by every program that a test starts."""
    changed.setenv("ELCANO_PLUGINS", f"{RULES},tests.chaos.impatience:plugin")


@pytest.fixture(scope="module", autouse=True)
def forked() -> Iterator[None]:
    with forked_programs():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the tests of a module share."""
    return tmp_path_factory.mktemp("chaos")


@pytest.fixture(scope="module")
def researcher() -> Researcher:
    return Researcher()


@pytest.fixture(scope="module")
def chosen(folder: Path, researcher: Researcher, changed: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings of a stack whose worker asks `researcher` and searches a few small documents."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in PASSAGES.items():
        (documents / name).write_text(text, encoding="utf-8")
    with researching(researcher) as provider:
        changed.setenv("OPENAI_BASE_URL", provider.url)
        changed.setenv("OPENAI_API_KEY", "scripted")
        yield settings_for(folder / "data").model_copy(
            update={"collections": {"log": documents}, "package_readmes": False, "model": "openai-chat:gpt-4o"}
        )


@pytest.fixture(scope="module")
async def running(chosen: Settings, changed: pytest.MonkeyPatch) -> AsyncIterator[Stack]:
    """A stack that the tests of a module share: most of what a stack costs is its start."""
    changed.setattr(child, "LONGEST_PAUSE", child.FIRST_PAUSE)  # however often its worker is killed
    async with open_stack(chosen) as stack:
        yield stack


async def kill_worker(running: Stack) -> None:
    """Returns once another one has been started."""
    killed = running.worker.pid
    running.worker.kill()
    await until(lambda: running.worker.pid != killed)


@pytest.fixture
def readmes(tmp_path: Path) -> Settings:
    """Settings of a stack whose agents are the offline ones and which searches the packages' readmes."""
    return settings_for(tmp_path / "data").model_copy(update={"model": OFFLINE, "collections": {}})


async def ask(chosen: Settings, question: str, **asked: object) -> str:
    """Starts a run, of the mode `iterative` unless another one or a graph is asked for; its path."""
    mode = {} if "graph" in asked else {"mode": "iterative"}
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=30) as client:
        response = await client.post("/v1/runs", json={"question": question, **mode, **asked})
        assert response.status_code == 201, response.text
        path: str = response.headers["Location"]
        return path


async def told(chosen: Settings, run: str, *, since: int | str | None = None) -> list[Message]:
    """The numbered messages of a run after the one with the id `since`, to the end of the stream."""
    headers = None if since is None else {"Last-Event-ID": str(since)}
    return await read_events(f"{chosen.base_url}{run}/events", headers=headers)


def numbers(messages: Sequence[Message]) -> list[int]:
    """The events' numbers, as they are the messages' ids and as they are in the data, which must agree."""
    found = [int(message.id or 0) for message in messages]
    assert found == [message.data["seq"] for message in messages]
    return found


async def report(chosen: Settings, run: str) -> str:
    """The run's report as Markdown."""
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=30) as client:
        response = await client.get(f"{run}/report")
        assert response.status_code == 200, response.text
        return response.text


async def reported(chosen: Settings, run: str) -> Report:
    """The run's report as data, without the run's id."""
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=30) as client:
        response = await client.get(f"{run}/report", headers={"Accept": "application/json"})
        assert response.status_code == 200, response.text
        return Report.model_validate(response.json()).model_copy(update={"run_id": ""})


async def ledger(chosen: Settings, run: str) -> list[LedgerEntry]:
    """The lines of the run and then of its sections, which are named by what follows the run's id in theirs."""
    run_id = run.rpartition("/")[2]
    async with open_configured(chosen) as store:
        lines = await store.of("default").ledger.entries(run_id, branches=True)
    return [line.model_copy(update={"run_id": line.run_id.removeprefix(run_id)}) for line in lines]


async def completed(chosen: Settings, run: str, *, undone: bool = True) -> Counter[tuple[str, str, int, int]]:
    """How often each activity was completed, by section, node, step and item, as the ledger has it.

    Those that were undone count unless `undone` is false.
    """
    lines = [line for line in await ledger(chosen, run) if undone or not line.undone]
    return Counter((line.run_id, line.node, line.step, line.item) for line in lines if line.outcome == "completed")
