"""An evidence table is filled though its worker and its API die: no row is lost, and what is done is not paid again.

A call whose worker dies before the server knows of its answer is made again, which nobody can avoid. At most as many
are as rows are filled at a time, and the ledger has each that the provider answered and the worker heard of.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

import httpx
import pytest

from elcano.dev import child
from elcano.dev.stack import Stack, open_stack
from elcano.graphs.agents.envelope import parse_envelope
from elcano.settings import Settings
from elcano.storage.store import open_configured
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.provider import Reply, Request, make_completion, scripted_provider
from tests.unit.dev.test_dev import until
from tests.workflow.test_stack import settings_for

AT_ONCE = 4
KILLS = 2
COLUMNS = [{"name": f"Column {number}", "question": f"What of matter {number}?"} for number in range(8)]
DOCUMENTS = "/v1/collections/log/documents"
CALL_SECONDS = 0.2
TOKENS = 120
"""Of each call."""


class Filler:
    """Fills in every form, and notes which calls began and which were answered."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.answered: list[str] = []
        self._lock = Lock()

    def list_open(self) -> set[str]:
        """The questions of calls that are under way."""
        with self._lock:
            return set((Counter(self.begun) - Counter(self.answered)).elements())

    def __call__(self, request: Request) -> Reply:
        task = parse_envelope(request["messages"][-1]["content"])
        assert task is not None
        assert task.kind == "form_filler"
        with self._lock:
            self.begun.append(task.question)
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": TOKENS}
        reply = make_completion(build_plain_answer(task), usage=usage)
        time.sleep(CALL_SECONDS)
        with self._lock:
            self.answered.append(task.question)
        return reply


@pytest.fixture
def filler() -> Filler:
    return Filler()


@pytest.fixture
def chosen(tmp_path: Path, filler: Filler, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("ELCANO_PLUGINS", "tests.rules.plugin:plugin,tests.chaos.impatience:plugin")
    monkeypatch.setattr(child, "LONGEST_PAUSE", child.FIRST_PAUSE)
    with scripted_provider(filler) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "scripted")
        given = {"collections": {}, "package_readmes": True, "model": "openai-chat:gpt-4o"}
        yield settings_for(tmp_path / "data").model_copy(update=given)


async def make_table(api: httpx.AsyncClient, count: int) -> str:
    """A table of so many documents and eight columns; its path."""
    for number in range(count):
        text = f"# Ship {number}\n\nThe ship {number} came home after {number} years with nobody on board.\n"
        assert (await api.put(f"{DOCUMENTS}/ship-{number:03}.md", content=text)).status_code == 201
    body = {"documents": [{"source": "uploads:log"}], "columns": COLUMNS, "at_once": AT_ONCE}
    answers = [await api.post("/v1/evidence-tables", json=body, headers={"Idempotency-Key": "once"}) for _ in "12"]
    assert [one.status_code for one in answers] == [201, 200]
    return str(answers[1].headers["Location"])


async def follow_table(chosen: Settings, path: str) -> list[dict[str, Any]]:
    """The rows of the table once it is filled; there is no API while it starts anew."""
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=60) as api:
        state = ""
        while state != "ended":
            await asyncio.sleep(0.5)
            with suppress(httpx.TransportError):
                state = (await api.get(path, params={"limit": 0})).json()["state"]
        rows: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = (await api.get(path, params={"limit": 100, "cursor": cursor})).json()
            rows, cursor = rows + page["rows"], page["next"]
    return rows


async def count_paid(chosen: Settings, runs: list[str]) -> Counter[str]:
    """The tokens of models' calls in the ledger, by run; also those of attempts whose worker died with the answer."""
    async with open_configured(chosen) as store:
        entries = [one for run in runs for one in await store.of("default").ledger.entries(run, branches=True)]
    paid: Counter[str] = Counter()
    for one in entries:
        paid[one.run_id] += one.usage.tokens
    return paid


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [12, pytest.param(100, marks=pytest.mark.long)])
async def test_no_row_is_lost_and_what_is_done_is_not_paid_again(count: int, chosen: Settings, filler: Filler) -> None:
    async with open_stack(chosen) as stack, httpx.AsyncClient(base_url=chosen.base_url, timeout=60) as api:
        path = await make_table(api, count)
        for number in range(1, KILLS + 1):
            enough = number * count // (KILLS + 2)
            await until(lambda enough=enough: len(set(filler.answered)) >= enough and bool(filler.list_open()))  # type: ignore[misc]
            await kill_worker_and_api(stack)
        rows = await follow_table(chosen, path)
    assert [one["state"] for one in rows] == ["filled"] * count
    for row in rows:
        for cell in row["cells"].values():
            assert cell["reason"] or any(one["verified"] and one["start"] is not None for one in cell["quotes"])
    paid = await count_paid(chosen, [one["run_id"] for one in rows])
    answered = Counter(filler.answered)
    assert (len(paid), len(answered)) == (count, count)
    for row in rows:
        (question,) = (one for one in answered if f"“{row['title'] or row['path']}”" in one)
        assert TOKENS <= paid[row["run_id"]] <= TOKENS * answered[question]
        assert row["tokens"] == paid[row["run_id"]]
    assert len(filler.begun) <= count + KILLS * AT_ONCE


async def kill_worker_and_api(stack: Stack) -> None:
    """Kill both, and wait until others are there."""
    killed = {stack.worker.pid, stack.api.pid}
    stack.worker.kill()
    stack.api.kill()
    await until(lambda: not {stack.worker.pid, stack.api.pid} & killed)
