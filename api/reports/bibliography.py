r"""References of a report as BibTeX, RIS and CSL-JSON, by their media types.

Every value stands on one line, without control characters. The key of a reference is made of the first author, the year
and the first telling word of the title, so that it is the same in every report. Where two would be the same, each has a
part of the hash of what it refers to behind it.

BibTeX is in UTF-8, which BibTeX 0.99d with `inputenc` and Biber read; so letters with accents stay. Braces cannot be
escaped: BibTeX counts those behind a backslash too. So a brace becomes a command, and no value ends before its line
does. Identifiers and addresses stand as they are, since packages read them verbatim; braces, blanks and backslashes in
them are percent-encoded. RIS has a tag a line, lines ended by CR and LF; a value is one line, so nothing that a source
wrote can begin with a tag. CSL-JSON is the form that citation processors read (citationstyles.org, schema 1.0.2).
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import Reference
from elcano.graphs.report.works import Identifiers, Work, describe_work_flags, resolve_work_url
from elcano.graphs.text import format_utc_day
from elcano.graphs.trust import WorkKind

_LITTLE: Final = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "by", "can", "do", "does", "for", "from", "how", "in"),
        *("is", "of", "on", "or", "the", "to", "what", "with"),
    }
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_HIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PARTS: Final = ((1, 9999), (1, 12), (1, 31))
"""Between what the parts of a date are."""
_PAGES: Final = re.compile(r"\s*[-\u2013\u2014]+\s*")


_GENRES: Final[dict[WorkKind, str]] = {
    **{"review": "Review", "preprint": "Preprint", "trial": "Clinical trial", "encyclopedia": "Encyclopedia"},
}


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
    issns: tuple[str, ...]
    url: str
    language: str
    note: str
    """What a reader has to know: that it was retracted, that it is a preprint."""
    standing: JsonObject
    """The same as flags and notices, for CSL-JSON."""
    accessed: str
    """The day on which its text was retrieved, as `2026-11-22`."""
    source: str

    @property
    def is_chapter(self) -> bool:
        """Whether it is in a book: books themselves are in nothing."""
        return self.kind == "book" and bool(self.venue)

    @property
    def genre(self) -> str:
        """What its type does not say in the formats."""
        return _GENRES.get(self.kind, "")

    @property
    def page_range(self) -> tuple[str, str]:
        """The first and the last page; the last is empty if there is one or none."""
        first, *last = _PAGES.split(self.pages, maxsplit=1)
        return first, last[0] if last else ""


def build_reference_entries(references: Sequence[Reference]) -> tuple[Entry, ...]:
    """The references in their order, each with a key that no other has."""
    keys = [_build_citation_key(reference) for reference in references]
    for tell_apart in (_hash_reference, lambda reference: str(reference.number)):  # the latter: one work twice
        often = Counter(keys)
        keys = [
            key if often[key] == 1 else f"{key}-{tell_apart(one)}" for key, one in zip(keys, references, strict=True)
        ]
    return tuple(_build_entry(one, key) for one, key in zip(references, keys, strict=True))


def parse_date_parts(date: str) -> tuple[int, ...]:
    """`2024-05-17` as year, month and day, as far as these are some; `2024-13` is the year alone."""
    found: list[int] = []
    for text, (low, high) in zip(date.split("-"), _PARTS, strict=False):
        if not (text.isascii() and text.isdigit() and low <= int(text[:5]) <= high):
            break
        found.append(int(text))
    return tuple(found)


def clean_line(text: str) -> str:
    """Return `text` on one line, without control characters and those that change the direction of writing."""
    return " ".join(_HIDDEN.sub("", " ".join(text.split())).split())


def _build_entry(reference: Reference, key: str) -> Entry:
    work = reference.work or Work(kind="document")
    retrieved = [
        *(one.retrieved for one in reference.texts),
        *(format_utc_day(one.retrieved_at) for one in reference.told_by),
    ]
    date = parse_date_parts(work.published) or ((work.year,) if work.year else ())
    web = resolve_work_url(work) or next((one for one in reference.locators if one.startswith(("https:", "http:"))), "")
    places = "" if reference.work or web else "; ".join(reference.locators)
    return Entry(
        key=key,
        kind=work.kind,
        title=clean_line(reference.title) or "Untitled",
        people=tuple(person for name in work.authors if (person := _parse_person(name)).family),
        year=str(work.year or (date[0] if date else "")),
        date=date,
        venue=clean_line(work.venue),
        volume=clean_line(work.volume),
        issue=clean_line(work.issue),
        pages=clean_line(work.pages),
        publisher=clean_line(work.publisher),
        identifiers=Identifiers(**{kind: clean_line(name) for kind, name in work.identifiers}),
        issns=work.issns,
        url=clean_line(web).replace(" ", "%20"),
        language=clean_line(work.language),
        note=clean_line(". ".join(filter(None, (describe_work_flags(work).rstrip("."), places)))),
        standing=_describe_standing(work),
        accessed=max(map(clean_line, retrieved), default=""),
        source=clean_line(reference.source),
    )


def _describe_standing(work: Work) -> JsonObject:
    told: JsonObject = {
        "flags": [flag for flag in work.flags if flag != "abstract_only"],
        "notices": list(map(clean_line, work.notices)),
    }
    return {name: value for name, value in told.items() if value}


def _parse_person(name: str) -> Person:
    family, *given = [part.strip() for part in clean_line(name).split(",")]
    return Person(family, given[0] if given else "", ", ".join(filter(None, given[1:])))


def _build_citation_key(reference: Reference) -> str:
    work = reference.work
    family = _parse_person(work.authors[0]).family if work and work.authors else ""
    year = str(work.year) if work and work.year else ""
    words = _split_ascii_words(reference.title)
    telling = next((word for word in words if word not in _LITTLE), words[0] if words else "")
    return ("".join(_split_ascii_words(family)) + year + telling)[:60] or "ref"


def _split_ascii_words(text: str) -> list[str]:
    """The words of `text` in small plain letters; of other scripts nothing is left."""
    return _WORD.findall(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower())


def _hash_reference(reference: Reference) -> str:
    of = reference.document if reference.work else f"{reference.document} {reference.content_hash}"
    return sha256(of.encode()).hexdigest()[:8]


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
    """`value` as it stands between braces."""
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
    yield "langid", escape_bibtex(entry.language)  # BibLaTeX prints what stands in `language`
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
    yield "DB", "PubMed" if names.pmid else ""  # without it, the number is nobody's
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
    told: JsonObject = {
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
    return {name: value for name, value in told.items() if value}


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
