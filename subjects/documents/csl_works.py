"""Reads one work in CSL-JSON, the form in which programs for references exchange works.

What it says of the work is what a report cites. Its abstract is the text that is searched and quoted; without one that
is its title, and the work says so.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from elcano.activities.passages.document import Block, FileSkipped, Parsed, normalize_text
from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import (
    FLAGS,
    Identifiers,
    Work,
    canonicalize_page_url,
    parse_arxiv_id,
    parse_doi,
    parse_nct,
    parse_pmcid,
    parse_pmid,
)
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import WorkKind
from elcano.graphs.trust_rules import parse_issn
from elcano.subjects.documents.csl_dates import format_date_parts, parse_date
from elcano.text.inline_markup import write_tagged_scripts

CSL_TYPE: Final = "application/vnd.citationstyles.csl+json"
SUFFIX: Final = ".csljson"
ONLY_TITLE: Final = "The reading list has no text of it: only its title was read."
MOST_AUTHORS: Final = 100
FIELD_CHARACTERS: Final = 2_000
_KINDS: Final[dict[str, WorkKind]] = {
    **dict.fromkeys(
        ("article-journal", "article-magazine", "article-newspaper", "paper-conference", "review"), "article"
    ),
    **dict.fromkeys(("book", "chapter", "collection"), "book"),  # one with a venue is a chapter
    **dict.fromkeys(("webpage", "post", "post-weblog"), "page"),
    **{"article": "preprint", "entry-encyclopedia": "encyclopedia", "entry-dictionary": "encyclopedia"},
}
_GENRES: Final[dict[tuple[WorkKind, str], WorkKind]] = {
    **{("other", "clinical trial"): "trial", ("other", "article"): "article", ("other", "review"): "review"},
    ("other", "preprint"): "preprint",
    **{(kind, "encyclopedia"): "encyclopedia" for kind in ("other", "page")},
    **{("article", genre): "review" for genre in ("review", "systematic review", "scoping review", "meta-analysis")},
}
_TAG: Final = re.compile(
    r"</?(?:jats:[\w-]{1,30}|p|br|b|i|u|em|strong|su[bp]|span|div|h[1-6]|[uo]l|li|title|sec|sc|a)"
    r"(?:\s{1,9}[\w:-]{1,30}=(?:\"[^\"<>]{0,500}\"|'[^'<>]{0,500}'))*\s{0,9}/?>",
    re.IGNORECASE,
)
_FAMILY: Final = ("dropping-particle", "non-dropping-particle", "family")
_DASH: Final = re.compile(r"\s*[-\u2010-\u2015\u2212]+\s*")
_ONE_PAGE: Final = re.compile(r"\A([^-]+)-\1\Z")
_PMC_LINK: Final = re.compile(
    r"/pmc/articles/(PMC\d{3,9})|pmc\.ncbi\.nlm\.nih\.gov/articles/(PMC\d{3,9})", re.IGNORECASE
)
_PUBMED_LINK: Final = re.compile(r"(?:ncbi\.nlm\.nih\.gov/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)/(\d{1,8})(?!\d)")
_ISSN: Final = re.compile(r"(?<!\d)\d{4}-?\d{3}[\dXx](?!\d)")
_STANDING: Final = frozenset({"retracted", "withdrawn", "concern", "corrected", "preprint"})
"""The flags that a list may give a work."""
_EXTRA: Final = re.compile(r"^[ \t]*(DOI|PMID|PMCID|arXiv|ISSN)[ \t]*:[ \t]*(\S+).*$", re.IGNORECASE | re.MULTILINE)
"""Identifiers that Zotero keeps in the field for everything else, which it exports as a note."""


def read_csl_work(content: bytes) -> Parsed:
    """A work as one JSON object.

    Raises:
        FileSkipped: it is none, or has no title.
    """
    try:
        item = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileSkipped("it is no JSON that can be read") from error
    if not isinstance(item, dict):
        raise FileSkipped("it is no object of CSL-JSON")
    work = build_work(item)
    if not work.title:
        raise FileSkipped("it has no title")
    paragraphs = [part for part in _read_text(item, "abstract").split("\n\n") if part.strip()]
    if not paragraphs:
        flags = tuple(flag for flag in work.flags if flag != "abstract_only")
        work = work.model_copy(update={"notices": (*work.notices, ONLY_TITLE), "flags": flags})
    blocks = [Block(part) for part in paragraphs or [work.title]]
    return Parsed(blocks, work.title, work.authors, work.year or 0, work=work.model_dump_json(exclude_defaults=True))


def is_item(content: bytes) -> bool:
    """Whether a JSON object is a work: it says what type it is of, and has a title."""
    with suppress(ValueError, RecursionError):
        return isinstance(item := json.loads(content), dict) and "type" in item and "title" in item
    return False


def build_work(item: Mapping[str, Any]) -> Work:
    """The work of an item; what is no text, number or name in it is as if it was not there."""
    published = _format_date(item.get("issued"))
    extra = {name.lower(): value for name, value in reversed(_EXTRA.findall(_read_text(item, "note")))}
    kind = _KINDS.get(_read_line(item, "type"), "other")
    kind = _GENRES.get((kind, _read_line(item, "genre").lower()), kind)
    title = _read_line(item, "title").removesuffix(".").rstrip()
    standing = _read_standing(item)
    standing.add_title(title)
    return Work(
        title=title,
        authors=tuple(_list_names(item.get("author") or item.get("editor"))),
        year=int(published[:4]) if published else None,
        published=published,
        # What a whole book is in is a series.
        venue="" if item.get("type") in ("book", "collection") else _read_line(item, "container-title"),
        issns=tuple(dict.fromkeys(filter(None, map(parse_issn, _find_issns(item, extra))))),
        volume=_read_line(item, "volume"),
        issue=_read_line(item, "issue"),
        pages=_ONE_PAGE.sub(r"\1", _DASH.sub("-", _read_line(item, "page"))),
        publisher=_read_line(item, "publisher"),
        kind=kind,
        identifiers=_find_identifiers(item, extra),
        url=_find_url(item),
        language=_read_line(item, "language"),
        flags=(*standing.flags, "abstract_only"),
        notices=tuple(standing.notices),
    )


def _read_standing(item: Mapping[str, Any]) -> WorkStanding:
    """Read a list's data about a work's retraction and corrections, which CSL-JSON has no field for."""
    standing = WorkStanding()
    custom = item.get("custom")
    declared = custom if isinstance(custom, dict) else _parse_standing(_read_text(item, "note"))
    for flag in FLAGS:
        if flag in _STANDING and isinstance(declared.get("flags"), list) and flag in declared["flags"]:
            standing.add(flag)
    for notice in declared["notices"] if isinstance(declared.get("notices"), list) else ():
        if isinstance(notice, str):
            standing.add(None, shorten_text(" ".join(normalize_text(notice).split()), FIELD_CHARACTERS))
    return standing


def _parse_standing(note: str) -> dict[str, Sequence[str]]:
    """The flags and the notice of a note that an export of references begins with them: `RETRACTED: It was ...`."""
    line = note.strip().partition("\n")[0]
    words, _, notice = line.rstrip(".").partition(": ")
    flags = [flag for flag, phrase in FLAGS.items() if phrase in words.split("; ")]
    if len(flags) != len(words.split("; ")):
        return {}
    return {"flags": flags, "notices": [f"{notice}."] if notice else []}


def _find_issns(item: Mapping[str, Any], extra: Mapping[str, str]) -> list[str]:
    return _ISSN.findall(_read_line(item, "ISSN") or extra.get("issn", ""))


def find_notes(item: Mapping[str, Any]) -> str:
    """Return the reader's notes on a work: its note without the identifiers in it."""
    note = _read_text(item, "note").strip()
    noted = note.partition("\n")[2] if _parse_standing(note) else note
    return _EXTRA.sub("", noted).strip()


def _find_identifiers(item: Mapping[str, Any], extra: Mapping[str, str]) -> Identifiers:
    url = _find_url(item)
    number = _read_line(item, "number")
    pmc, pubmed = _PMC_LINK.search(url), _PUBMED_LINK.search(url)
    numbered = (one for one in (number, url) if "arxiv" in one.lower())
    found = Identifiers(
        pmid=parse_pmid(_read_line(item, "PMID") or extra.get("pmid", "") or (pubmed[1] if pubmed else "")),
        pmcid=parse_pmcid(_read_line(item, "PMCID") or extra.get("pmcid", "") or (pmc[1] or pmc[2] if pmc else "")),
        doi=parse_doi(_read_line(item, "DOI") or extra.get("doi", "") or (url if "doi.org/" in url else "")),
        arxiv=parse_arxiv_id(extra.get("arxiv") or next(numbered, "")),
        nct=parse_nct(number) if number[:3].upper() == "NCT" else "",
    )
    if found.document or not url:
        return found
    try:
        return Identifiers(url=canonicalize_page_url(url))
    except ValueError:
        return found


def _find_url(item: Mapping[str, Any]) -> str:
    url = _read_line(item, "URL")
    return url if url.lower().startswith(("https://", "http://")) and " " not in url else ""


def _format_date(given: object) -> str:
    """`2024`, `2024-05` or `2024-05-17`; empty if there is no date."""
    match given:
        case {"date-parts": [[*parts], *_]}:
            return format_date_parts(parts) or parse_date(" ".join(map(str, parts)))
        case {"raw": str(text)} | {"literal": str(text)} | str(text):
            return parse_date(text)
        case _:
            return ""


def _list_names(given: object) -> Iterator[str]:
    for one in given[:MOST_AUTHORS] if isinstance(given, list) else ():
        if isinstance(one, dict):
            family = " ".join(filter(None, (_read_line(one, part) for part in _FAMILY)))
            given_name, suffix = _read_line(one, "given"), _read_line(one, "suffix")
            parts = (family, given_name, suffix) if given_name else (f"{family} {suffix}".strip(),)
            name = ", ".join(filter(None, parts)) or _read_line(one, "literal")
            if name:
                yield name


def _read_line(item: Mapping[str, Any], name: str) -> str:
    return shorten_text(" ".join(_read_text(item, name).split()), FIELD_CHARACTERS)


def _read_text(item: Mapping[str, Any], name: str) -> str:
    """The plain text of a field."""
    value = item.get(name)
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    text = write_tagged_scripts(text)
    if "<" in text:
        text = _TAG.sub(lambda tag: "\n\n" if re.match(r"</(?:jats:)?(?:p|title|sec)\b", tag[0]) else "", text)
    return normalize_text(html.unescape(text) if "&" in text else text)
