"""Certificates of runs that really were researched, of every kind, made once for all tests."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from tests.api.again.going_on import serving_alone
from tests.api.asking import start

PAGES: Mapping[str, str] = {
    "retries": "# Retries\n\nRetries belong to Temporal alone, and their delay doubles.\n\nA retry costs no step.\n",
    "budgets": "# Budgets\n\nA budget is checked before every call of a model. A part is kept for the report.\n",
    "citations": "# Citations\n\nA citation is looked up by code in the stored text, “letter for letter”.\n",
}
QUESTION = "To whom do retries belong?"
PARTS = "To whom do retries belong, when is a budget checked, and how is a citation looked up?"
MORE = "To whom do retries belong, and why do whales sing?"
"""The first search answers one half; for the other a run would have to search more than it may."""
FEWEST = 5
"""Steps of the shortest way through the graph."""
KINDS: Mapping[str, dict[str, Any]] = {
    "iterative": {"question": QUESTION},
    "deep": {"question": PARTS, "mode": "deep"},
    "chain": {"question": PARTS, "mode": "deep", "use_graph": False},
    "teams": {"question": QUESTION, "mode": "hierarchical"},
    "partial": {"question": MORE, "budget": {"steps": FEWEST}},
    "stopped": {"question": MORE, "budget": {"steps": FEWEST, "when_exhausted": "pause"}},
    "unanswered": {"question": "Why do whales sing?"},
}

WHOLE = ("iterative", "deep", "chain", "teams")
"""Kinds of runs that end completed."""


class Certificates(dict[str, bytes]):
    """By kind."""

    def __repr__(self) -> str:
        return f"certificates of {', '.join(self)}"


@asynccontextmanager
async def research(
    client: Client, folder: Path, collections: Sequence[str] = ("handbook",)
) -> AsyncIterator[httpx.AsyncClient]:
    """An API with a worker, over a few pages in each of `collections`, that keeps everything in `folder / "data"`."""
    pages = folder / "handbook"
    pages.mkdir()
    for name, text in PAGES.items():
        (pages / f"{name}.md").write_text(text, encoding="utf-8")
    settings = Settings(
        _env_file=None,
        data_dir=folder / "data",
        collections=dict.fromkeys(collections, pages),
        package_readmes=False,
        build_id="one",
    )
    async with open_store(settings.data_dir) as store, serving_alone(client, store, settings) as api:
        yield api


async def researched(api: httpx.AsyncClient, kind: str, **asked: Any) -> str:
    """The id of a run of this kind, asked for with `asked` besides, that has ended."""
    run_id = await start(api, **KINDS[kind], **asked)
    while (run := (await api.get(f"/v1/runs/{run_id}")).json())["status"] == "running":
        if kind == "stopped" and run["stage"] == "paused":
            await api.post(f"/v1/runs/{run_id}/stop", json={"reason": "we know enough"})
        await asyncio.sleep(0.25)
    assert run["status"] == dict.fromkeys(WHOLE, "completed").get(kind, kind), run
    return run_id


async def certified(api: httpx.AsyncClient, kind: str, **asked: Any) -> bytes:
    """The certificate of a run of this kind, which is researched first."""
    answer = await api.get(f"/v1/runs/{await researched(api, kind, **asked)}/certificate")
    assert answer.status_code == 200, answer.text
    return answer.content


@pytest.fixture(scope="session")
async def certificates(
    anyio_backend: str, temporal_environment: WorkflowEnvironment, tmp_path_factory: pytest.TempPathFactory
) -> Certificates:
    """One of each of `KINDS`, as the API gave it. It asks for `anyio_backend` for tests that are not asynchronous."""
    folder = tmp_path_factory.mktemp("certified")
    async with asyncio.timeout(300), research(temporal_environment.client, folder) as api:
        return Certificates({kind: await certified(api, kind) for kind in KINDS})
