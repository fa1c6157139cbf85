"""Evidence: passages with their place in a stored text, kept by canonical id and content hash.

What is kept is never changed: a passage of a changed file is another passage, because its id holds the content hash.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from hashlib import sha256
from itertools import count
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import Field, field_validator
from sqlalchemy import Subquery, and_, delete, exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.frozen import Epoch, Frozen, JsonObject
from elcano.graphs.report.places import NOWHERE, Places
from elcano.graphs.report.works import Work
from elcano.storage.evidence_statements import (
    FIRST_FOUND,
    OF_RUN,
    PASSAGES,
    PLACES,
    POSITIONS,
    TEXTS,
    select_first_places,
)
from elcano.storage.sql.dialect import (
    begin_exclusive,
    insert_new,
    name_run_range,
    root_of,
    run_and_branches,
)
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import evidence as passages
from elcano.storage.sql.tables import findings
from elcano.storage.sql.tables import texts as stored_texts

INDEXED_AT: Final = "indexed_at"
"""In the metadata of a passage from a collection: since when its document has its text there, in seconds since the
epoch."""
PATH: Final = "path"
"""In the metadata of a passage from a file: the file's name in its collection."""
DATA_HASH: Final = "data_hash"
"""The same: SHA-256 of the file's bytes when it was read, hexadecimal."""
PAGE: Final = "page"
"""The same: the page on which the passage begins, counted from 1."""
PAGE_LABELS: Final = "page_labels"
"""The same: what is printed as the number of its pages where that differs, by the page as a JSON key."""
KIND: Final = "kind"
"""The same: what most of the passage is, such as `table` or `note`, if it is no plain text."""
CONFIDENCE: Final = "confidence"
"""The same: how sure OCR is of its least certain part, 0 to 1; absent: its characters stand in the file."""
BATCH: Final = 500
"""Ids in one statement; a database has a limit to its parameters."""


def get_page_label(metadata: JsonObject, page: int) -> str:
    """Return the printed page number; empty if it equals the page's number, or is unknown."""
    labels = metadata.get(PAGE_LABELS)
    label = labels.get(str(page)) if isinstance(labels, dict) else None
    return label if isinstance(label, str) else ""


def format_page(page: int, metadata: JsonObject) -> str:
    """A page of a passage as its number, and what is printed as that in parentheses if it differs: `12 (iv)`."""
    label = get_page_label(metadata, page)
    return f"{page} ({label})" if label else str(page)


class StoredText(Frozen):
    """The whole text of one document, as quotes are looked up in it."""

    content_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of `text` in UTF-8, hexadecimal."""
    document: str
    """Canonical id of the document (PMID, DOI, URL, collection and path)."""
    title: str
    media_type: str = "text/plain"
    text: str


class Evidence(Frozen):
    """One passage of a stored text. `text` equals the stored text from `start` to `end`, in characters."""

    id: str = Field(min_length=1, max_length=300)
    """Identifies this passage permanently, so it contains the beginning of `content_hash` and, unless the passage is
    the whole text, its place: `tides:Getaria@1f3a9c02:0-74`."""
    source: str
    """The name of the source, `SourceSpec.name`."""
    document: str
    """`StoredText.document` of its text."""
    content_hash: str
    """`StoredText.content_hash` of its text."""
    title: str
    locator: str
    """Location for readers: a URL, or path, page and anchor."""
    heading: str = ""
    """The headings above it, joined by ` > `."""
    text: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    score: float = 0.0
    """Relevance to the query that found it; comparable within one search only."""
    retrieved_at: Epoch = 0.0
    """Seconds since the epoch."""
    metadata: JsonObject = {}
    work: Work | None = None
    """The source's data about the work that it belongs to; None: no more than the other fields say."""
    places: Places = Field(default=NOWHERE, exclude_if=lambda places: not places)
    """Positions of its words on pages and in tables, with offsets in the stored text. The cells that name the columns
    of its tables are among them, also where they stand before the passage."""

    @field_validator("places", mode="before")
    @classmethod
    def _know_no_places(cls, places: object) -> object:
        """Rows that were kept before there were places have null."""
        return NOWHERE if places is None else places


class SourceFile(NamedTuple):
    """The file that a passage was read from, as it is now."""

    data_hash: str
    """SHA-256 of its bytes, hexadecimal."""
    load: Callable[[], Awaitable[bytes | None]]
    """Loads its bytes; None: it was deleted meanwhile."""


Renew: TypeAlias = Callable[[Sequence[Evidence], Mapping[str, Work | None]], Sequence[Evidence]]
"""The choice of the passages to keep, given those that were found and the works of those that are kept, by id."""


class EvidenceStore(TenantBound):
    """The passages of one tenant, their texts, and which run found them."""

    async def add(
        self, run_id: str, evidence: Sequence[Evidence], texts: Sequence[StoredText], *, renew: Renew | None = None
    ) -> Sequence[Evidence]:
        """Keeps passages and their texts and notes that the run found them; doing it twice changes nothing.

        A text is kept for the passages that are in it; one without any is not. Searches of one run, branches included,
        are kept one after the other, so that of two that find copies at the same time one is older. `renew` is given
        the passages and the works of those that are kept already, and says what is kept; that is returned.

        Raises:
            ValueError: a text does not have its hash, a passage is not the part of its text that it says it is, or its
                id belongs to another passage.
        """
        for text in texts:
            _check_hash(text)
        if not evidence:
            return evidence
        async with self._engine.begin() as connection:
            await begin_exclusive(
                connection, f"run {self._tenant} {root_of(run_id)}", shared=f"evidence {self._tenant}"
            )
            kept = await self._find_kept(connection, evidence)
            if renew is not None:
                works = {id: None if row.work is None else Work.model_validate(row.work) for id, row in kept.items()}
                evidence = renew(evidence, works)
            fresh = {passage.id: passage for passage in evidence if passage.id not in kept}
            await self._add_texts(connection, evidence, fresh, texts)
            if fresh:
                # In one order, so that two runs that find the same passages at once never wait for each other in a
                # circle.
                rows = [self._row(**_build_row(fresh[id])) for id in sorted(fresh)]
                insert = insert_new(connection, passages).returning(passages.c.id)
                if len((await connection.execute(insert, rows)).all()) < len(rows):  # another run was quicker
                    kept |= await self._find_kept(connection, list(fresh.values()))
            for passage in evidence:
                _check_identity(passage, kept.get(passage.id) or fresh[passage.id])
            await self._note_findings(connection, run_id, evidence)
        return evidence

    async def _find_kept(self, connection: AsyncConnection, evidence: Sequence[Evidence]) -> dict[str, Any]:
        """The works and places of those of the passages that are kept, by id."""
        given = {"tenant": self._tenant, "ids": list({passage.id for passage in evidence})}
        return {row.id: row for row in (await connection.execute(PLACES, given)).all()}

    async def _add_texts(
        self,
        connection: AsyncConnection,
        evidence: Iterable[Evidence],
        fresh: Mapping[str, Evidence],
        texts: Iterable[StoredText],
    ) -> None:
        """Keep the texts of `fresh` passages, and check each passage that is fresh or whose text is given."""
        wanted = {passage.content_hash for passage in fresh.values()}
        contents = {text.content_hash: text.text for text in texts}
        contents |= await self._contents(connection, wanted - contents.keys())
        for passage in evidence:
            if passage.id in fresh or passage.content_hash in contents:
                _check_passage(passage, contents)
        rows = [self._row(**text.model_dump()) for text in texts if text.content_hash in wanted]
        if rows:
            rows.sort(key=itemgetter("content_hash"))
            await connection.execute(insert_new(connection, stored_texts), rows)

    async def _note_findings(self, connection: AsyncConnection, run_id: str, evidence: Sequence[Evidence]) -> None:
        found_before = await find_positions(connection, self._tenant, root_of(run_id))
        following = count(max(found_before.values(), default=0) + 1)
        found = [
            self._row(run_id=run_id, evidence_id=id, position=found_before.get(id) or next(following))
            for id in dict.fromkeys(passage.id for passage in evidence)
        ]
        await connection.execute(insert_new(connection, findings), found)

    async def get(self, ids: Sequence[str]) -> list[Evidence]:
        """The passages with these ids, in this order; ids that are not kept are left out."""
        given = {"tenant": self._tenant, "ids": list(dict.fromkeys(ids))}
        found = {one.id: one for one in await self._fetch_all(Evidence, PASSAGES, given)} if ids else {}
        return [found[id] for id in ids if id in found]

    async def text(self, content_hash: str) -> StoredText | None:
        """A stored text by its hash."""
        wanted = self._select(stored_texts).where(stored_texts.c.content_hash == content_hash)
        return await self._fetch_first(StoredText, wanted)

    async def texts(self, evidence: Iterable[Evidence]) -> dict[str, StoredText]:
        """The stored texts that passages stand in, by content hash; one that is not kept is left out."""
        hashes = {passage.content_hash for passage in evidence}
        if not hashes:
            return {}
        given = {"tenant": self._tenant, "hashes": sorted(hashes)}
        return {one.content_hash: one for one in await self._fetch_all(StoredText, TEXTS, given)}

    async def of_run(self, run_id: str, *, limit: int | None = None, offset: int = 0) -> list[Evidence]:
        """Returns the passages that a run and its branches found, each once, in the order in which the run found them.

        `limit` and `offset` choose a page; what is found while pages are read comes after them.
        """
        given = {"tenant": self._tenant, **name_run_range(run_id)}
        if limit is None and not offset:
            return await self._fetch_all(Evidence, OF_RUN, given)
        page = FIRST_FOUND.limit(limit).offset(offset).subquery()
        whole = self._select(passages).join(page, page.c.evidence_id == passages.c.id)
        return await self._fetch_all(Evidence, whole.order_by(page.c.position), given)

    async def find_in_run(self, run_id: str, evidence_id: str) -> Evidence | None:
        """The passage of this id, if the run or one of its branches found it."""
        found = exists().where(
            findings.c.tenant == self._tenant,
            findings.c.evidence_id == evidence_id,
            run_and_branches(findings.c.run_id, run_id),
        )
        return await self._fetch_first(Evidence, self._select(passages).where(passages.c.id == evidence_id, found))

    async def ids_of_run(self, run_id: str) -> list[str]:
        """The ids of what `of_run` answers, in the same order; quick, since no text is read."""
        found = _found_by(self._tenant, run_id)
        return await self._fetch_values(select(found.c.evidence_id).order_by(found.c.position))

    async def numbers_of_run(self, run_id: str) -> dict[str, int]:
        """The number of each passage in its run, by its id: from 1 in the order of finding, with gaps.

        `run_id` may be that of a branch; the numbers are those of the whole run. A passage never changes its own: not
        by what other branches find at the same time, nor when the run is rolled back or forked.
        """
        async with self._engine.connect() as connection:
            return await find_positions(connection, self._tenant, root_of(run_id))

    async def works_of_run(self, run_id: str) -> list[Work]:
        """Returns the works of the passages that `of_run` returns, in the same order; no text is read."""
        found = _found_by(self._tenant, run_id)
        works = select(passages.c.work).join(found, passages.c.id == found.c.evidence_id)
        kept = works.where(self._own(passages), passages.c.work.is_not(None)).order_by(found.c.position)
        return [Work.model_validate(work) for work in await self._fetch_values(kept)]

    async def count_of_run(self, run_id: str) -> int:
        """Count the passages that a run and its branches found."""
        async with self._engine.connect() as connection:
            return await connection.scalar(select(func.count()).select_from(_found_by(self._tenant, run_id))) or 0

    async def count_of_branches(self, run_id: str) -> dict[str, int]:
        """Count the passages that each branch of a run found, by its run id; under `run_id` the total."""
        of_branches = and_(
            self._own(findings), run_and_branches(findings.c.run_id, run_id), findings.c.run_id != run_id
        )
        passage = findings.c.evidence_id
        by_branch = select(findings.c.run_id, func.count(passage)).where(of_branches).group_by(findings.c.run_id)
        async with self._engine.connect() as connection:
            counts = {branch: count for branch, count in await connection.execute(by_branch)}
            together = await connection.scalar(select(func.count(passage.distinct())).where(of_branches))
        return {**counts, run_id: together or 0}

    async def _contents(self, connection: AsyncConnection, hashes: Set[str]) -> dict[str, str]:
        """The kept texts with these hashes, by hash."""
        wanted = select(stored_texts.c.content_hash, stored_texts.c.text).where(
            self._own(stored_texts), stored_texts.c.content_hash.in_(hashes)
        )
        return {row.content_hash: row.text for row in await connection.execute(wanted)} if hashes else {}


def _build_row(passage: Evidence) -> dict[str, Any]:
    return {**passage.model_dump(), "places": passage.places.model_dump(mode="json") if passage.places else None}


def _found_by(tenant: str, run_id: str) -> Subquery:
    """Each passage that a run or one of its branches found, with the place where it was found first."""
    return select_first_places(findings.c.tenant == tenant, run_and_branches(findings.c.run_id, run_id))


async def find_positions(connection: AsyncConnection, tenant: str, run_id: str) -> dict[str, int]:
    """Find where each passage of a run or its branches was found first, by evidence id."""
    rows = await connection.execute(POSITIONS, {"tenant": tenant, **name_run_range(run_id)})
    return {row.evidence_id: row.position for row in rows}


_get_place: Final = attrgetter("content_hash", "start", "end")


def _check_identity(passage: Evidence, kept: object) -> None:
    """An id that is kept for another place would let a report quote words that were not found."""
    if _get_place(kept) != _get_place(passage):
        raise ValueError(f"evidence {passage.id!r}: this id belongs to another passage; ids must hold the hash")


def _check_hash(text: StoredText) -> None:
    if sha256(text.text.encode()).hexdigest() != text.content_hash:
        raise ValueError(f"the text of {text.document!r} does not have the hash {text.content_hash}, SHA-256 in UTF-8")


def _check_passage(passage: Evidence, contents: Mapping[str, str]) -> None:
    content = contents.get(passage.content_hash)
    if content is None:
        raise ValueError(
            f"evidence {passage.id!r}: its text {passage.content_hash[:8]} is neither given nor kept; "
            "return it in `SearchResults.texts`"
        )
    if content[passage.start : passage.end] != passage.text:
        raise ValueError(
            f"evidence {passage.id!r}: its text is not what stands from {passage.start} to {passage.end} "
            f"in {passage.document!r}; `start` and `end` are offsets in characters"
        )


async def drop_unfound(connection: AsyncConnection, tenant: str, ids: Sequence[str]) -> None:
    """Deletes those of the passages that no run refers to any more, and the texts that have no passage left."""
    kept = exists().where(findings.c.tenant == tenant, findings.c.evidence_id == passages.c.id)
    used = exists().where(passages.c.tenant == tenant, passages.c.content_hash == stored_texts.c.content_hash)
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        unused = and_(passages.c.tenant == tenant, passages.c.id.in_(batch), ~kept)
        hashes = set(await connection.scalars(delete(passages).where(unused).returning(passages.c.content_hash)))
        await connection.execute(
            delete(stored_texts).where(stored_texts.c.tenant == tenant, stored_texts.c.content_hash.in_(hashes), ~used)
        )
