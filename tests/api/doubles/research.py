"""A whole run over every source, and all that it leaves behind, read through the API."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.frozen import Json
from elcano.graphs.report.report import Report
from elcano.service.reports.bibliography import BIBTEX, CSL, RIS
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import open_store
from elcano.testing import ScriptedModel
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.model import Answer
from tests.api.asking import start
from tests.api.doubles.world import FAILING, SEARCHED, doubles, everybody_working, world_settings
from tests.api.serving import connecting, speaking
from tests.api.sse import Message, read_all
from tests.loopback import Asked, Reply

View = dict[str, Any]
QUESTION: Final = "Does whale song help people to sleep?"
SEARCHES: Final = (QUESTION, "whale song sleep")
"""What each source is asked: the question itself, then what the model chooses."""
LONGEST_SECONDS: Final = 240.0


@dataclass(frozen=True)
class Left:
    """What a run left behind."""

    view: View
    report: Report
    markdown: str
    forms: dict[str, str]
    """References, by media type."""
    evidence: tuple[Evidence, ...]
    texts: dict[str, StoredText]
    """By content hash."""
    messages: list[Message]
    certificate: bytes
    sources: dict[str, View]
    """As the API lists them while workers are there, after the run."""
    asked: list[Asked]
    """Of the services and the site."""
    tasks: list[TaskEnvelope]
    """What the scripted model was asked."""


def parrot(task: TaskEnvelope) -> Answer:
    """One more search of each source; then a claim of each passage that repeats all of it, and quotes it."""
    if task.kind == "tool_selector":
        return {"tasks": [{"source": source.name, "query": SEARCHES[1]} for source in task.sources]}
    if task.kind == "writer":
        return {"title": "Whale song and sleep", "key_findings": [_repeated(one) for one in task.evidence]}
    return build_plain_answer(task)


def _repeated(passage: EvidenceItem) -> Json:
    text = passage.text[:600]
    return {"text": text, "citations": [{"evidence": passage.key, "quote": text}]}


async def left_by_run(
    client: Client,
    folder: Path,
    failing: Reply,
    *,
    answer: Callable[[TaskEnvelope], Answer] | None = parrot,
    mode: str = "iterative",
    question: str = QUESTION,
) -> Left:
    """Researches with a store, a queue and doubles of its own; without `answer` by the extractive model."""
    queue = f"everything-{uuid4().hex}"
    model = ScriptedModel(default=answer) if answer else None

    with pytest.MonkeyPatch.context() as patched, doubles(failing) as (services, site):
        patched.setattr("elcano.worker.TASK_QUEUE", queue)
        settings = world_settings(folder, services, site)
        async with (
            open_store(settings.data_dir) as store,
            everybody_working(client, store, settings, model),
            speaking(create_app(settings, store=store, client=connecting(client), task_queue=queue)) as api,
        ):
            await _until_served(api)
            run_id = await start(api, question, mode=mode, sources=[*SEARCHED, FAILING])
            view = await _ended(api, run_id)
            report = Report.model_validate_json(await _read(api, run_id, "application/json"))
            kept = store.of("default").evidence
            hashes = {text.content_hash for one in report.references for text in one.texts}
            texts = {one: await kept.text(one) for one in hashes}
            return Left(
                view=view,
                report=report,
                markdown=await _read(api, run_id, "text/markdown"),
                forms={form: await _read(api, run_id, form) for form in (BIBTEX, RIS, CSL)},
                evidence=tuple(await kept.of_run(run_id)),
                texts={hash: text for hash, text in texts.items() if text is not None},
                messages=await read_all(f"/v1/runs/{run_id}/events", client=api),
                certificate=(await api.get(f"/v1/runs/{run_id}/certificate")).raise_for_status().content,
                sources={one["name"]: one for one in (await api.get("/v1/sources")).json()},
                asked=[*services.asked, *site.asked],
                tasks=model.tasks if model else [],
            )


async def _until_served(api: httpx.AsyncClient) -> None:
    """The server hears of a worker that polls a queue a little after it began."""
    async with asyncio.timeout(LONGEST_SECONDS):
        while True:
            states = {one["name"]: one["state"] for one in (await api.get("/v1/sources")).json()}
            if all(states[name] != "unserved" for name in (*SEARCHED, FAILING)):
                return
            await asyncio.sleep(0.25)


async def _ended(api: httpx.AsyncClient, run_id: str) -> View:
    async with asyncio.timeout(LONGEST_SECONDS):
        while True:
            view: View = (await api.get(f"/v1/runs/{run_id}")).json()
            if view["status"] != "running":
                return view
            await asyncio.sleep(0.25)


async def _read(api: httpx.AsyncClient, run_id: str, form: str) -> str:
    return (await api.get(f"/v1/runs/{run_id}/report", headers={"accept": form})).raise_for_status().text
