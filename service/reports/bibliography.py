"""References of a report as BibTeX, RIS and CSL-JSON, by their media types.

RIS has a tag a line, lines ended by CR and LF; a value is one line, so nothing that a source wrote can begin with a
tag. CSL-JSON is the form that citation processors read (citationstyles.org, schema 1.0.2).

BibTeX is in UTF-8, which BibTeX 0.99d with `inputenc` and Biber read; so letters with accents stay. Braces cannot be
escaped: BibTeX counts those behind a backslash too. So a brace becomes a command, and no value ends before its line
does. Identifiers and addresses stay as they are, since packages read them verbatim; braces, blanks and backslashes in
them are percent-encoded.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import Reference
from elcano.graphs.trust import WorkKind
from elcano.service.reports.reference_entries import Entry, Person, build_reference_entries, parse_date_parts

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


_RIS_TYPES: Final[dict[WorkKind, str]] = {
    **{"article": "JOUR", "review": "JOUR", "preprint": "UNPB", "book": "BOOK"},
    **{"encyclopedia": "ENCYC", "page": "ELEC"},
}
_RIS_LINE_END: Final = "\r\n"


def render_ris(references: Sequence[Reference]) -> str:
    """One record each, in their order; empty for none."""
    return _RIS_LINE_END.join(_render_ris_record(entry) for entry in build_reference_entries(references))


def _render_ris_record(entry: Entry) -> str:
    lines = [f"{tag}  - {value}{_RIS_LINE_END}" for tag, value in _iter_ris_tags(entry) if value]
    return "".join([*lines, f"ER  - {_RIS_LINE_END}"])


def _iter_ris_tags(entry: Entry) -> Iterator[tuple[str, str]]:
    names = entry.identifiers
    first, last = entry.page_range
    yield "TY", "CHAP" if entry.is_chapter else _RIS_TYPES.get(entry.kind, "GEN")
    yield "ID", entry.key
    for person in entry.people:
        yield "AU", ", ".join(filter(None, person))
    yield "TI", entry.title
    yield "T2", entry.venue
    yield "VL", entry.volume
    yield "IS", entry.issue
    yield "SP", first
    yield "EP", last
    yield "PY", entry.year
    yield "DA", "/".join(f"{part:02}" for part in entry.date) if len(entry.date) > 1 else ""
    yield "PB", entry.publisher
    yield "M3", entry.genre
    yield "SN", ", ".join(entry.issns)
    yield "DO", names.doi
    yield "AN", names.pmid or names.nct or (names.arxiv and f"arXiv:{names.arxiv}")
    yield "DB", "PubMed" if names.pmid else ""  # without it, the number is no one's
    yield "C2", names.pmcid
    yield "UR", entry.url
    yield "LA", entry.language
    yield "N1", entry.note
    yield "N1", f"arXiv: {names.arxiv}" if names.arxiv and (names.pmid or names.nct) else ""
    yield "DP", entry.source
    yield "Y2", entry.accessed.replace("-", "/")


_CSL_TYPES: Final[dict[WorkKind, str]] = {
    **{"article": "article-journal", "review": "article-journal", "preprint": "article", "book": "book"},
    **{"encyclopedia": "entry-encyclopedia", "page": "webpage"},
}


def render_csl_json(references: Sequence[Reference]) -> str:
    """A list with one item each, in their order."""
    return (
        json.dumps(
            [_build_csl_item(entry) for entry in build_reference_entries(references)], ensure_ascii=False, indent=1
        )
        + "\n"
    )


def _build_csl_item(entry: Entry) -> JsonObject:
    names = entry.identifiers
    number = f"arXiv:{names.arxiv}" if names.arxiv else names.nct
    fields: JsonObject = {
        "id": entry.key,
        "type": "chapter" if entry.is_chapter else _CSL_TYPES.get(entry.kind, "document"),
        "genre": entry.genre.lower(),
        "title": entry.title,
        "author": [_build_csl_name(person) for person in entry.people],
        "issued": _build_csl_date(entry.date),
        "container-title": entry.venue,
        "volume": entry.volume,
        "issue": entry.issue,
        "page": "-".join(filter(None, entry.page_range)),
        "publisher": entry.publisher,
        "DOI": names.doi,
        "PMID": names.pmid,
        "PMCID": names.pmcid,
        "ISSN": ", ".join(entry.issns),
        "number": number,
        "URL": entry.url,
        "language": entry.language,
        "note": entry.note,
        "source": entry.source,
        "accessed": _build_csl_date(parse_date_parts(entry.accessed)),
        "custom": entry.standing,
    }
    return {name: value for name, value in fields.items() if value}


def _build_csl_name(person: Person) -> Json:
    if not person.given:
        return {"literal": person.family}
    suffix: JsonObject = {"suffix": person.suffix} if person.suffix else {}
    return {"family": person.family, "given": person.given, **suffix}


def _build_csl_date(date: Sequence[int]) -> JsonObject:
    return {"date-parts": [list(date)]} if date else {}


BIBTEX: Final = "application/x-bibtex"
RIS: Final = "application/x-research-info-systems"
CSL: Final = "application/vnd.citationstyles.csl+json"

FORMS: Final[Mapping[str, Callable[[Sequence[Reference]], str]]] = {
    BIBTEX: render_bibtex,
    RIS: render_ris,
    CSL: render_csl_json,
}
