"""A question asked as a run would ask it, without one: searches of the documents source, then the extractive writer.

As `simple` does it, the question is searched for as it is. As `iterative` does it, the first searches are those that
the offline tool selector plans, and the writer sees what all of them found; later rounds are not made, since they only
look for what is missing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from benchmarks.quality.data import DataSet
from elcano.activities.agents.prompt_passages import fit_passages_to_tokens
from elcano.graphs.agents.envelope import EvidenceItem, OfferedSource, TaskEnvelope
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.catalogue.tools import SearchInput
from elcano.graphs.report.report import Claim, ReportDraft
from elcano.storage.evidence import Evidence
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource
from elcano.subjects.quoting.planning import plan_searches
from elcano.subjects.quoting.report_writing import write_report
from elcano.subjects.research.agents.writer import AGENT
from elcano.text.languages import language_of, use_language
from elcano.text.stems import content_words

Mode: TypeAlias = Literal["simple", "iterative"]

LIMIT_BYTES: Final = 50_000_000
LIMIT: Final = SearchInput(source="x", query="x").limit
"""Passages a search, as a run asks for them."""
DEPTH: Final = 50
"""Passages among which a document has to be, to count as found at all."""


@dataclass(frozen=True)
class Answered:
    """A draft, and what its writer was given."""

    question: str
    draft: ReportDraft
    given: tuple[EvidenceItem, ...]
    passages: dict[str, Evidence]
    """By their keys, the passages that were given."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Everything that is quoted."""
        return (*self.draft.key_findings, *(one for section in self.draft.sections for one in section.claims))

    def quotes(self, document: str | None = None) -> list[str]:
        """What is quoted, of one document or of all."""
        cited = (one for claim in self.claims for one in claim.citations)
        return [one.quote for one in cited if document in (None, document_of(self.passages[one.evidence]))]


class Library:
    """The documents of a folder, indexed in a file."""

    def __init__(self, folder: Path, index: Path) -> None:
        self._source = DocumentsSource(
            build_collection_spec("library"), Folder(folder, LIMIT_BYTES), index, clock=lambda: 0.0
        )

    @classmethod
    def of(cls, data: DataSet, work: Path) -> "Library":
        """The documents of one data set, written and indexed below `work`."""
        folder = work / data.name
        folder.mkdir()
        for key, text in data.documents.items():
            (folder / key).write_text(text, encoding="utf-8")
        return cls(folder, work / f"{data.name}.sqlite")

    async def ranked(self, question: str) -> list[str]:
        """The documents of the first passages, best first."""
        found = await self._source.search(question, DEPTH)
        return list(dict.fromkeys(document_of(passage) for passage in found.evidence))

    async def answer(self, question: str, mode: Mode, without: str = "", background: str = "") -> Answered:
        """What the writer makes of the passages that the mode's searches find, as if document `without` were not."""
        weights = await self.weights(question)
        found: dict[str, Evidence] = {}
        for query in self._queries(question, mode, weights, background):
            # As many more as one document may fill the front with: without it, these would be there.
            passages = (await self._source.search(query, 2 * LIMIT if without else LIMIT)).evidence
            kept = [passage for passage in passages if document_of(passage) != without]
            found.update((passage.id, passage) for passage in kept[:LIMIT])
        shown = fit_passages_to_tokens(tuple(found.values()), (), AGENT.evidence_tokens)
        task = TaskEnvelope(
            kind="writer", question=question, background=background, evidence=shown.items, term_weights=weights
        )
        given = {key: found[id] for key, id in shown.ids.items()}
        return Answered(question, await asyncio.to_thread(write_report, task), shown.items, given)

    async def passages(self, query: str, limit: int) -> tuple[Evidence, ...]:
        """What one search finds."""
        return tuple((await self._source.search(query, limit)).evidence)

    async def weights(self, question: str) -> dict[str, float]:
        """How much each word of the question tells."""
        with use_language(language_of(question)):
            asked = content_words(question)
        return dict(await self._source.term_weights(asked))

    async def close(self) -> None:
        """Ends the source's threads."""
        await self._source.close()

    def _queries(self, question: str, mode: Mode, weights: dict[str, float], background: str) -> Sequence[str]:
        if mode == "simple":
            return [question]
        offered = (OfferedSource(name="library"),)
        task = TaskEnvelope(
            kind="tool_selector",
            question=question,
            background=background,
            gap=question,
            sources=offered,
            term_weights=weights,
        )
        return [one.query for one in plan_searches(task).tasks]


def document_of(passage: Evidence) -> str:
    """The key of the document that a passage is of, which is the name of its file."""
    return passage.document.partition(":")[2].rpartition("@")[0]
