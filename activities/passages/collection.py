"""A collection: documents by key, each with a fingerprint that is cheap to take and changes whenever it may have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

WARNED: Final = 20
"""How many skipped documents a search names; it counts the rest."""


class SkippedDocument(NamedTuple):
    """A document, or a group of files, that is not searched."""

    key: str
    reason: str


class Content(NamedTuple):
    """One document's bytes."""

    name: str
    """Its suffix says how to read it, its stem what to call it if it has no title."""
    data: bytes
    title: str = ""
    """What the document is called whatever it says itself; empty: as it says."""


@dataclass(frozen=True)
class Listing:
    """The current documents of a collection."""

    documents: Mapping[str, str]
    """Fingerprints by key."""
    skipped: tuple[SkippedDocument, ...] = ()
    """What was left out for what it is; a search warns of it."""
    ignored: tuple[SkippedDocument, ...] = ()
    """What was never meant to be searched, for whoever asks why it is not found."""


class Collection(Protocol):
    """Where documents come from."""

    def listing(self) -> Listing:
        """List the documents without reading them.

        Raises:
            SourceRefused: there is nothing, or it cannot be listed.
        """
        ...

    def content(self, key: str) -> Content:
        """The bytes of one document.

        Raises:
            FileSkipped: it cannot be read for what it is.
            OSError: it is gone, or cannot be read now.
        """
        ...


def list_skip_warnings(source: str, skipped: list[SkippedDocument]) -> tuple[str, ...]:
    """Return warnings about documents that a search could not cover: the first 20, and how many more."""
    lines = [f"{source}: {key} was skipped: {reason}" for key, reason in skipped[:WARNED]]
    if len(skipped) > WARNED:
        lines.append(f"{source}: {len(skipped) - WARNED} more files were skipped")
    return tuple(lines)
