"""Tables of works, CSV or TSV, parsed into works in CSL-JSON.

A table is a list of works if its heads are those of a program that exports such lists; any other table is a document.
Lines above the heads are passed over, as Embase and Dimensions have them.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from itertools import islice
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.report.work_standing import WorkStanding
from elcano.subjects.documents.csl_dates import choose_date
from elcano.subjects.uploads.list_items import (
    Item,
    Parsed,
    choose_url,
    clean_item,
    find_doi,
    find_pmid,
    join_pages,
    split_name,
)
from elcano.subjects.uploads.tagged_lists import build_wos_item

MOST_CHARACTERS: Final = 2_000_000
"""Length of one cell: Scopus lists all references of a work in one."""
_PREAMBLE: Final = 10
"""Lines above the heads that are looked at."""
_OPENALEX: Final = frozenset({"display name", "publication year", "authorships.author.display name"})
_HEADS: Final = (
    _OPENALEX,
    *(
        frozenset(heads.split("|"))
        for heads in (
            "authors|title|year|source title",  # Scopus
            "key|title|year|journal|authors|abstract|notes",  # Rayyan
            "title|authors|published year|covidence #",
            "central id|author(s)|title|source",  # Cochrane
            "title|author names|publication year|source title",  # Embase
            "title|original title|author names|source",  # Embase, before
            "article title|author|journal title|publication date|accession number",  # EBSCO
            "pmid|title|authors|citation|publication year",  # PubMed
            "key|item type|publication year|author|title|publication title",  # Zotero
            "pt|au|ti|so|py",  # Web of Science
            "lens id|title|publication year|author/s",
            "publication id|doi|title|pubyear|authors",  # Dimensions
            "authors|title|publication|volume|number|pages|year|publisher",  # Google Scholar
            "reference type|authors, primary|title primary|pub year",  # RefWorks
            "document title|authors|publication title|publication year",  # IEEE
            "item title|publication title|authors|publication year|item doi",  # Springer
            "(internal) id|title|journal|authors|abstract",  # Abstrackr
            "title|abstract|authors",  # ASReview, and what it and others take for screening
            "title|abstract|author",
            "title|abstract|doi",
            "title|abstracts|authors",
            "title|abstract|asreview label",
            "title|author string|journal title|pub year",  # Europe PMC
            "title|authorstring|journaltitle|pubyear",
            "title|authors|journal title|pub year",
        )
    ),
)
"""The heads that mark a table of works, by the program that writes them."""
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "title": ("title", "article title", "title primary", "document title", "item title", "display name"),
    "author": (
        *("author full names", "authors", "author", "author(s)", "author names", "author/s", "authors, primary"),
        *("first authors", "author string", "authorstring"),
        "authorships.author.display name",
    ),
    "container-title": (
        *("source title", "journal", "publication title", "journal title", "journal/book", "periodical full"),
        *("secondary title", "journaltitle", "publicationname", "publication", "source"),
        "primary location.source.display name",
    ),
    "volume": ("volume", "journal volume", "journalvolume", "biblio.volume"),
    "issue": ("issue", "issue number", "number", "journal issue", "biblio.issue"),
    "publisher": ("publisher", "book publisher"),
    "DOI": ("doi", "item doi"),
    "ISSN": ("issn", "issns"),
    "language": ("language of original document", "language", "article language"),
    "abstract": ("abstract", "abstracts", "abstract note", "abstract text", "abstracttext"),
    "note": ("notes", "personal notes"),
    "PMCID": ("pmcid", "pmc id", "ids.pmcid"),
    "id": ("key", "eid", "covidence #", "central id", "publication id", "lens id", "reference id", "pui", "id"),
}
_YEAR: Final = ("year", "publication year", "published year", "pubyear", "pub year")
_DATE: Final = (
    "date published",
    "date",
    "publication date",
    "date of publication",
    "first publication date",
    "firstpublicationdate",
    "pub month & day",
)
_TYPE: Final = (
    "item type",
    "document type",
    "publication type",
    "doctype",
    "reference type",
    "content type",
    "type of reference",
    "pubtype",
    "type",
)
_PAGES: Final = ("pages", "pagination", "page info", "pageinfo")
_FIRST: Final = ("page start", "first page", "start page", "biblio.first page")
_LAST: Final = ("page end", "last page", "end page", "other pages", "biblio.last page")
_ARTICLE: Final = ("art. no.", "article number")
_PMID: Final = ("pubmed id", "pubmedid", "medline pmid", "pmid", "ids.pmid")
_LINKS: Final = ("link", "url", "plink", "external url", "source linkout", "pdf link", "links", "embase link")
_KINDS: Final = (
    *(
        ("chapter", "chapter"),
        ("booksection", "chapter"),
        ("book section", "chapter"),
        ("conference", "paper-conference"),
    ),
    *(("proceeding", "paper-conference"), ("thesis", "thesis"), ("dissertation", "thesis"), ("preprint", "article")),
    *(("web", "webpage"), ("report", "report"), ("book", "book"), ("monograph", "book"), ("dataset", "dataset")),
)
"""Types by what is in their names, the first that fits."""


def find_table_heads(text: str) -> int:
    """The number of the line with the heads of a table of works, counted from 0; -1: it is none."""
    for number, line in enumerate(islice(StringIO(text, newline=None), _PREAMBLE)):
        heads = {_clean_head(one) for one in _split_heads(line)}
        if any(known <= heads for known in _HEADS):
            return number
    return -1


def parse_table(text: str) -> Parsed:
    """The works of a table, one a row.

    Raises:
        FileSkipped: it is no table of works, or broken.
    """
    at = find_table_heads(text)
    if at < 0:
        raise FileSkipped("its heads are not those of a list of works")
    limit = csv.field_size_limit(MOST_CHARACTERS)  # of the whole process: others rely on theirs
    try:
        yield from _parse_rows(islice(StringIO(text, newline=""), at, None))
    except csv.Error as error:
        raise FileSkipped(f"it is no table that can be read ({error})") from error
    finally:
        csv.field_size_limit(limit)


def _parse_rows(lines: Iterator[str]) -> Parsed:
    first = next(lines)
    heads = [_clean_head(one) for one in _split_heads(first)]
    plain = {"pt", "au", "ti"} <= set(heads)  # Web of Science quotes nothing
    rows = csv.reader(
        lines, delimiter=_find_delimiter(first), quoting=csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL, strict=False
    )
    for row in rows:
        cells = {head: value for head, cell in zip(heads, row, strict=False) if (value := _clean_cell(cell))}
        if not cells:
            continue
        if plain:
            item = build_wos_item({head.upper(): _split_wos_cell(head, cell) for head, cell in cells.items()})
        else:
            item = _build_item(cells)
        yield item.get("id", "") or str(item.get("title", ""))[:50], item


def _build_item(cells: Mapping[str, str]) -> Item:
    item: Item = {name: _read(cells, heads) for name, heads in _COLUMNS.items()}
    kind = _read(cells, _TYPE)
    item["type"] = next(
        (csl for part, csl in _KINDS if part in kind.lower()),
        "article-journal" if item["container-title"] else "document",
    )
    item["genre"] = kind
    if cells.keys() >= _OPENALEX:  # given names first
        item["author"] = [{"literal": name} for name in item["author"].split("|")]
        item["id"] = item["id"].rpartition("/")[2]
    else:
        item["author"] = [*_split_authors(item["author"])]
    item["issued"] = {"raw": choose_date(_read(cells, _YEAR), _read(cells, _DATE), cells.get("published month", ""))}
    pages = (_read(cells, _PAGES), "") if _read(cells, _PAGES) else (_read(cells, _FIRST), _read(cells, _LAST))
    item["page"] = join_pages(*pages) or _read(cells, _ARTICLE)
    links = [word for name in _LINKS for word in re.split(r"[\s;]+", cells.get(name, ""))]
    item["DOI"] = find_doi(item["DOI"], *links)
    item["URL"] = choose_url(links)
    given = _read(cells, _PMID)
    item["PMID"] = find_pmid((), "", [f"PMID {one}" for one in re.findall(r"\d{2,8}", given)[:1]], links)
    standing = WorkStanding()
    standing.add_types(
        "retracted publication" if one.strip().lower() == "retracted" else one for one in kind.split(";")
    )
    item["custom"] = {"flags": standing.flags, "notices": standing.notices} if standing.flags else {}
    return clean_item(item)


def _read(cells: Mapping[str, str], heads: Iterable[str]) -> str:
    return next((cells[head] for head in heads if head in cells), "")


def _split_heads(line: str) -> list[str]:
    return next(csv.reader([line.lstrip("\ufeff")], delimiter=_find_delimiter(line)), [])


def _find_delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


def _clean_head(head: str) -> str:
    return " ".join(head.strip("\ufeff \"'").replace("_", " ").lower().split())


def _clean_cell(cell: str) -> str:
    """A value without what keeps Excel from taking it for a number: `="19326203"`."""
    excel = re.fullmatch(r'="(.*)"', cell.strip(), re.DOTALL)
    return (excel[1] if excel else cell).strip()


def _split_wos_cell(head: str, cell: str) -> list[str]:
    return [one.strip() for one in cell.split(";")] if head in ("au", "af", "be", "ca") else [cell]


def _split_authors(cell: str) -> Iterator[Item]:
    """The authors in a cell, between which programs write semicolons, `and` or commas."""
    if ";" in cell:
        names = cell.split(";")
    elif re.search(r"\s+and\s+", cell):
        names = re.split(r"\s+and\s+", cell)
    else:
        names = _split_at_commas(cell)
    for name in names:
        plain = re.sub(r"\s*\(\d{6,}\)", "", name).strip().removesuffix(",")
        if plain and not plain.casefold().startswith("[no author"):  # Scopus
            yield _split_author(plain)


def _split_at_commas(cell: str) -> list[str]:
    """Authors as `Doe J, Roe AB` or `Doe, J., Roe, A.B.`; anything else is one author."""
    parts = [part.strip() for part in cell.split(",")]
    if len(parts) > 1 and all(_SHORT.fullmatch(part.rstrip(".") + ".") or _SHORT.fullmatch(part) for part in parts):
        return parts
    if len(parts) > 2 and len(parts) % 2 == 0 and all(_INITIALS.fullmatch(part) for part in parts[1::2]):
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]
    return [cell]


_INITIALS: Final = re.compile(r"(?:[^\W\d_a-z]\.?[ -]?){1,5}")
_SHORT: Final = re.compile(r"(.+?)\s+((?:[^\W\d_a-z]\.?-?){1,5}\.?)")


def _split_author(name: str) -> Item:
    if "," not in name and (short := _SHORT.fullmatch(name)):
        given = re.sub(r"\A(\w{2,5})\.\Z", r"\1", short[2])  # PubMed ends its lists with a full stop
        return {"family": short[1], "given": given}
    return split_name(name)
