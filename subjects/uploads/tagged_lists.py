"""Lists whose lines begin with tags, parsed into works in CSL-JSON: PubMed's (nbib) and Web of Science's (ciw)."""

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Final, TypeAlias

from elcano.graphs.report.work_standing import WorkStanding
from elcano.subjects.documents.csl_dates import choose_date, parse_date
from elcano.subjects.uploads.list_items import Item, Parsed, clean_item, find_doi, join_pages

Fields: TypeAlias = dict[str, list[list[str]]]
"""The lines of each field, by its tag, as often as it is there."""

_NBIB_LINE: Final = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}- ?(.*)$")
_WOS_LINE: Final = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*)$")
_NBIB_LINKS: Final = {
    **{"RIN": "retractionin", "RRI": "retractedandrepublishedin", "PRIN": "partialretractionin"},
    **{"ECI": "expressionofconcernin", "EIN": "erratumin", "CRI": "correctedandrepublishedin", "UIN": "updatein"},
    **{"ROF": "retractionof", "RRF": "retractedandrepublishedfrom", "PROF": "partialretractionof"},
    **{"ECF": "expressionofconcernfor", "EFR": "erratumfor", "CRF": "correctedandrepublishedfrom", "UOF": "updateof"},
}
"""PubMed's tags of links to notices."""
_WOS_TYPES: Final = (
    *(("book chapter", "chapter"), ("proceedings paper", "paper-conference"), ("book", "book"), ("thesis", "thesis")),
)


def parse_nbib(text: str) -> Parsed:
    """PubMed's format, which ERIC and others write too: entries are separated by empty lines."""
    for fields in _split_entries(text, _NBIB_LINE, ""):
        if not fields.keys() & {"TI", "BTI", "TT", "PMID", "AU", "AB"}:
            continue
        pmid = _read(fields, "PMID")
        yield pmid or _read(fields, "OID"), _build_nbib_item(fields, pmid)


def parse_wos(text: str) -> Parsed:
    """The plain text of Web of Science and its other databases; an entry ends with `ER`."""
    for fields in _split_entries(text, _WOS_LINE, "ER"):
        if fields.keys() & {"TI", "AU", "SO", "UT"}:
            yield _read(fields, "UT"), build_wos_item({tag: _list(fields, tag) for tag in fields})


def _split_entries(text: str, form: re.Pattern[str], end: str) -> Iterator[Fields]:
    """The fields of each entry, which a line with the tag `end` ends, or an empty line if there is no such tag.

    An indented line goes on with the one before.
    """
    fields: Fields = {}
    last: list[str] = []
    for line in StringIO(text, newline=None):
        found = form.match(line.rstrip()) if line[:1].strip() else None
        if (found and found[1] == end) if end else not line.strip():
            if fields:
                yield fields
            fields = {}
        elif found:
            last = [(found[2] or "").strip()]
            fields.setdefault(found[1], []).append(last)
        elif fields and line.strip():
            last.append(line.strip())
    if fields:
        yield fields


def _read(fields: Fields, *tags: str) -> str:
    """The first text that one of the fields has, on one line."""
    return next((text for tag in tags for lines in fields.get(tag, ()) if (text := " ".join(lines).strip())), "")


def _list(fields: Fields, tag: str) -> list[str]:
    """Each line of a field."""
    return [line for lines in fields.get(tag, ()) for line in lines if line]


def _build_nbib_item(fields: Fields, pmid: str) -> Item:
    types = [" ".join(lines) for lines in fields.get("PT", ())]
    book = _read(fields, "BTI")
    title, language = _read(fields, "TI") or book, _read(fields, "LA")
    if language not in ("", "eng") and re.fullmatch(r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\.?", title):
        title = title.rstrip(".")[1:-1]  # brackets mark a translated title
    standing = WorkStanding()
    for tag, link in _NBIB_LINKS.items():
        for lines in fields.get(tag, ()):
            standing.add_link(link, " ".join(lines))
    standing.add_types(types)
    numbers = [" ".join(lines) for tag in ("LID", "AID", "DOI") for lines in fields.get(tag, ())]
    named = fields.get("FAU") or fields.get("AU") or []
    people = [_split_name(" ".join(lines)) for lines in named]
    preprint = any(kind.lower() == "preprint" for kind in types)
    return clean_item(
        {
            "id": pmid,
            "type": "article"
            if preprint
            else "article-journal"
            if not book
            else "chapter"
            if title != book
            else "book",
            "genre": "review" if any("review" in kind.lower() or kind == "Meta-Analysis" for kind in types) else "",
            "title": title or _read(fields, "TT"),
            "author": people + [{"literal": " ".join(lines)} for lines in fields.get("CN", ())],
            "editor": [_split_name(" ".join(lines)) for lines in fields.get("FED", fields.get("ED", []))],
            "container-title": (book if title != book else "") or _read(fields, "JT", "TA"),
            "issued": {"raw": parse_date(_read(fields, "DP")) or parse_date(_read(fields, "DEP"))},
            "volume": _read(fields, "VI"),
            "issue": _read(fields, "IP"),
            "page": join_pages(_read(fields, "PG"), ""),
            "publisher": _read(fields, "PB"),
            "DOI": find_doi(*(one for one in numbers if "[pii]" not in one)),
            "PMID": pmid,
            "PMCID": _read(fields, "PMC"),
            "ISSN": " ".join(" ".join(lines) for tag in ("IS", "ISSN") for lines in fields.get(tag, ())),
            "language": language,
            "abstract": "\n\n".join(" ".join(lines) for lines in fields.get("AB", ())),
            "custom": _describe_standing(standing),
        }
    )


def build_wos_item(fields: Mapping[str, list[str]]) -> Item:
    """A work of Web of Science.

    Args:
        fields: the lines of each field, by its tag.
    """
    line = {tag: " ".join(lines) for tag, lines in fields.items()}
    kind, title, within = line.get("DT", "").lower(), line.get("TI", ""), line.get("SO", "")
    kinds = (csl for name, csl in _WOS_TYPES if name in kind)
    whole = (
        line.get("PT") == "B"
        and "chapter" not in kind
        and within.casefold().rstrip(".") in ("", title.casefold().rstrip("."))
    )
    standing = WorkStanding()
    standing.add_types(one.strip() for one in kind.split(";"))
    groups = [{"literal": one} for one in fields.get("CA", ())]
    return clean_item(
        {
            "id": line.get("UT", ""),
            "type": "book" if whole else next(kinds, "chapter" if line.get("PT") == "B" else "article-journal"),
            "genre": "review" if kind.startswith("review") else "",
            "title": title,
            "author": [_split_name(one) for one in fields.get("AF") or fields.get("AU") or ()] + groups,
            "editor": [_split_name(one) for one in fields.get("BE") or fields.get("ED") or ()],
            "container-title": "" if whole else within,
            "issued": {"raw": choose_date(line.get("PY", ""), line.get("PD", ""))},
            "volume": line.get("VL", ""),
            "issue": line.get("IS", ""),
            "page": join_pages(line.get("BP", ""), line.get("EP", "")) or line.get("AR", "").removeprefix("UNSP "),
            "publisher": line.get("PU", ""),
            "DOI": find_doi(line.get("DI", "")),
            "PMID": line.get("PM", ""),
            "ISSN": " ".join((line.get("SN", ""), line.get("EI", ""))).strip(),
            "language": line.get("LA", ""),
            "abstract": line.get("AB", ""),
            "custom": _describe_standing(standing),
        }
    )


def _describe_standing(standing: WorkStanding) -> Item:
    """Flags and notices as CSL-JSON keeps what it has no field for."""
    return {name: list(values) for name, values in (("flags", standing.flags), ("notices", standing.notices)) if values}


def _split_name(name: str) -> Item:
    """A name as `Family, Given`, or as PubMed's short form `Family AB`."""
    family, comma, given = name.partition(",")
    if not comma and (short := re.fullmatch(r"(.+) ([A-Z][A-Z-]{0,4})(?: (Jr|Sr|2nd|3rd|4th))?", name)):
        family, given = short[1], short[2]
    return {part: text.strip() for part, text in (("family", family), ("given", given)) if text.strip()}
