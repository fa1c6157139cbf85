"""BibTeX, RIS and CSL-JSON, each parsed into works in CSL-JSON, or into the reason why an entry is none.

A parser yields the key of each entry, empty if it has none, and the work or the reason.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias

from elcano.activities.passages.document import FileSkipped

Item: TypeAlias = dict[str, Any]
"""A work in CSL-JSON."""
Parsed: TypeAlias = Iterator[tuple[str, Item | str]]

_BIBTEX_TYPES: Final = {
    **{"article": "article-journal", "book": "book", "inbook": "chapter", "incollection": "chapter"},
    **{"inproceedings": "paper-conference", "conference": "paper-conference", "proceedings": "book"},
    **{
        "phdthesis": "thesis",
        "mastersthesis": "thesis",
        "thesis": "thesis",
        "techreport": "report",
        "report": "report",
    },
    **{"online": "webpage", "electronic": "webpage", "unpublished": "manuscript"},
}
_BIBTEX_FIELDS: Final = {
    "title": ("title",),
    "container-title": ("journal", "journaltitle", "booktitle", "maintitle"),
    "volume": ("volume",),
    "issue": ("issue", "number"),
    "page": ("pages",),
    "publisher": ("publisher", "institution", "school", "organization"),
    "DOI": ("doi",),
    "URL": ("url",),
    "PMID": ("pmid",),
    "PMCID": ("pmcid",),
    "ISSN": ("issn",),
    "language": ("langid", "language"),
    "abstract": ("abstract",),
}
_BIBTEX_NOTES: Final = ("note", "annote", "annotation", "comment")
_VERBATIM: Final = frozenset({"DOI", "URL", "PMID", "PMCID", "ISSN"})
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def parse_bibtex(text: str) -> Parsed:
    """BibTeX and BibLaTeX. `@string` is replaced; what an entry lacks is taken from the one in its `crossref`."""
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.library import Library
    from bibtexparser.middlewares import RemoveEnclosingMiddleware, ResolveStringReferencesMiddleware
    from bibtexparser.model import Block, DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    blocks: list[Block] = []
    for found in parse_string(text, parse_stack=[]).blocks:
        twice = isinstance(found, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock)
        block = found.ignore_error_block if isinstance(found, ParsingFailedBlock) and twice else found
        blocks.append(block or found)  # of two with one key both are works; of two fields of a name the last one counts
    keys = {}
    for number, block in enumerate(blocks):
        if isinstance(block, Entry):
            keys[number], block.key = block.key, f"entry-{number}"
    library = ResolveStringReferencesMiddleware().transform(Library(blocks))
    entries = RemoveEnclosingMiddleware().transform(library).entries_dict
    fields = {
        number: {field.key.lower(): str(field.value) for field in entries[f"entry-{number}"].fields} for number in keys
    }
    named = {keys[number].lower(): fields[number] for number in reversed(keys)}
    for number, block in enumerate(blocks):
        if isinstance(block, Entry):
            above = named.get(fields[number].get("crossref", "").strip().lower(), {})
            inherited = {("booktitle" if name == "title" else name): value for name, value in above.items()}
            yield keys[number], _build_bibtex_item(keys[number], block.entry_type.lower(), inherited | fields[number])
        elif isinstance(block, ParsingFailedBlock):
            yield "", f"it is not closed, or no BibTeX (line {(block.start_line or 0) + 1})"


def _build_bibtex_item(key: str, kind: str, fields: Mapping[str, str]) -> Item:
    item: Item = {"id": key, "type": _BIBTEX_TYPES.get(kind, "webpage" if "url" in fields else "document")}
    for name, given in _BIBTEX_FIELDS.items():
        value = next((fields[one] for one in given if fields.get(one)), "")
        item[name] = value.replace("\\_", "_").strip("{} ") if name in _VERBATIM else decode_latex(value)
    for name in ("author", "editor"):
        item[name] = [*_split_bibtex_names(fields.get(name, ""))]
    month = fields.get("month", "").strip().lower()
    month = str(_MONTHS.index(month[:3]) + 1) if month[:3] in _MONTHS else month
    date = [part for part in (decode_latex(fields.get("year", "")), month) if part]
    item["issued"] = {"raw": fields["date"].strip()} if fields.get("date") else {"date-parts": [date]}
    if "arxiv" in fields.get("archiveprefix", fields.get("eprinttype", "")).lower():
        item["number"] = f"arXiv:{fields.get('eprint', '').strip()}"
    notes = (line for one in _BIBTEX_NOTES for line in (*fields.get(one, "").splitlines(), ""))
    item["note"] = "\n".join(map(decode_latex, notes)).strip()
    return {name: value for name, value in item.items() if value}


def _split_bibtex_names(text: str) -> Iterator[Item]:
    from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names

    for name in split_multiple_persons_names(text) if text else ():
        parts = parse_single_name_into_parts(name, strict=False)
        given, particle, family, suffix = (
            decode_latex(" ".join(part)) for part in (parts.first, parts.von, parts.last, parts.jr)
        )
        if family and family != "others":
            yield {"family": family, "given": given, "non-dropping-particle": particle, "suffix": suffix}


def decode_latex(text: str) -> str:
    """LaTeX as plain text; what is no LaTeX stays as it is."""
    if not re.search(r"[\\{}$~]|--", text):
        return " ".join(text.split()) if "\n\n" not in text else text
    from pylatexenc.latex2text import LatexNodes2Text

    try:
        return str(LatexNodes2Text(keep_comments=True, strict_latex_spaces=False).latex_to_text(text)).strip()
    except Exception:  # whatever it stumbles over, as braces in braces in braces: the marks go, the words stay
        return re.sub(r"[{}]", "", text)


_RIS_LINE: Final = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*))?$")
_RIS_TYPES: Final = {
    **dict.fromkeys(("JOUR", "JFULL", "ABST", "INPR"), "article-journal"),
    **{"MGZN": "article-magazine", "NEWS": "article-newspaper", "BOOK": "book", "EBOOK": "book", "EDBOOK": "book"},
    **{"CHAP": "chapter", "ECHAP": "chapter", "CONF": "paper-conference", "CPAPER": "paper-conference"},
    **{"THES": "thesis", "RPRT": "report", "ELEC": "webpage", "BLOG": "webpage", "ENCYC": "entry-encyclopedia"},
    **{"UNPB": "article", "UNPD": "article", "PREP": "article"},
}
_RIS_FIELDS: Final = {
    "title": ("TI", "T1", "CT"),
    "container-title": ("T2", "JO", "JF", "BT", "JA"),
    "volume": ("VL",),
    "issue": ("IS",),
    "publisher": ("PB",),
    "DOI": ("DO",),
    "URL": ("UR",),
    "PMCID": ("C2",),
    "ISSN": ("SN",),
    "language": ("LA",),
    "abstract": ("AB", "N2"),
}


def parse_ris(text: str) -> Parsed:
    """RIS. An entry goes from `TY` to `ER`; lines without a tag go on with the one before."""
    entry: list[tuple[str, str]] | None = None
    for number, line in enumerate(chain(text.splitlines(), ["ER  - "]), 1):
        found = _RIS_LINE.match(line)
        if found and found[1] in ("TY", "ER"):
            if entry is not None:
                yield _build_ris_item(entry)
            entry = [("TY", (found[2] or "").strip())] if found[1] == "TY" else None
        elif entry is None:
            if line.strip():
                yield "", f"line {number} belongs to no entry: {line.strip()[:40]!r}"
        elif found:
            entry.append((found[1], (found[2] or "").strip()))
        else:
            tag, value = entry[-1]
            entry[-1] = tag, f"{value}\n{line.strip()}"


def _build_ris_item(entry: list[tuple[str, str]]) -> tuple[str, Item]:
    told: dict[str, list[str]] = {}
    for tag, value in entry:
        if value:
            told.setdefault(tag, []).append(value)
    first = {tag: values[0] for tag, values in told.items()}
    item: Item = {name: next((first[tag] for tag in tags if tag in first), "") for name, tags in _RIS_FIELDS.items()}
    item["id"] = first.get("ID") or " ".join(filter(None, (first.get("PY", "")[:4], item["title"][:50])))
    item["type"] = _RIS_TYPES.get(first.get("TY", ""), "document")
    item["author"] = [_build_ris_name(name) for tag in ("AU", "A1") for name in told.get(tag, ())]
    item["editor"] = [_build_ris_name(name) for tag in ("ED", "A2") for name in told.get(tag, ())]
    item["issued"] = {"raw": first.get("DA") or first.get("PY") or first.get("Y1", "")}
    item["page"] = "-".join(filter(None, (first.get("SP"), first.get("EP"))))
    item["note"] = "\n\n".join((*told.get("N1", ()), *told.get("RN", ())))
    if "pubmed" in (first.get("DP", "") + first.get("DB", "")).lower() or first.get("AN", "").isdigit():
        item["PMID"] = first.get("AN", "")
    return item["id"], {name: value for name, value in item.items() if value}


def _build_ris_name(name: str) -> Item:
    family, _, given = name.partition(",")
    return {"family": family.strip(), "given": given.strip(" ,")}


def parse_csl(text: str) -> Parsed:
    """A list of items in CSL-JSON.

    Raises:
        FileSkipped: it is none.
    """
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileSkipped(f"it is no JSON that can be read: {str(error)[:100]}") from error
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            key = str(item.get("citation-key") or item.get("id") or "")
            yield key.rpartition("/")[2], item
        else:
            yield "", "it is no object"
