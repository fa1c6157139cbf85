r"""References of a report as BibTeX.

It is in UTF-8, which BibTeX 0.99d with `inputenc` and Biber read; so letters with accents stay. Braces cannot be
escaped: BibTeX counts those behind a backslash too. So a brace becomes a command, and no value ends before its line
does. Identifiers and addresses stand as they are, since packages read them verbatim; braces, blanks and backslashes in
them are percent-encoded.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from elcano.graphs.report.report import Reference
from elcano.graphs.trust import WorkKind
from elcano.service.reports.reference_entries import Entry, Person, build_reference_entries

_BIBTEX_TYPES: Final[dict[WorkKind, str]] = {
    **{"article": "article", "review": "article", "book": "book", "page": "online"},
}
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
    entries = "\n".join(_render_bibtex_entry(entry) for entry in build_reference_entries(references))
    return f"{_PREAMBLE}\n{entries}" if _UNSAFE.search(entries) else entries


_PREAMBLE: Final = r"""@preamble{"\ifx\urlstyle\undefined"
 # "\def\asprinted#1{\begingroup\catcode`\_12\catcode`\%12\catcode`\#12\catcode`\&12\catcode`\~12\catcode`\^12 #1}"
 # "\def\printed#1{\texttt{#1}\endgroup}"
 # "\providecommand{\doi}{doi: \asprinted\printed}\providecommand{\url}{\asprinted\printed}\fi"}
"""
"""Has styles of natbib print DOIs and addresses as they are: without the package `url` they would stop at `_`."""
_UNSAFE: Final = re.compile(r"^  (?:doi|url) = .*[_%#&~^]", re.MULTILINE)


def escape_bibtex(value: str) -> str:
    """`value` as it is between braces."""
    return "".join(_SIGNS.get(sign, sign) for sign in value).replace("--", "-{}-")


def _render_bibtex_entry(entry: Entry) -> str:
    fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _iter_bibtex_fields(entry) if value)
    kind = "misc" if _lacks_journal(entry) else _BIBTEX_TYPES.get(entry.kind, "misc")
    kind = "incollection" if entry.is_chapter else kind
    return f"@{kind}{{{entry.key},\n{fields}}}\n"


def _lacks_journal(entry: Entry) -> bool:
    """Whether an article has none: styles leave a hole for it, or refuse it."""
    return entry.kind in ("article", "review") and not entry.venue


def _iter_bibtex_fields(entry: Entry) -> Iterator[tuple[str, str]]:
    names = entry.identifiers
    article = entry.kind in ("article", "review") and not _lacks_journal(entry)
    yield "author", " and ".join(map(_format_bibtex_name, entry.people))
    yield "title", f"{{{escape_bibtex(entry.title)}}}"  # twice in braces: styles would make small letters of capitals
    yield "journal" if article else "booktitle" if entry.is_chapter else "howpublished", escape_bibtex(entry.venue)
    yield "volume", escape_bibtex(entry.volume)
    yield "number", escape_bibtex(entry.issue)
    yield "pages", "--".join(map(escape_bibtex, filter(None, entry.page_range)))
    yield "publisher", escape_bibtex(entry.publisher)
    yield "year", entry.year
    yield "month", str(entry.date[1]) if len(entry.date) > 1 else ""
    yield "day", str(entry.date[2]) if len(entry.date) > 2 else ""
    yield "type", entry.genre or ("Article" if _lacks_journal(entry) else "")
    yield "issn", ", ".join(entry.issns)
    yield "doi", _escape_verbatim(names.doi)
    yield "pmid", _escape_verbatim(names.pmid)
    yield "pmcid", _escape_verbatim(names.pmcid)
    yield "eprint", _escape_verbatim(names.arxiv or names.nct)
    yield "archiveprefix", "arXiv" if names.arxiv else "ClinicalTrials.gov" if names.nct else ""
    yield "url", _escape_verbatim(entry.url)
    yield "urldate", entry.accessed
    yield "langid", escape_bibtex(entry.language)  # BibLaTeX prints what is in `language`
    yield "note", escape_bibtex(entry.note)


def _format_bibtex_name(person: Person) -> str:
    if not person.given:
        return f"{{{escape_bibtex(person.family)}}}"  # a group, or someone of one name: not to be taken apart
    return ", ".join(_protect_name_part(part) for part in (person.family, person.suffix, person.given) if part)


def _protect_name_part(part: str) -> str:
    shown = escape_bibtex(part)
    return f"{{{shown}}}" if " and " in f" {part.lower()} " or "," in part else shown


def _escape_verbatim(value: str) -> str:
    return "".join(_VERBATIM.get(sign, sign) for sign in value)
