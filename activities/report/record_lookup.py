"""Looks up the records of works whose documents state a DOI, at those sources of the run that have such records.

A file says of its work what is on its first page. The record of its DOI adds journal, year, and whether the work
was retracted. The DOI on a page may be that of another work which it cites, so a record is taken only if it has the
title of the document.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Iterable
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Final, Protocol, runtime_checkable

from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.work_merge import LEAST_TITLE_WORDS
from elcano.activities.sources.base import FindsRecords, Source
from elcano.activities.sources.http.trust_guard import apply_trust, get_trust, require_allowed_source
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import Passing, pass_without_waiting
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.report.works import Work
from elcano.graphs.trust import find_passage_kind
from elcano.storage.evidence import PATH, Evidence, EvidenceStore
from elcano.text.words import bare_words

MOST_LOOKUPS: Final = 20
"""DOIs that are looked up for one report, those of cited works first."""
LOOKUP_SECONDS: Final = 30.0
"""Seconds that a report waits for all of them, including their turns at the rate of the source."""
LIKE_TITLE: Final = 0.9
"""Minimum shared characters, as a share, of two titles that begin alike and differ in spelling or by OCR alone."""
FIRST_LINES: Final = 20
"""Lines searched for the title of a document whose file declares none."""
TITLE_LINES: Final = 3

_log = logging.getLogger("records")


@runtime_checkable
class _Service(Source, FindsRecords, Protocol):
    """A source that has records."""


class RecordLookup:
    """Looks up the DOIs of documents.

    Args:
        sources: those of this worker.
        passing: the gate of each source, by whose rate it is asked.
        private_hosts: those that the operator named.
    """

    def __init__(
        self, sources: Sources, *, passing: Passing = pass_without_waiting, private_hosts: Collection[str] = ()
    ) -> None:
        self._sources = sources
        self._passing = passing
        self._private_hosts = private_hosts

    async def find_accounts(self, material: ReportMaterial, evidence: EvidenceStore) -> tuple[Work, ...]:
        """The records of works that only documents mention; a service that does not answer costs no more than these.

        Args:
            material: of a report; its call says whom the run may contact.
            evidence: with the texts of its passages.
        """
        services = [source for name in material.call.searchable if (source := self._find_service(name)) is not None]
        wanted = self._list_unrecorded(material)[:MOST_LOOKUPS] if services else []
        found: dict[str, Work] = {}
        try:
            async with asyncio.timeout(LOOKUP_SECONDS):
                with apply_trust(material.call.trust, self._private_hosts):
                    for service in services:
                        left = [(doi, passage) for doi, passage in wanted if doi not in found]
                        async for doi, record in self._ask(service, left, evidence):
                            found[doi] = record
        except TimeoutError:
            _log.info("some of %d DOIs were not looked up: the services took too long", len(wanted))
        return tuple(found.values())

    async def _ask(
        self, service: _Service, wanted: Iterable[tuple[str, Evidence]], evidence: EvidenceStore
    ) -> AsyncIterator[tuple[str, Work]]:
        for doi, passage in wanted:
            try:
                require_allowed_source(get_trust(), service.spec)
                async with self._passing(service.spec):
                    record = await service.find_record(doi)
            except SourceRefused as error:
                _log.info("a DOI is not looked up: %s", error)
                continue
            except SourceUnavailable as error:
                _log.info("DOIs are not looked up: %s", error)
                return
            if record is not None and (
                is_title_alike(passage.work.title if passage.work else "", record.title)
                or (_has_file_title(passage) and await _begins_with(passage, record.title, evidence))
            ):
                yield doi, record

    def _find_service(self, name: str) -> _Service | None:
        try:
            source = self._sources.get(name)
        except SourceRefused:  # another worker has it
            return None
        return source if isinstance(source, _Service) else None

    def _list_unrecorded(self, material: ReportMaterial) -> list[tuple[str, Evidence]]:
        """One passage for each DOI that only documents mention, cited ones first."""
        cited = material.cited
        by_doi: dict[str, Evidence] = {}
        for passage in sorted(material.evidence, key=lambda one: one.id not in cited):
            known = material.works.of(passage)
            doi = passage.work.identifiers.doi if passage.work else ""
            if doi and known and all(map(self._is_document, (one.source for one in known.accounts))):
                by_doi.setdefault(doi, passage)
        return list(by_doi.items())

    def _is_document(self, source: str) -> bool:
        try:
            return find_passage_kind(source, self._sources.get(source).spec.kind) == "document"
        except SourceRefused:  # a tool, or a source of an earlier run that is no longer here
            return False


def is_title_alike(title: str, recorded: str) -> bool:
    """Whether a document with `title` is the work with the title `recorded`.

    A record may say more before and behind it, as `RETRACTED: `, and a document a subtitle; but what says something
    before the title of a work, as `Comment on `, is another one.
    """
    own, other = bare_words(title), bare_words(recorded)
    if not own or not other or own == other:
        return own == other != ""
    if min(len(own.split()), len(other.split())) < LEAST_TITLE_WORDS:
        return False
    if f"{own} ".startswith(f"{other} ") or f"{other} ".startswith(f"{own} "):
        return True
    if f" {own} " in f" {other} ":
        return len(own) > len(other) / 2
    begin_alike = own.split()[0] == other.split()[0]
    return begin_alike and SequenceMatcher(None, own, other, autojunk=False).ratio() >= LIKE_TITLE


def _has_file_title(passage: Evidence) -> bool:
    """Whether the title of a document is only the name of its file."""
    path = passage.metadata.get(PATH)
    return isinstance(path, str) and passage.work is not None and passage.work.title == PurePosixPath(path).stem


async def _begins_with(passage: Evidence, title: str, evidence: EvidenceStore) -> bool:
    stored = await evidence.text(passage.content_hash)
    lines = [line for line in stored.text.splitlines() if line.strip()][:FIRST_LINES] if stored else []
    return any(
        is_title_alike(" ".join(lines[start : start + length]), title)
        for start in range(len(lines))
        for length in range(1, TITLE_LINES + 1)
    )
