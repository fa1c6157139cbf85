"""Uploaded documents and their collections as clients see them: what routes answer with, and the client reads."""

from typing import Literal

from pydantic import Field

from elcano.service.fields import Described, Moment

DocumentState = Literal["uploaded", "indexed", "refused"]


class CollectionView(Described):
    """A collection, and how far it is read."""

    name: str = Field(examples=["handbook"])
    """Its name."""
    source: str = Field(examples=["uploads:handbook"])
    """Name to put among a run's `sources` to search it."""
    documents: int = Field(examples=[120])
    """The documents in it."""
    unread: int = Field(examples=[20])
    """Documents yet to be read; earlier versions are searched meanwhile."""
    indexed: int = Field(examples=[98])
    """Documents that are searched."""
    refused: int = Field(examples=[2])
    """Documents that cannot be read; each has the reason."""
    incomplete: int = Field(examples=[3])
    """Documents with unread parts, listed in their `gaps`."""
    outdated: int = Field(examples=[0])
    """Documents read by an earlier release; they are searched as they are until they are read again in the background.
    """
    bytes: int = Field(examples=[4_200_000])
    """Their size together."""


class DocumentGap(Described):
    """Something that a document holds and that was not read, or was left out."""

    reason: str = Field(examples=["pages 3 to 5 are pictures, and OCR is not installed"])
    """Description, cause, and remedy if there is one."""
    pages: tuple[int, ...] = Field(examples=[[3, 4, 5]])
    """The pages concerned, counted from 1; empty: its format has none, or the whole document is concerned."""
    unread: bool
    """Whether text may be missing from searches; false: nothing that a reader of the document sees."""


class DocumentView(Described):
    """An uploaded document."""

    path: str = Field(examples=["safety/ladders.pdf"])
    """Its name in the collection."""
    sha256: str = Field(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])
    """The hash of its bytes."""
    bytes: int = Field(examples=[48_213])
    """Its size."""
    state: DocumentState
    """`uploaded`: it is yet to be read. `indexed`: it is searched. `refused`: it cannot be read."""
    reason: str = Field(examples=["it has no text layer: run it through OCR first"])
    """Why it is refused; empty: it is not."""
    title: str = Field(examples=["Working on ladders"])
    """Its title, once it is read."""
    media_type: str = Field(examples=["application/pdf"])
    """Detected media type; empty until parsed."""
    gaps: tuple[DocumentGap, ...]
    """Parts that were not read or left out, each with its remedy."""
    uploaded_at: Moment
    """When it was uploaded."""
    uploaded_by: str
    """User; empty: no one was named."""


class DocumentPage(Described):
    """Some documents of a collection."""

    documents: tuple[DocumentView, ...]
    """The documents, in an order that does not change."""
    next: str | None
    """`after` of the next page; null: there is none."""


class ReadingBegun(Described):
    """Documents will be read again."""

    documents: int = Field(examples=[120])
    """Number of documents."""
