"""The feed of a living report: what each version changes, for programs that read feeds."""

from collections.abc import AsyncIterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from elcano.api.reports.routes import Version, load_versions, render_atom
from elcano.graphs.contracts import SCHEDULE
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Block, Part, Statement
from elcano.graphs.state.state import ReportRef
from elcano.service.comparison.differences import ClaimBrief
from elcano.storage.store import TenantStore, open_store
from tests.unit.service.test_comparison import report

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def version(run_id: str, finished_at: float, *claims: str) -> Version:
    told = tuple(ClaimBrief(section="Findings", text=text, evidence=()) for text in claims)
    return Version(run_id, f"Prices <{run_id}>\x00", finished_at, told)


def test_each_version_says_what_is_new_changed_and_withdrawn() -> None:
    one = version("r1", 0.0, "A rope costs 5 euros today.", "A ladder is & stays dear.", "Nails are free.")
    two = version("r2", 86_400.0, "A rope costs 7 euros today.", "A ladder is & stays dear.", "Saws <script> cost.")
    same = version("r3", 172_800.0, *(claim.text for claim in two.claims))
    feed = ElementTree.fromstring(render_atom("What\x1b costs?", "r1", [one, two, same], "https://e.org/runs"))
    assert feed.findtext("a:title", "", ATOM) == "What costs?"
    assert feed.findtext("a:updated", "", ATOM) == "1970-01-03T00:00:00Z"
    entries = feed.findall("a:entry", ATOM)
    assert [entry.findtext("a:title", "", ATOM) for entry in entries] == [
        "1970-01-03: nothing has changed",
        "1970-01-02: 1 new, 1 changed, 1 withdrawn, 1 as before",
        "1970-01-01: Prices <r1>",
    ]
    assert [link.get("href") for link in feed.iterfind("a:entry/a:link", ATOM)] == [
        f"https://e.org/runs/{one}" for one in ("r3", "r2", "r1")
    ]
    content = entries[1].findtext("a:content", "", ATOM)
    assert "<p>Saws &lt;script&gt; cost.</p>" in content
    assert "<p>A rope costs 7 euros today. — before: <del>A rope costs 5 euros today.</del></p>" in content
    assert "<h3>Withdrawn: 1 statement</h3><p>Nails are free.</p>" in content


def test_a_report_without_a_version_yet_is_an_empty_feed() -> None:
    feed = ElementTree.fromstring(render_atom("Why?", "r1", []))
    assert feed.findall("a:entry", ATOM) == []


@pytest.fixture
async def own(tmp_path: Path) -> AsyncIterator[TenantStore]:
    async with open_store(tmp_path) as opened:
        yield opened.of("default")


async def test_versions_follow_the_run_or_come_from_its_schedule(own: TenantStore) -> None:
    figures = {"partial": None, "words": 1, "references": 0, "verified": 0, "unverified": 0}

    async def leave(
        name: str, previous_run: str = "", question: str = "What?", schedule: str = "", said: str = "x"
    ) -> str:
        run_id = f"default-01kb1q3yw5v7c8m2n4p6r8t0v{name}"
        block = Block(kind="paragraph", markdown="", statements=(Statement(text=said, kind="fact"),))
        whole = report().model_copy(update={"parts": (Part(kind="section", heading="Facts", blocks=(block,)),)})
        artifact = await own.artifacts.put(run_id, whole.model_dump_json(), "application/json")
        run = ArchivedRun(
            run_id=run_id,
            question=question,
            mode="simple",
            status="completed",
            started_at=float(ord(name)),
            report=ReportRef.model_validate({"artifact": artifact, "title": "T", "answered": said != "", **figures}),
            previous_run=previous_run,
            metadata={SCHEDULE: schedule} if schedule else {},
        )
        await own.runs.archive(run, [])
        return run_id

    await leave("0", schedule="weekly")
    first = await leave("1", schedule="weekly")
    second = await leave("2", first, said="y")
    await leave("3", second, question="And what else?")
    await leave("4", schedule="daily")
    anew = await leave("5", schedule="weekly", said="z")
    run = await own.runs.get(first)
    assert run is not None
    found = await load_versions(run, own)
    assert [(one.run_id, one.claims[0].text) for one in found] == [(first, "x"), (second, "y"), (anew, "z")]
