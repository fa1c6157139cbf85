"""Publishing keeps one report however often it is tried, and its figures are those of the checks."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.report import report_builder
from elcano.activities.report.publishing import ReportActivities
from elcano.graphs.contracts import PublishCall
from elcano.graphs.records import ArchiveCall, ArchivedRun
from elcano.graphs.report.report import Citation, Claim, Report, ReportDraft
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Ending, Failure, FailureType
from elcano.storage.artifacts import ArtifactStore
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.runs import RunStore
from elcano.storage.store import Store

WORDS = "Oil is dear. Water is cheap."
TEXT = StoredText(content_hash=sha256(WORDS.encode()).hexdigest(), document="prices", title="Prices", text=WORDS)
OIL = Evidence(
    id="prices:0",
    source="docs",
    document="prices",
    content_hash=TEXT.content_hash,
    title="Prices",
    locator="prices.md",
    text="Oil is dear.",
    start=0,
    end=12,
)
OTHER = OIL.model_copy(update={"id": "prices:13", "text": "Water is cheap.", "start": 13, "end": 28})
DRAFT = ReportDraft(
    title="The price of oil",
    key_findings=(
        Claim(text="It is dear.", citations=(Citation(evidence=OIL.id, quote="Oil is dear."),)),
        Claim(text="Water is not.", citations=(Citation(evidence=OTHER.id, quote="Water is cheap."),)),
    ),
)


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run", [OIL], [TEXT])
    await store.of("default").evidence.add("another", [OTHER], [TEXT])
    return store


async def call(store: Store, draft: ReportDraft | None = DRAFT) -> PublishCall:
    kept = (
        None
        if draft is None
        else await store.of("default").artifacts.put("run", draft.model_dump_json(), "application/json")
    )
    return PublishCall(
        run_id="run",
        question="What does oil cost?",
        mode="iterative",
        draft=kept,
        evidence=(OIL.id,),
        models=("one", "two"),
        warnings=("a file was skipped",),
    )


async def read(store: Store, artifact: str) -> Report:
    kept = await store.of("default").artifacts.get(artifact)
    assert kept is not None
    return Report.model_validate_json(kept)


async def test_a_report_is_kept_with_the_figures_of_its_check(store: Store) -> None:
    asked = (await call(store)).model_copy(update={"ending": Ending(kind="time", detail="late")})
    ref = await ActivityEnvironment().run(ReportActivities(store).publish_report, asked)
    report = await read(store, ref.artifact)
    assert (ref.title, ref.answered, ref.references, ref.verified, ref.unverified) == (DRAFT.title, True, 1, 1, 1)
    assert ref.words == len(report.markdown.split())
    assert ref.partial == report.partial == "its time was used up: late"
    assert (report.run_id, report.question, report.model) == ("run", asked.question, "one, two")
    assert report.warnings == asked.warnings
    assert [one.verdict for one in report.citations] == ["verified", "unknown_evidence"]
    assert [one.evidence for one in report.unverified] == [OTHER.id]
    assert WORDS[report.citations[0].start : report.citations[0].end] == "Oil is dear."
    assert "- It is dear. [1]" in report.markdown


async def test_a_statement_is_listed_once_with_all_its_citations_that_do_not_hold(store: Store) -> None:
    wrong = tuple(Citation(evidence=OIL.id, quote=quote) for quote in ("Oil is red.", "Oil is blue."))
    claim = Claim(text="It has a colour.", citations=wrong)
    draft = ReportDraft(title="The price of oil", key_findings=(claim,), conclusion=(claim,))
    ref = await ActivityEnvironment().run(ReportActivities(store).publish_report, await call(store, draft))
    report = await read(store, ref.artifact)
    assert (len(report.unverified), report.support.total) == (4, 2)
    (listed,) = [line for line in report.markdown.splitlines() if line.startswith("- It has a colour. — ")]
    assert [listed.count(quote) for quote in ("Oil is red.", "Oil is blue.")] == [1, 1]


async def test_a_second_attempt_gives_the_same_report_and_its_own_line(store: Store) -> None:
    asked = await call(store)
    reports = ReportActivities(store)
    first = await ActivityEnvironment().run(reports.publish_report, asked)
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=2)
    assert await environment.run(reports.publish_report, asked) == first
    lines = await store.of("default").ledger.entries("run")
    assert [(line.step, line.attempt, line.kind, line.outcome) for line in lines] == [
        (0, 1, "publish", "completed"),
        (0, 2, "publish", "completed"),
    ]


async def test_without_a_draft_the_evidence_is_published(store: Store) -> None:
    failure = Failure(node="writer", type="ModelOutput", message="no usable draft")
    asked = (await call(store, draft=None)).model_copy(update={"failure": failure, "question": "why? " * 100})
    ref = await ActivityEnvironment().run(ReportActivities(store).publish_report, asked)
    report = await read(store, ref.artifact)
    assert (ref.answered, ref.references, ref.verified, ref.unverified) == (False, 0, 0, 0)
    assert len(ref.title) == 300
    assert report.model == ""
    assert "(no usable draft)" in report.markdown
    assert "> Oil is dear." in report.markdown


@pytest.mark.parametrize("kept", [None, "{}", "no JSON"])
async def test_a_draft_that_cannot_be_read_is_not_tried_again(store: Store, kept: str | None) -> None:
    key = "0" * 64 if kept is None else await store.of("default").artifacts.put("run", kept, "application/json")
    asked = (await call(store)).model_copy(update={"draft": key})
    with pytest.raises(ApplicationError) as raised:
        await ActivityEnvironment().run(ReportActivities(store).publish_report, asked)
    assert (raised.value.type, raised.value.non_retryable) == (FailureType.INPUT_INVALID, True)
    assert [line.outcome for line in await store.of("default").ledger.entries("run")] == ["failed"]


async def test_a_run_is_archived_with_its_events(store: Store) -> None:
    run = ArchivedRun(run_id="run", question="?", mode="iterative", status="completed", started_at=1.0)
    event = AgentEvent(seq=1, type="complete", message="done", at=2.0, step=1, iteration=1)
    reports = ReportActivities(store)
    for _ in range(2):
        await ActivityEnvironment().run(reports.archive_run, ArchiveCall(run=run, events=(event,)))
    assert await store.of("default").runs.get("run") == run
    assert await store.of("default").runs.events("run") == [event]


async def test_both_beat_while_they_wait_for_the_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is killed meanwhile is noticed, and a slow store is no dead worker."""

    def beat_before(of: type[Any], name: str) -> ActivityEnvironment:
        """An environment in which this method of the store takes as long as the first beat."""
        environment, beaten, original = ActivityEnvironment(), asyncio.Event(), getattr(of, name)
        environment.on_heartbeat = lambda *_: beaten.set()

        async def slow(*args: Any, **options: Any) -> Any:
            await asyncio.wait_for(beaten.wait(), 30)
            return await original(*args, **options)

        monkeypatch.setattr(of, name, slow)
        return environment

    run = ArchivedRun(run_id="run", question="?", mode="iterative", status="completed", started_at=1.0)
    reports, asked = ReportActivities(store), await call(store)
    await beat_before(ArtifactStore, "put").run(reports.publish_report, asked)
    await beat_before(RunStore, "archive").run(reports.archive_run, ArchiveCall(run=run, events=()))


async def test_what_computes_leaves_the_event_loop_free(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, str] = {}

    def noting(name: str) -> Callable[..., Any]:
        original = getattr(report_builder, name)

        def noted(*args: Any, **options: Any) -> Any:
            threads[name] = threading.current_thread().name
            return original(*args, **options)

        return noted

    names = ("check_citations", "render_report", "render_evidence")
    for name in names:
        monkeypatch.setattr(report_builder, name, noting(name))
    reports = ReportActivities(store)
    await ActivityEnvironment().run(reports.publish_report, await call(store))
    await ActivityEnvironment().run(reports.publish_report, await call(store, draft=None))
    assert set(threads) == set(names)
    assert threading.current_thread().name not in threads.values()
