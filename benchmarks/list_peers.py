"""Lists of works read by other readers, in the environment of another interpreter; imports nothing of this project.

    PYTHON benchmarks/list_peers.py READER FILE...

prints as JSON, for each file, its works as objects with the fields `title`, `authors` (family names), `year`, `venue`,
`volume`, `issue`, `page` (the first), `doi` and `pmid`; null for a file that the reader refuses. READER is a key of
`READERS`: `rispy`, `pandoc`, `pybtex`, `biopython`, `nbib`, `wosfile`, `metaknowledge`, or what reads
a form without knowing any program's habits: `csv`, `pandas`, `elementtree`, `lines`.
"""

import csv
import io
import json
import logging
import re
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

Work = dict[str, Any]
_FAMILY: Final = re.compile(r"\s*,.*|\s+(?:[A-Z]\.?[ -]?){1,4}$")


def _decode(data: bytes) -> str:
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _first(fields: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = fields.get(name)
        if value := (value[0] if isinstance(value, list) and value else value):
            return str(value).strip()
    return ""


def _families(names: Iterable[Any]) -> list[str]:
    return [_FAMILY.sub("", str(name)).strip() for name in names if str(name).strip()]


def _read_rispy(path: str) -> Iterator[Work]:
    import rispy

    for one in rispy.loads(_decode(Path(path).read_bytes()), skip_unknown_tags=True):
        names = list(one.get("authors") or ())
        names += [name for name in one.get("first_authors") or () if name not in names]
        journals = ("secondary_title", "alternate_title3", "alternate_title1", "journal_name", "alternate_title2")
        yield {
            "title": _first(one, "title", "primary_title"),
            "authors": _families(names),
            "year": _first(one, "year", "publication_year", "date"),
            "venue": _first(one, *journals),
            **{"volume": _first(one, "volume"), "issue": _first(one, "number"), "page": _first(one, "start_page")},
            **{"doi": _first(one, "doi"), "pmid": ""},
        }


def _read_pandoc(path: str) -> Iterator[Work]:
    import pypandoc

    text = _decode(Path(path).read_bytes())
    forms = {"@": "biblatex", "<": "endnotexml", "[": "csljson", "{": "csljson"}
    form = "ris" if re.search(r"^TY  ?-", text, re.MULTILINE) else forms.get(text.lstrip()[:1], "biblatex")
    for one in json.loads(pypandoc.convert_text(text, "csljson", format=form)):
        yield _from_csl(one)


def _from_csl(one: Mapping[str, Any]) -> Work:
    issued = one.get("issued") or {}
    parts = issued.get("date-parts") or [[issued.get("raw", "")]]
    names = one.get("author") or ()
    return {
        "title": _plain(one.get("title")),
        "authors": [_plain(name.get("family") or name.get("literal")) for name in names],
        "year": str(parts[0][0] if parts[0] else ""),
        "venue": _plain(one.get("container-title")),
        **{name: _plain(one.get(name)) for name in ("volume", "issue", "page")},
        **{"doi": _plain(one.get("DOI")), "pmid": _plain(one.get("PMID"))},
    }


def _plain(value: Any) -> str:
    return re.sub(r"<[^>]+>", "", str(value if value is not None else "")).strip()


def _read_pybtex(path: str) -> Iterator[Work]:
    from pybtex.database import parse_string

    for entry in parse_string(_decode(Path(path).read_bytes()), "bibtex").entries.values():
        fields = {name.lower(): _untex(value) for name, value in entry.fields.items()}
        people = entry.persons.get("author", [])
        yield {
            "title": _first(fields, "title"),
            "authors": [_untex(" ".join((*one.prelast_names, *one.last_names))) for one in people],
            "year": _first(fields, "year", "date"),
            "venue": _first(fields, "journal", "journaltitle", "booktitle"),
            **{"volume": _first(fields, "volume"), "issue": _first(fields, "number", "issue")},
            **{"page": _first(fields, "pages"), "doi": _first(fields, "doi"), "pmid": _first(fields, "pmid")},
        }


def _read_bibtexparser(path: str) -> Iterator[Work]:
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.middlewares import SeparateCoAuthors, SplitNameParts

    library = parse_string(_decode(Path(path).read_bytes()), append_middleware=[SeparateCoAuthors(), SplitNameParts()])
    for entry in library.entries:
        fields = {name.lower(): one.value for name, one in entry.fields_dict.items()}
        people = fields.pop("author", [])
        if isinstance(people, str):  # of a field that is called `Author`
            people = []
        fields = {name: _untex(str(value)) for name, value in fields.items()}
        yield {
            "title": _first(fields, "title"),
            "authors": [_untex(" ".join((*one.von, *one.last))) for one in people],
            "year": _first(fields, "year", "date"),
            "venue": _first(fields, "journal", "journaltitle", "booktitle"),
            **{"volume": _first(fields, "volume"), "issue": _first(fields, "number", "issue")},
            **{"page": _first(fields, "pages"), "doi": _first(fields, "doi"), "pmid": _first(fields, "pmid")},
        }


def _read_json(path: str) -> Iterator[Work]:
    items = json.loads(_decode(Path(path).read_bytes()))
    for one in items["items"] if isinstance(items, dict) else items:
        yield _from_csl(one)


def _untex(text: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    return str(LatexNodes2Text().latex_to_text(text)) if re.search(r"[\\{}$~]", text) else text


def _read_biopython(path: str) -> Iterator[Work]:
    from Bio import Medline

    for one in Medline.parse(io.StringIO(_decode(Path(path).read_bytes()))):
        numbers = [*(one.get("AID") or ()), one.get("LID") or ""]
        doi = next((number for number in numbers if "[doi]" in number), "")
        yield {
            "title": _first(one, "TI", "BTI"),
            "authors": _families(one.get("FAU") or one.get("AU") or ()),
            **{"year": _first(one, "DP"), "venue": _first(one, "JT", "TA"), "volume": _first(one, "VI")},
            **{"issue": _first(one, "IP"), "page": _first(one, "PG")},
            **{"doi": doi.partition(" [")[0], "pmid": _first(one, "PMID")},
        }


def _read_nbib(path: str) -> Iterator[Work]:
    import nbib

    for one in nbib.read(_decode(Path(path).read_bytes())):
        yield {
            "title": _first(one, "title"),
            "authors": _families(name.get("author") or "" for name in one.get("authors") or ()),
            "year": _first(one, "publication_date"),
            "venue": _first(one, "journal", "journal_abbreviated"),
            **{"volume": _first(one, "journal_volume"), "issue": _first(one, "journal_issue")},
            **{"page": _first(one, "pages"), "doi": _first(one, "doi"), "pmid": _first(one, "pubmed_id")},
        }


def _read_wosfile(path: str) -> Iterator[Work]:
    import wosfile

    for one in wosfile.records_from(path):
        yield _from_wos(one)


def _read_metaknowledge(path: str) -> Iterator[Work]:
    import metaknowledge

    for one in metaknowledge.RecordCollection(path):
        yield _from_wos(dict(one.items()))


def _from_wos(one: Mapping[str, Any]) -> Work:
    return {
        "title": _first(one, "TI"),
        "authors": _families(one.get("AF") or one.get("AU") or ()),
        **{"year": _first(one, "PY"), "venue": _first(one, "SO"), "volume": _first(one, "VL")},
        **{"issue": _first(one, "IS"), "page": _first(one, "BP"), "doi": _first(one, "DI"), "pmid": _first(one, "PM")},
    }


_HEADS: Final = {
    "title": ("title", "article title", "document title", "item title", "title primary", "display_name"),
    "year": (
        "year",
        "publication year",
        "published year",
        "pubyear",
        "pub year",
        "publication_year",
        "publication date",
    ),
    "venue": ("source title", "journal", "publication title", "journal title", "journal/book", "source", "publication"),
    "volume": ("volume", "journal volume", "biblio.volume"),
    "issue": ("issue", "issue number", "journal issue", "number", "biblio.issue"),
    "page": ("page start", "start page", "first page", "pages", "biblio.first_page"),
    "doi": ("doi", "item doi"),
    "pmid": ("pubmed id", "pmid", "medline pmid", "ids.pmid"),
}


def _read_csv(path: str) -> Iterator[Work]:
    lines = _decode(Path(path).read_bytes()).splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines[:10]) if re.search(r"\btitle\b|display_name", line, re.I)), 0)
    csv.field_size_limit(10_000_000)
    delimiter = max(",;\t", key=lines[start].count)
    for row in csv.DictReader(lines[start:], delimiter=delimiter):
        fields = {(name or "").strip().lower(): value for name, value in row.items() if isinstance(value, str)}
        yield {field: _first(fields, *heads) for field, heads in _HEADS.items()}


def _read_pandas(path: str) -> Iterator[Work]:
    import pandas

    lines = _decode(Path(path).read_bytes()).splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines[:10]) if re.search(r"\btitle\b|display_name", line, re.I)), 0)
    text = io.StringIO("".join(lines[start:]))
    table = pandas.read_csv(text, sep=max(",;\t", key=lines[start].count), dtype=str, keep_default_na=False)
    for row in table.to_dict("records"):
        fields = {str(name).strip().lower(): value for name, value in row.items()}
        yield {field: _first(fields, *heads) for field, heads in _HEADS.items()}


def _read_elementtree(path: str) -> Iterator[Work]:
    root = ET.fromstring(Path(path).read_bytes())

    def read(record: ET.Element, *paths: str) -> str:
        found = (record.find(one) for one in paths)
        return next(("".join(one.itertext()).strip() for one in found if one is not None), "")

    for record in root.iter("record"):
        names = ["".join(one.itertext()) for one in record.iterfind("contributors/authors/author")]
        yield {
            "title": read(record, "titles/title"),
            "authors": _families(names),
            "year": read(record, "dates/year"),
            "venue": read(record, "periodical/full-title", "titles/secondary-title"),
            **{"volume": read(record, "volume"), "issue": read(record, "number"), "page": read(record, "pages")},
            **{"doi": read(record, "electronic-resource-num"), "pmid": ""},
        }


_TAGGED: Final = re.compile(
    r"^(?:%(?P<refer>\S) |(?P<ris>[A-Z][A-Z0-9])  ?- ?|(?P<wos>[A-Z][A-Z0-9]) (?!-))(?P<text>.*)$"
)


def _read_lines(path: str) -> Iterator[Work]:
    """Tagged lines by their tags alone, as the specification of RIS, refer and Web of Science say."""
    text = _decode(Path(path).read_bytes()).replace("\r\n", "\n")
    entries = re.split(r"\n\s*\n(?=%)", text) if re.search(r"^%0 ", text, re.MULTILINE) else re.split(r"\nER\b.*", text)
    for entry in entries:
        fields: dict[str, list[str]] = {}
        tag = ""
        for line in entry.splitlines():
            found = _TAGGED.match(line)
            if found:
                tag = next(filter(None, (found["refer"], found["ris"], found["wos"])))
                fields.setdefault(tag, []).append(found["text"].strip())
            elif tag in ("AU", "AF") and line.startswith("   "):
                fields[tag].append(line.strip())
            elif tag and line.strip():
                fields[tag][-1] += f" {line.strip()}"
        names = fields.get("AF") or fields.get("AU") or fields.get("A1") or fields.get("A") or ()
        yield {
            "title": _first(fields, "TI", "T1", "T"),
            "authors": _families(names),
            **{"year": _first(fields, "PY", "Y1", "D"), "venue": _first(fields, "T2", "JF", "SO", "JO", "J", "B")},
            **{"volume": _first(fields, "VL", "V"), "issue": _first(fields, "IS", "N")},
            **{"page": _first(fields, "SP", "BP", "P"), "doi": _first(fields, "DO", "DI", "R"), "pmid": ""},
        }


READERS: Final[Mapping[str, Callable[[str], Iterator[Work]]]] = {
    **{
        "rispy": _read_rispy,
        "pandoc": _read_pandoc,
        "pybtex": _read_pybtex,
        "bibtexparser": _read_bibtexparser,
        "json": _read_json,
    },
    **{"biopython": _read_biopython},
    **{"nbib": _read_nbib, "wosfile": _read_wosfile, "metaknowledge": _read_metaknowledge, "csv": _read_csv},
    **{"pandas": _read_pandas, "elementtree": _read_elementtree, "lines": _read_lines},
}


def main() -> None:
    """Reads the files that are named, and prints what came out."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    found: dict[str, list[Work] | None] = {}
    for path in sys.argv[2:]:
        try:
            found[path] = list(READERS[sys.argv[1]](path))
        except Exception:  # refused: then it says nothing
            found[path] = None
    print(json.dumps(found))


if __name__ == "__main__":
    main()
