"""Searches the almanac."""

from hashlib import sha256

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.settings import Settings
from elcano.storage.evidence import Evidence, StoredText
from elcano_tides.almanac import PORTS


class AlmanacSource:
    """One passage a port, which is found by the port's name."""

    def __init__(self, spec: SourceSpec) -> None:
        self.spec = spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """The passages of the ports that a query names."""
        named = [port for port in PORTS if port.casefold() in query.casefold()][:limit]
        return SearchResults(
            evidence=tuple(self._build_passage(port) for port in named),
            texts=tuple(_build_text(port) for port in named),
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _build_passage(self, port: str) -> Evidence:
        text = _build_text(port)
        return Evidence(
            id=f"{text.document}@{text.content_hash[:8]}",
            source=self.spec.name,
            document=text.document,
            content_hash=text.content_hash,
            title=text.title,
            locator=text.document,
            text=text.text,
            start=0,
            end=len(text.text),
        )


def open_source(spec: SourceSpec, settings: Settings) -> AlmanacSource:
    """Open the almanac."""
    return AlmanacSource(spec)


def _build_text(port: str) -> StoredText:
    text = PORTS[port]
    return StoredText(
        content_hash=sha256(text.encode()).hexdigest(), document=f"tides:{port}", title=f"Tides of {port}", text=text
    )
