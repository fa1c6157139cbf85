"""Lists whose lines begin with tags, parsed into works in CSL-JSON.

They are PubMed's (nbib), Web of Science's (ciw) and EndNote's (enw).
"""

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Final, TypeAlias

from elcano.graphs.report.work_standing import WorkStanding
from elcano.subjects.documents.csl_dates import choose_date, parse_date
from elcano.subjects.uploads.list_items import (
    ENDNOTE_TYPES,
    Item,
    Parsed,
    choose_url,
    clean_item,
    find_doi,
    find_pmcid,
    find_pmid,
    join_pages,
    split_name,
)

Fields: TypeAlias = dict[str, list[list[str]]]
"""The lines of each field, by its tag, as often as it is there."""

_NBIB_LINE: Final = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}- ?(.*)$")
_WOS_LINE: Final = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*)$")
_ENW_FIELD: Final = re.compile(r"^%(\S)[ \t]+(.*(?:\n(?!%\S\s).*)*)", re.MULTILINE)
_ENW_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **{"id": ("F",), "title": ("T",), "container-title": ("J", "B"), "volume": ("V",), "issue": ("N",)},
    **{"publisher": ("I",), "language": ("G",), "abstract": ("X",), "note": ("Z",)},
}
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


def parse_enw(text: str) -> Parsed:
    """EndNote's tagged format; an entry begins behind an empty line, and its texts may have such lines, too."""
    for entry in re.split(r"\n\s*\n(?=%\S\s)", text.replace("\r\n", "\n")):
        found = [(one[1], " ".join(one[2].split())) for one in _ENW_FIELD.finditer(entry)]
        fields: dict[str, list[str]] = {}
        for tag, value in found:
            fields.setdefault(tag, []).append(value)
        if fields.keys() & {"T", "A", "J"}:
            item = _build_enw_item(fields)
            yield item.get("id", "") or item.get("title", "")[:50], item


def _build_enw_item(fields: Mapping[str, list[str]]) -> Item:
    first = {tag: values[0] for tag, values in fields.items()}
    item: Item = {name: next((first[tag] for tag in tags if tag in first), "") for name, tags in _ENW_FIELDS.items()}
    item["type"] = ENDNOTE_TYPES.get(first.get("0", "").lower(), "article-journal" if "J" in first else "document")
    item["container-title"] = "" if item["type"] == "book" else item["container-title"]
    item["author"] = [split_name(one) for one in fields.get("A", ())]
    item["editor"] = [split_name(one) for one in fields.get("E", ())]
    item["issued"] = {"raw": choose_date(first.get("D", ""), first.get("8", ""))}
    item["page"] = join_pages(first.get("P", ""), "")
    links = [word for value in fields.get("U", ()) for word in value.split()]
    item["URL"] = choose_url(links)
    item["DOI"] = find_doi(first.get("R", ""), *fields.get("@", ()), *links)
    item["ISSN"] = " ".join(one for one in fields.get("@", ()) if not one.startswith("10."))
    database = " ".join((*fields.get("~", ()), *fields.get("W", ())))
    item["PMID"] = find_pmid(fields.get("M", ()), database, (), links)
    item["PMCID"] = find_pmcid(*fields.get("2", ()), *links)
    return clean_item(item)


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
