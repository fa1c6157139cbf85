"""What a source is: something that can be searched and answers with passages in stored texts."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from elcano.graphs.frozen import Frozen
from elcano.storage.evidence import Evidence, StoredText


class Found(Frozen):
    """What one search found, best first."""

    evidence: tuple[Evidence, ...] = ()
    texts: tuple[StoredText, ...] = ()
    """The texts that the passages are parts of."""
    warnings: tuple[str, ...] = ()
    """What could not be searched, and why. An error text is never evidence."""


class Source(Protocol):
    """One search provider."""

    @property
    def name(self) -> str:
        """What graphs, agents and clients call it."""
        ...

    @property
    def description(self) -> str:
        """One sentence on what can be found here, for people and for the tool selector."""
        ...

    async def search(self, query: str, limit: int) -> Found:
        """At most `limit` passages for `query`.

        Raises:
            SourceUnavailable: it cannot be searched now; worth another try.
            SourceRefused: it can never be searched so: nothing there, unreadable, forbidden.
        """
        ...

    async def term_weights(self, words: Sequence[str]) -> Mapping[str, float]:
        """How much each word tells in this source: its inverse document frequency, higher for rarer words.

        A word that occurs nowhere has the highest weight. Empty if the source cannot tell.
        """
        ...
