"""The runs that the tour of `docs/temporal.md` shows: one that is done, and others in the middle of something.

Everything is real but the provider of the model, which answers by a script and is down, refuses or takes its time where
the tour wants it to.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import httpx

from elcano.dev.claims import free_ports
from elcano.dev.stack import Stack, open_stack
from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.settings import Settings
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.provider import Reply, Request, make_completion, make_refusal, scripted_provider

PASSAGES: Final = {
    "harbour.md": "# The harbour\n\nThe harbour froze in the winter of 1519, and no ship left it before March.",
    "island.md": "# The island\n\nOn the island the crew found water, wood and a bay that no chart had shown.",
    "voyage.md": "# The voyage\n\nThe voyage took three years; of five ships one came home, with eighteen men.",
    "ships.md": "# The ships\n\nOf the five ships one was wrecked, one deserted, one was burned and one was taken.",
}
"""What can be searched."""
DONE: Final = "How did the crew find water?"
SPENT: Final = "What did the voyage cost, and who paid for the five ships?"
REFUSED: Final = "Why did one ship desert?"
WORKING: Final = "Why did the voyage take three years?"
DOWN: Final = "When did the harbour freeze?"
DEEP: Final = "What became of the five ships of 1519?"
SECTIONS: Final = {
    "The harbour": "How long did the ice hold the five ships?",
    "The island": "What did the five ships find at the island?",
    "The crossing": "Which of the five ships crossed the ocean?",
    "The return": "Which of the five ships came home?",
}
"""Of the deep run: the third one's provider is down, the fourth one's takes its time."""
CASKS: Final = "How many casks of water did the crew fill?"
"""Its report names a number that its quote does not have."""
CASKS_FILLED: Final = "The crew filled forty casks at the spring."
SLOW: Final = {WORKING, SECTIONS["The return"]}
OUT: Final = {DOWN, SECTIONS["The crossing"]}
SETTLED_SECONDS: Final = 900.0
QUIET_SECONDS: Final = 3_600.0
"""How long the answer takes that somebody waits for, unless it is released."""


ASKED: Final[dict[str, dict[str, Any]]] = {
    DONE: {"mode": "iterative"},
    REFUSED: {"mode": "iterative"},
    SPENT: {"mode": "iterative", "budget": {"tokens": 18_000, "when_exhausted": "pause"}},
    DOWN: {"mode": "iterative", "budget": {"when_exhausted": "pause"}},
    WORKING: {"mode": "iterative"},
    DEEP: {"mode": "deep", "budget": {"when_exhausted": "pause"}},
}
"""The runs, with what is asked for beside the question."""


class Desk:
    """The provider: answers every agent; who has to wait is decided by what is asked."""

    def __init__(self) -> None:
        self.mended = threading.Event()
        """Once set, nothing is down or slow any more."""

    def __call__(self, request: Request) -> Reply:
        """The reply to one request."""
        task = parse_envelope(request["messages"][-1]["content"])
        assert task is not None, "not a prompt of ours"
        if not self.mended.is_set():
            if task.question == REFUSED and task.kind == "knowledge_gap":
                return make_refusal(401, "invalid_api_key")
            if task.question in OUT and task.kind == "judge":
                return make_refusal(503, "overloaded")
            if task.question in SLOW and task.kind == "judge":
                self.mended.wait(QUIET_SECONDS)
        usage = {"prompt_tokens": 2_400, "completion_tokens": 180, "total_tokens": 2_580}
        return make_completion(_output(task), usage=usage)


def _output(task: TaskEnvelope) -> JsonObject:
    if task.kind == "planner":
        outline = [{"title": title, "key_question": question} for title, question in SECTIONS.items()]
        return {"report_title": "The five ships", "report_outline": [dict(one) for one in outline]}
    if task.question == CASKS and task.kind == "writer":
        return _miscount(task)
    return build_plain_answer(task)


def _miscount(task: TaskEnvelope) -> JsonObject:
    """A report whose first sentence its quote supports, and whose second one it does not."""
    told = [(passage, passage.text.find(CASKS_FILLED)) for passage in task.evidence]
    (passage, _), *_ = [one for one in told if one[1] >= 0]
    citations: list[Json] = [{"evidence": passage.key, "quote": CASKS_FILLED}]
    texts = ("The crew filled forty casks at the spring.", "Of these 31 were lost.")
    return {"title": task.question, "key_findings": [{"text": text, "citations": citations} for text in texts]}


@dataclass(frozen=True)
class Tour:
    """A stack with its runs, each as far as it comes by itself."""

    stack: Stack
    api: httpx.AsyncClient
    desk: Desk
    runs: Mapping[str, str]
    """Run ids by question."""

    async def run(self, question: str) -> dict[str, Any]:
        """How a run stands."""
        found: dict[str, Any] = (await self.api.get(f"/v1/runs/{self.runs[question]}")).json()
        return found

    async def settled(self) -> None:
        """Returns once every run is where the tour shows it."""
        async with asyncio.timeout(SETTLED_SECONDS):
            await asyncio.gather(*(self._until(question, _THERE[question]) for question in self.runs))

    async def _until(self, question: str, there: Callable[[Any], bool]) -> None:
        while not there(await self.run(question)):  # noqa: ASYNC110 - it is asked
            await asyncio.sleep(0.2)


@asynccontextmanager
async def touring(folder: Path, asked: Mapping[str, Mapping[str, Any]] = ASKED) -> AsyncIterator[Tour]:
    """Starts everything, and returns once every run of those `asked` is where the tour shows it."""
    documents = folder / "documents"
    documents.mkdir(parents=True)
    for name, text in PASSAGES.items():
        (documents / name).write_text(text, encoding="utf-8")
    api_port, temporal_port, ui_port = free_ports(3)
    desk = Desk()
    with scripted_provider(desk) as provider:
        chosen = Settings.model_validate(
            {
                "TEMPORAL_ADDRESS": "",
                "data_dir": folder / "data",
                "api_url": "",
                "api_port": api_port,
                "temporal_port": temporal_port,
                "temporal_ui_port": ui_port,
                "collections": {"log": documents},
                "package_readmes": False,
                "model": "openai-chat:gpt-4o",
                "model_timeout_seconds": QUIET_SECONDS,
                "call_seconds": QUIET_SECONDS,
            }
        )
        keys = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "scripted", "ELCANO_SCHEDULES": "true"}
        with patch.dict(os.environ, keys):
            async with (
                open_stack(chosen, say=lambda line: None) as running,
                httpx.AsyncClient(base_url=chosen.base_url, timeout=120) as api,
            ):
                tour = Tour(running, api, desk, await _start_runs(api, asked))
                try:
                    await tour.settled()
                    yield tour
                finally:
                    desk.mended.set()


async def _start_runs(api: httpx.AsyncClient, asked: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    runs: dict[str, str] = {}
    for question, more in asked.items():
        # On a slow machine all tests of the page take longer than the ten minutes that a run has by default.
        budget = {"seconds": QUIET_SECONDS, **more.get("budget", {})}
        asking = {"question": question, "sources": ["log"], **more, "budget": budget}
        answered = await api.post("/v1/runs", json=asking)
        assert answered.status_code == 201, answered.text
        runs[question] = answered.json()["run_id"]
    return runs


def _waits(reason: str) -> Callable[[Any], bool]:
    return lambda run: run["hold"] is not None and run["hold"]["reason"] == reason


def _some_sections_done(run: Any) -> bool:
    done = sum(section["status"] == "done" for section in run["branches"])
    return done == len(SECTIONS) - 2 and _waits("provider")(run)


_THERE: Final[dict[str, Callable[[Any], bool]]] = {
    DONE: lambda run: run["status"] == "completed",
    REFUSED: lambda run: run["status"] == "failed",
    SPENT: _waits("budget"),
    DOWN: _waits("provider"),
    WORKING: lambda run: any(one["activity"] == "judge" for one in run["pending"]),
    DEEP: _some_sections_done,
}
