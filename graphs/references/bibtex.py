r"""References as BibTeX, in UTF-8, which BibTeX 0.99d with `inputenc` and Biber read; so letters with accents stay.

Braces cannot be escaped: BibTeX counts those behind a backslash too. So a brace becomes a command, and no value ends
before its line does. Identifiers and addresses stand as they are, since packages read them verbatim; braces, blanks and
backslashes in them are percent-encoded.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from elcano.graphs.references.entries import Entry, Person, entries
from elcano.graphs.values.report import Reference
from elcano.graphs.values.works import WorkKind

_TYPES: Final[dict[WorkKind, str]] = {"article": "article", "review": "article", "book": "book"}
_SIGNS: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
_VERBATIM: Final = {"\\": "%5C", "{": "%7B", "}": "%7D", " ": "%20"}


def written(references: Sequence[Reference]) -> str:
    """One entry each, in their order; empty for none."""
    return "\n".join(_written(entry) for entry in entries(references))


def text(value: str) -> str:
    """`value` as it stands between braces."""
    return "".join(_SIGNS.get(sign, sign) for sign in value)


def _written(entry: Entry) -> str:
    fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(entry) if value)
    return f"@{_TYPES.get(entry.kind, 'misc')}{{{entry.key},\n{fields}}}\n"


def _fields(entry: Entry) -> Iterator[tuple[str, str]]:
    names = entry.identifiers
    article = entry.kind in ("article", "review")
    yield "author", " and ".join(map(_name, entry.people))
    yield "title", f"{{{text(entry.title)}}}"  # twice in braces: styles would make small letters of capitals
    yield "journal" if article else "howpublished", text(entry.venue or (entry.source if not article else ""))
    yield "volume", text(entry.volume)
    yield "number", text(entry.issue)
    yield "pages", text("--".join(filter(None, entry.page_range)))
    yield "publisher", text(entry.publisher)
    yield "year", entry.year
    yield "month", str(entry.date[1]) if len(entry.date) > 1 else ""
    yield "doi", _verbatim(names.doi)
    yield "pmid", _verbatim(names.pmid)
    yield "pmcid", _verbatim(names.pmcid)
    yield "eprint", _verbatim(names.arxiv)
    yield "archiveprefix", "arXiv" if names.arxiv else ""
    yield "url", _verbatim(entry.url)
    yield "urldate", entry.accessed
    yield "language", text(entry.language)
    yield "note", text(entry.note)


def _name(person: Person) -> str:
    if not person.given:
        return f"{{{text(person.family)}}}"  # a group, or somebody of one name: not to be taken apart
    return ", ".join(_part(part) for part in (person.family, person.suffix, person.given) if part)


def _part(part: str) -> str:
    shown = text(part)
    return f"{{{shown}}}" if " and " in f" {part.lower()} " or "," in part else shown


def _verbatim(value: str) -> str:
    return "".join(_VERBATIM.get(sign, sign) for sign in value)
