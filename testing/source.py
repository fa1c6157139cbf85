"""A source in memory: finds texts by their words, and fails, waits and warns on request."""

import asyncio
from collections.abc import Mapping, Sequence
from hashlib import sha256

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence, StoredText


class ScriptedSource:
    """A source that searches `texts`, by the names of their documents; each text is one passage.

    A passage is found if it holds a word of the query; passages with more of them come first. `answers` sets the
    results of a query, by the documents' names. `works` are the source's data about the works of documents.
    """

    def __init__(
        self,
        name: str,
        texts: Mapping[str, str],
        *,
        spec: SourceSpec | None = None,
        answers: Mapping[str, Sequence[str]] | None = None,
        weights: Mapping[str, float] | None = None,
        warnings: Sequence[str] = (),
        works: Mapping[str, Work] | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.spec = spec or SourceSpec(name=name, kind="texts", description=f"The texts of {name!r}.")
        """The source's specification: its limits, its key, its queue."""
        self._works = works or {}
        self._passages = {document: self._passage(document, text) for document, text in texts.items()}
        self._answers = answers or {}
        self._weights = weights or {}
        self._warnings = tuple(warnings)
        self._seconds = seconds
        self.error: Exception | None = None
        """Raised by every search while it is set, such as `SourceUnavailable` of `elcano.graphs.errors`."""
        self.queries: list[str] = []
        """The queries it received, in order."""
        self.closed = False

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return at most `limit` passages, after `seconds`.

        Raises:
            Exception: the `error` that is set.
        """
        self.queries.append(query)
        await asyncio.sleep(self._seconds)
        if self.error is not None:
            raise self.error
        found = tuple(self._passages[document] for document in self._found(query)[:limit])
        texts = tuple(
            StoredText(content_hash=one.content_hash, document=one.document, title=one.title, text=one.text)
            for one in found
        )
        return SearchResults(evidence=found, texts=texts, warnings=self._warnings)

    async def close(self) -> None:
        """Record that the source was closed."""
        self.closed = True

    async def term_weights(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return the `weights` of those words that have one.

        Raises:
            Exception: the `error` that is set.
        """
        if self.error is not None:
            raise self.error
        return {word: self._weights[word] for word in words if word in self._weights}

    def _found(self, query: str) -> list[str]:
        if query in self._answers:
            return list(self._answers[query])
        wanted = set(query.casefold().split())
        held = {name: len(wanted & set(one.text.casefold().split())) for name, one in self._passages.items()}
        return sorted((name for name in held if held[name]), key=lambda name: -held[name])

    def _passage(self, document: str, text: str) -> Evidence:
        content = sha256(text.encode()).hexdigest()
        return Evidence(
            id=f"{self.spec.name}:{document}@{content[:8]}:0-{len(text)}",
            source=self.spec.name,
            document=f"{self.spec.name}:{document}",
            content_hash=content,
            title=document,
            locator=document,
            text=text,
            start=0,
            end=len(text),
            work=self._works.get(document),
        )
