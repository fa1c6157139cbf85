"""The draft of a report, as far as runs and agents know it: claims with citations, and references to what is stored.

A writer never numbers a citation and never lists a reference. It puts a mark, `[a]`, behind each sentence, list item or
table cell, and says of each mark which evidence supports what stands before it, and by which literal words. An
inference names the facts that it rests on: `[from a, b]`. Code looks the words up in the stored text, puts numbers
where the marks stood and lists what does not hold.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text

TITLE_CHARACTERS: Final = 300

HEADING_CHARACTERS: Final = 200


def title_for(question: str) -> str:
    """The title of a report that has none but its question: on one line, cut to 300 characters, never empty."""
    return shorten_text(" ".join(question.split()) or "An empty question", TITLE_CHARACTERS)


def heading_for(title: str) -> str:
    """The heading of a section with this title: on one line, cut to 200 characters, never empty."""
    return shorten_text(" ".join(title.split()) or "Without a title", HEADING_CHARACTERS)


class Citation(Frozen):
    """The words of one piece of evidence that support a claim."""

    evidence: str
    """An evidence id that the writer was given."""
    quote: str = Field(min_length=1, max_length=2_000)
    """Literal words of that evidence, nothing added and nothing left out."""
    mark: str = Field(default="", coerce_numbers_to_str=True)
    """The mark in brackets after the words that it supports; empty: it supports the whole claim."""


class Claim(Frozen):
    """One block of a report: a paragraph, `###` heading, list, table, code, formula or quotation in Markdown.

    In its text a bracket is a mark if it contains only marks of its citations, as in `[a]`, `[a, b]` or `[from a, b]`,
    and is in no code and no formula; any other bracket is text. A sentence without a mark connects.
    """

    text: str = Field(min_length=1)
    citations: tuple[Citation, ...] = ()
    """Citations whose marks occur in the text, and those without a mark."""


class DraftRef(Frozen):
    """A draft in the artifact store, with what the state needs to know of it."""

    artifact: str
    """Content hash of the stored `ReportDraft`."""
    title: str
    answered: bool
    claims: int = Field(ge=0)
    cited: int = Field(ge=0)
    """Different pieces of evidence that it cites."""
    evidence: tuple[str, ...] = ()
    """Ids of the passages that it cites or calls related."""
    beside: tuple[str, ...] = ()
    """Ids of the best passages that it neither cites nor calls related: for joining it with other drafts."""


class ReportRef(Frozen):
    """A report in the artifact store, with the figures that a run's last event shows."""

    artifact: str
    title: str
    answered: bool
    partial: str | None
    words: int = Field(ge=0)
    references: int = Field(ge=0)
    verified: int = Field(ge=0)
    unverified: int = Field(ge=0)
