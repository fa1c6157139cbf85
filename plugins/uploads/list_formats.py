"""BibTeX, RIS and CSL-JSON, each parsed into works in CSL-JSON, or into the reason why an entry is none.

A parser yields the key of each entry, empty if it has none, and the work or the reason.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias

from elcano.activities.passages.document import FileSkipped
from elcano.activities.text.inline_markup import write_latex_scripts

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
    """BibTeX and BibLaTeX. `@string` is replaced; what an entry lacks is taken from the one in its `crossref`.

    A broken entry is told with its line, also where BibTeX sees none: it takes for comments what stands behind a brace
    too many or does not begin as an entry does, and the parser takes a field without a comma before it for words.
    """
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.exceptions import BlockAbortedException
    from bibtexparser.model import (
        Block,
        DuplicateBlockKeyBlock,
        DuplicateFieldKeyBlock,
        Entry,
        ImplicitComment,
        ParsingFailedBlock,
        String,
    )

    blocks: list[Block] = []
    for found in parse_string(text, parse_stack=[]).blocks:
        twice = isinstance(found, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock)
        block = found.ignore_error_block if isinstance(found, ParsingFailedBlock) and twice else found
        blocks.append(block or found)  # of two with one key both are works; of two fields of a name the last one counts
    strings: dict[str, str] = {}
    fields: dict[int, dict[str, str]] = {}
    for number, block in enumerate(blocks):
        if isinstance(block, String):
            strings[block.key.lower()] = _join_value(str(block.value), strings)
        elif isinstance(block, Entry):
            fields[number] = {one.key.lower(): _join_value(str(one.value), strings) for one in block.fields}
    named = {block.key.lower(): fields[at] for at, block in reversed([*enumerate(blocks)]) if isinstance(block, Entry)}
    for number, block in enumerate(blocks):
        line = (block.start_line or 0) + 1
        if isinstance(block, Entry):
            above = named.get(fields[number].get("crossref", "").strip().lower(), {})
            inherited = {("booktitle" if name == "title" else name): value for name, value in above.items()}
            item = _build_bibtex_item(block.key, block.entry_type.lower(), inherited | fields[number])
            values = [((one.start_line or 0) + 1, one.key, str(one.value)) for one in block.fields]
            behind = blocks[number + 1] if number + 1 < len(blocks) else None
            rest = behind.comment if isinstance(behind, ImplicitComment) else ""
            yield block.key, _find_bibtex_fault(line, values, rest) or item
        elif isinstance(block, ParsingFailedBlock):
            reason = block.error.abort_reason if isinstance(block.error, BlockAbortedException) else str(block.error)
            yield from ((key, f"line {line}: {reason.strip()}") for key in _BIBTEX_KEY.findall(block.raw or "") or [""])
        elif isinstance(block, ImplicitComment):
            for lost in _BIBTEX_LOST.finditer(block.comment):
                at = line + block.comment.count("\n", 0, lost.start())
                yield lost["key"], f"line {at} begins no entry of BibTeX: {lost[0].strip()[:40]!r}"


def _find_bibtex_fault(line: int, values: Iterable[tuple[int, str, str]], rest: str) -> str:
    """Why an entry is not what its author meant; empty: nothing is known against it.

    Args:
        line: where it begins.
        values: the line, the name and the value of each field.
        rest: what stands between it and the next entry.
    """
    for at, name, value in values:
        if re.search(r"\}\s*[^\s#]|\s[\w-]+\s*=", "{}".join(_split_value(value)[::2])):
            return f"line {at}: a comma is missing behind the value of `{name}`"
    lost = _BIBTEX_FIELD.match(rest)
    return f"line {line}: a brace too many ends it before its field `{lost[1]}`" if lost else ""


_BIBTEX_KEY: Final = re.compile(r"@\w+\s*[{(]\s*([^\s,{}()=\"]*)")
_BIBTEX_FIELD: Final = re.compile(r"[\s,}]*([A-Za-z][\w-]*)\s*=")
_BIBTEX_LOST: Final = re.compile(
    r"^[ \t]*(?:@(?!comment)|(?=\w+\{[^\s,{}]+,))[ \t]*[^\s{(\[,]*\s?[ \t]*[{(\[]?[ \t]*(?P<key>[^\s,{}()\[\]=\"]*)",
    re.MULTILINE | re.IGNORECASE,
)
"""What is meant as the beginning of an entry, and is none: `@in-proceedings{key,`, `@article key,`, `article{key,`."""
_BIBTEX_DELIMITER: Final = re.compile(r"(?<!\\)(?:[{}]|\"(?!\})|(?<!\{)\")")


def _split_value(value: str) -> list[str]:
    """A value by what is in braces or quotation marks: first what stands before, then that, then what is between."""
    parts, begin, depth, quoted = [], 0, 0, False
    for mark in _BIBTEX_DELIMITER.finditer(value):
        inside = quoted or depth > 0
        if mark[0] == '"':
            quoted = quoted != (depth == 0)
        elif not quoted:
            depth += 1 if mark[0] == "{" else -1
        if inside != (quoted or depth > 0):
            end = mark.end() if inside else mark.start()
            parts.append(value[begin:end])
            begin = end
    return [*parts, value[begin:]]


def _join_value(value: str, strings: Mapping[str, str]) -> str:
    """A value without its delimiters; one that is put together, `name # " and words"`, in full."""
    return "".join(
        part[1:-1] if number % 2 else "".join(strings.get(one.lower(), one) for one in map(str.strip, part.split("#")))
        for number, part in enumerate(_split_value(value))
    )


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

    text = write_latex_scripts(text)
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
    entry: list[tuple[str, list[str]]] = []
    fault = ""
    for number, line in enumerate(chain(text.splitlines(), ["ER  - "]), 1):
        found = _RIS_LINE.match(line)
        tag, value = (found[1], (found[2] or "").strip()) if found else ("", line.strip())
        if tag in ("TY", "ER"):
            if entry:
                key, item = _build_ris_item(entry)
                yield key, fault or item
            entry, fault = [("TY", [value])] if tag == "TY" else [], ""
        elif entry and tag:
            entry.append((tag, [value]))
        elif entry:
            entry[-1][1].append(value)
        elif value:
            entry, fault = [(tag, [value])], f"line {number} belongs to no entry: {line.strip()[:40]!r}"


def _build_ris_item(entry: list[tuple[str, list[str]]]) -> tuple[str, Item]:
    told: dict[str, list[str]] = {}
    for tag, lines in entry:
        if value := "\n".join(lines).strip():
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
