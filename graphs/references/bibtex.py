r"""References as BibTeX, in UTF-8, which BibTeX 0.99d with `inputenc` and Biber read; so letters with accents stay.

Braces cannot be escaped: BibTeX counts those behind a backslash too. So a brace becomes a command, and no value ends
before its line does. Identifiers and addresses stand as they are, since packages read them verbatim; braces, blanks and
backslashes in them are percent-encoded.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from elcano.graphs.references.entries import Entry, Person, build_reference_entries
from elcano.graphs.report.report import Reference
from elcano.graphs.report.works import WorkKind

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


def render_bibtex(references: Sequence[Reference]) -> str:
    """One entry each, in their order; empty for none."""
    return "\n".join(_render_bibtex_entry(entry) for entry in build_reference_entries(references))


def escape_bibtex(value: str) -> str:
    """`value` as it stands between braces."""
    return "".join(_SIGNS.get(sign, sign) for sign in value)


def _render_bibtex_entry(entry: Entry) -> str:
    fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _iter_bibtex_fields(entry) if value)
    return f"@{_TYPES.get(entry.kind, 'misc')}{{{entry.key},\n{fields}}}\n"


def _iter_bibtex_fields(entry: Entry) -> Iterator[tuple[str, str]]:
    names = entry.identifiers
    article = entry.kind in ("article", "review")
    yield "author", " and ".join(map(_format_bibtex_name, entry.people))
    yield "title", f"{{{escape_bibtex(entry.title)}}}"  # twice in braces: styles would make small letters of capitals
    yield "journal" if article else "howpublished", escape_bibtex(entry.venue or (entry.source if not article else ""))
    yield "volume", escape_bibtex(entry.volume)
    yield "number", escape_bibtex(entry.issue)
    yield "pages", escape_bibtex("--".join(filter(None, entry.page_range)))
    yield "publisher", escape_bibtex(entry.publisher)
    yield "year", entry.year
    yield "month", str(entry.date[1]) if len(entry.date) > 1 else ""
    yield "doi", _escape_verbatim(names.doi)
    yield "pmid", _escape_verbatim(names.pmid)
    yield "pmcid", _escape_verbatim(names.pmcid)
    yield "eprint", _escape_verbatim(names.arxiv)
    yield "archiveprefix", "arXiv" if names.arxiv else ""
    yield "url", _escape_verbatim(entry.url)
    yield "urldate", entry.accessed
    yield "language", escape_bibtex(entry.language)
    yield "note", escape_bibtex(entry.note)


def _format_bibtex_name(person: Person) -> str:
    if not person.given:
        return f"{{{escape_bibtex(person.family)}}}"  # a group, or somebody of one name: not to be taken apart
    return ", ".join(_protect_name_part(part) for part in (person.family, person.suffix, person.given) if part)


def _protect_name_part(part: str) -> str:
    shown = escape_bibtex(part)
    return f"{{{shown}}}" if " and " in f" {part.lower()} " or "," in part else shown


def _escape_verbatim(value: str) -> str:
    return "".join(_VERBATIM.get(sign, sign) for sign in value)
