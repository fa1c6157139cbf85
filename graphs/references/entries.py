"""References ready to be written down for programs: every value on one line, without control characters, with a key.

A key is made of the first author, the year and the first telling word of the title, so that it is the same in every
report. Where two would be the same, each has a part of the hash of what it refers to behind it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from elcano.graphs.references import days, wording
from elcano.graphs.values.report import Reference
from elcano.graphs.values.works import Identifiers, Work, WorkKind

_LITTLE: Final = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "by", "can", "do", "does", "for", "from", "how", "in"),
        *("is", "of", "on", "or", "the", "to", "what", "with"),
    }
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_HIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PAGES: Final = re.compile(r"\s*[-\u2013\u2014]+\s*")


class Person(NamedTuple):
    """An author. A group has only a family name, which is its whole name."""

    family: str
    given: str = ""
    suffix: str = ""
    """`Jr.`, `III`."""


class Entry(NamedTuple):
    """A reference; unknown fields are empty."""

    key: str
    kind: WorkKind
    title: str
    people: tuple[Person, ...]
    year: str
    date: tuple[int, ...]
    """Year, month and day, as far as they are known."""
    venue: str
    volume: str
    issue: str
    pages: str
    publisher: str
    identifiers: Identifiers
    url: str
    language: str
    note: str
    """What a reader has to know: that it was retracted, that it is a preprint."""
    accessed: str
    """The day on which its text was retrieved, as `2026-11-22`."""
    source: str

    @property
    def page_range(self) -> tuple[str, str]:
        """The first and the last page; the last is empty if there is one or none."""
        first, *last = _PAGES.split(self.pages, maxsplit=1)
        return first, last[0] if last else ""


def entries(references: Sequence[Reference]) -> tuple[Entry, ...]:
    """The references in their order, each with a key that no other has."""
    keys = [_key(reference) for reference in references]
    often = Counter(keys)
    unique = [key if often[key] == 1 else f"{key}-{_digest(one)}" for key, one in zip(keys, references, strict=True)]
    return tuple(_entry(one, key) for one, key in zip(references, unique, strict=True))


def clean(text: str) -> str:
    """Return `text` on one line, without control characters and those that change the direction of writing."""
    return " ".join(_HIDDEN.sub("", " ".join(text.split())).split())


def _entry(reference: Reference, key: str) -> Entry:
    work = reference.work or Work(kind="document")
    retrieved = [
        *(one.retrieved for one in reference.texts),
        *(days.day(one.retrieved_at) for one in reference.told_by),
    ]
    date = days.parts(work.published) or ((work.year,) if work.year else ())
    web = wording.address(work) or next((one for one in reference.locators if one.startswith(("https:", "http:"))), "")
    places = "" if reference.work or web else "; ".join(reference.locators)
    return Entry(
        key=key,
        kind=work.kind,
        title=clean(reference.title) or "Untitled",
        people=tuple(person for name in work.authors if (person := _person(name)).family),
        year=str(work.year or (date[0] if date else "")),
        date=date,
        venue=clean(work.venue),
        volume=clean(work.volume),
        issue=clean(work.issue),
        pages=clean(work.pages),
        publisher=clean(work.publisher),
        identifiers=Identifiers(**{kind: clean(name) for kind, name in work.identifiers}),
        url=clean(web).replace(" ", "%20"),
        language=clean(work.language),
        note=clean(". ".join(filter(None, (wording.flags(work).rstrip("."), places)))),
        accessed=max(map(clean, retrieved), default=""),
        source=clean(reference.source),
    )


def _person(name: str) -> Person:
    family, *given = [part.strip() for part in clean(name).split(",")]
    return Person(family, given[0] if given else "", ", ".join(filter(None, given[1:])))


def _key(reference: Reference) -> str:
    work = reference.work
    family = _person(work.authors[0]).family if work and work.authors else ""
    year = str(work.year) if work and work.year else ""
    words = _words(reference.title)
    telling = next((word for word in words if word not in _LITTLE), words[0] if words else "")
    return ("".join(_words(family)) + year + telling)[:60] or "ref"


def _words(text: str) -> list[str]:
    """The words of `text` in small plain letters; of other scripts nothing is left."""
    return _WORD.findall(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower())


def _digest(reference: Reference) -> str:
    of = reference.document if reference.work else f"{reference.document} {reference.content_hash}"
    return sha256(of.encode()).hexdigest()[:8]
