"""The versions of a living report as an Atom feed: what each states anew, otherwise and no more, since the one before.

The versions are the report of a run and those of the later runs that bring it up to date: each follows one of the
versions and has the same question, or was started by the same schedule.
"""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple
from xml.etree import ElementTree

from elcano.api.comparison.claims import compare_claims
from elcano.api.comparison.differences import ClaimBrief
from elcano.api.http.errors import ReportLost
from elcano.api.reports.bibliography_entries import clean_line
from elcano.api.reports.results import load_artifact
from elcano.graphs.contracts import SCHEDULE
from elcano.graphs.records import ArchivedRun, RunFilter
from elcano.graphs.report.report import Report
from elcano.graphs.text import format_count
from elcano.storage.store import TenantStore

ATOM: Final = "application/atom+xml"
MOST_VERSIONS: Final = 20
"""The newest ones are told."""
PAGE: Final = 200
MOST_RUNS: Final = 2_000
"""Runs of the same question that are looked at."""
_NAMESPACE: Final = "http://www.w3.org/2005/Atom"


class Version(NamedTuple):
    """One version of a report."""

    run_id: str
    title: str
    finished_at: float
    """Seconds since the epoch."""
    claims: tuple[ClaimBrief, ...]
    """What it states; what a statement cites is left out, as the same words may be quoted from a newer text."""


async def load_versions(run: ArchivedRun, store: TenantStore) -> list[Version]:
    """The versions of a report, the oldest first: of the last 20 those that can be read."""
    versions: list[Version] = []
    for one in (await _list_version_runs(run, store))[-MOST_VERSIONS - 1 :]:
        if one.report is not None and one.report.answered:
            try:
                stored = await load_artifact(one.report.artifact, store)
            except ReportLost:
                continue
            versions.append(await asyncio.to_thread(_read_version, one, stored))
    return versions


async def _list_version_runs(run: ArchivedRun, store: TenantStore) -> list[ArchivedRun]:
    later: list[ArchivedRun] = []
    wanted, before = RunFilter(question=run.question, created_after=run.started_at - 1.0), None
    while len(later) < MOST_RUNS:
        page = await store.runs.page(limit=PAGE, before=before, wanted=wanted)
        later += (one.run for one in page.runs if one.run.question == run.question)
        if page.next is None:
            break
        before = page.next
    versions, known, schedule = [run], {run.run_id}, run.metadata.get(SCHEDULE)
    for one in sorted(later, key=lambda later_run: later_run.started_at):
        scheduled = schedule is not None and one.metadata.get(SCHEDULE) == schedule
        if one.run_id not in known and (scheduled or one.previous_run in known):
            known.add(one.run_id)
            versions.append(one)
    return versions


def _read_version(run: ArchivedRun, stored: str) -> Version:
    report = Report.model_validate_json(stored)
    claims = tuple(
        ClaimBrief(section=part.heading, text=statement.text, evidence=())
        for part in report.parts
        for block in part.blocks
        for statement in block.statements
        if statement.kind != "connecting"
    )
    return Version(run.run_id, report.title, run.finished_at or run.started_at, claims)


def render_atom(question: str, feed: str, versions: Sequence[Version], pages: str = "") -> bytes:
    """The feed, the newest version first.

    Args:
        question: what is asked.
        feed: the id of the feed: the run that it begins with.
        versions: the oldest first.
        pages: the address below which each run has its page; empty: entries lead nowhere.
    """
    root = ElementTree.Element("feed", xmlns=_NAMESPACE)
    last = versions[-1].finished_at if versions else 0.0
    _add_texts(root, id=f"urn:elcano:versions:{feed}", title=question, updated=_format_time(last), generator="Elcano")
    ElementTree.SubElement(ElementTree.SubElement(root, "author"), "name").text = "Elcano"
    for before, version in reversed(list(zip((None, *versions), versions, strict=False))[-MOST_VERSIONS:]):
        entry = ElementTree.SubElement(root, "entry")
        when = _format_time(version.finished_at)
        changes = list(_list_changes(before, version))
        told = ", ".join(f"{len(claims):,} {how}" for how, claims in changes) or "nothing has changed"
        title = f"{when[:10]}: {told}" if before else f"{when[:10]}: {version.title}"
        _add_texts(entry, id=f"urn:elcano:run:{version.run_id}", title=title, updated=when, published=when)
        if pages:
            ElementTree.SubElement(entry, "link", rel="alternate", href=f"{pages}/{version.run_id}")
        html = _render_changes(version, changes)
        ElementTree.SubElement(entry, "content", type="html").text = html
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _list_changes(before: Version | None, version: Version) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The changes by kind; of each statement its words now, and before."""
    pairs, same = compare_claims(before.claims if before else (), version.claims)
    for how, told in (("added", "new"), ("changed", "changed"), ("removed", "withdrawn")):
        found = [tuple(side.text for side in (one.b, one.a) if side is not None) for one in pairs if one.how == how]
        if found:
            yield told, found
    if same and (before is None or pairs):
        yield "as before", [()] * same


def _render_changes(version: Version, changes: Sequence[tuple[str, list[tuple[str, ...]]]]) -> str:
    body = ElementTree.Element("div")
    ElementTree.SubElement(body, "p").text = clean_line(version.title)
    for how, claims in changes:
        heading = ElementTree.SubElement(body, "h3")
        heading.text = f"{how.capitalize()}: {format_count(len(claims), 'statement')}"
        for now, *former in filter(None, claims):
            line = ElementTree.SubElement(body, "p")
            line.text = clean_line(now)
            if former:
                line.text += " — before: "
                ElementTree.SubElement(line, "del").text = clean_line(former[0])
    return ElementTree.tostring(body, encoding="unicode", method="html")


def _add_texts(element: ElementTree.Element, **texts: str) -> None:
    for name, text in texts.items():
        ElementTree.SubElement(element, name).text = clean_line(text)


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
