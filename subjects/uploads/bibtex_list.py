"""BibTeX and BibLaTeX, parsed into works in CSL-JSON, or into the reason why an entry is none."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.csl_dates import choose_date, parse_date
from elcano.subjects.documents.latex_commands import SILENT, SYMBOLS, list_known_commands
from elcano.subjects.uploads.list_items import Item, Parsed, clean_item
from elcano.text.inline_markup import write_latex_scripts

_TYPES: Final = {
    **{"article": "article-journal", "periodical": "article-journal", "inbook": "chapter", "incollection": "chapter"},
    **dict.fromkeys(("suppbook", "suppcollection", "bookinbook"), "chapter"),
    **dict.fromkeys(("book", "mvbook", "booklet", "collection", "mvcollection", "reference", "mvreference"), "book"),
    **dict.fromkeys(("proceedings", "mvproceedings"), "book"),
    **{"inproceedings": "paper-conference", "conference": "paper-conference", "inreference": "entry-encyclopedia"},
    **dict.fromkeys(("phdthesis", "mastersthesis", "thesis"), "thesis"),
    **{"techreport": "report", "report": "report", "manual": "report", "patent": "patent", "dataset": "dataset"},
    **{"online": "webpage", "electronic": "webpage", "www": "webpage", "unpublished": "manuscript"},
}
_FIELDS: Final = {
    "title": ("title",),
    "container-title": ("fjournal", "journal", "journaltitle", "booktitle", "maintitle"),
    "volume": ("volume",),
    "issue": ("number", "issue"),
    "page": ("pages", "eid", "articleno", "article-number", "art_number"),
    "publisher": ("publisher", "institution", "school", "organization"),
    "DOI": ("doi",),
    "URL": ("url",),
    "PMID": ("pmid", "pubmed_id"),
    "PMCID": ("pmcid", "pmc"),
    "ISSN": ("issn", "eissn"),
    "language": ("langid", "language"),
    "abstract": ("abstract",),
    "genre": ("type", "document_type"),
}
_NOTES: Final = ("note", "annote", "annotation", "comment")
_VERBATIM: Final = frozenset({"DOI", "URL", "PMID", "PMCID", "ISSN"})
_OWN: Final = frozenset(
    {
        *("doi", "url", "urldate", "eprint", "archiveprefix", "eprinttype", "eprintclass", "pmid", "pmcid", "pmc"),
        *("pages", "eid", "abstract", "subtitle", "note", "annote", "annotation", "comment", "crossref", "file"),
    }
)
"""Fields that belong to a book alone, and not to the chapters that take the others from it by `crossref`."""
_NAME_PART: Final = re.compile(r"\s*\"?\s*(family|given|prefix|suffix)\s*=\s*(.*?)\s*\"?\s*", re.IGNORECASE | re.DOTALL)
NAME_CHARACTERS: Final = 1_000
"""Length of one name; splitting a longer one at its commas would take long."""
MOST_GROWTH: Final = 20
SLACK_CHARACTERS: Final = 1_000_000
"""A list may become so many times as long, and so many characters more: 40 lines of `@string` can make terabytes."""
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def parse_bibtex(text: str) -> Parsed:
    """BibTeX and BibLaTeX. `@string` is replaced; what an entry lacks is taken from the one in its `crossref`.

    A broken entry is reported with its line, also where BibTeX sees none: it takes for comments what stands behind a
    brace too many or does not begin as an entry does, and the parser takes a field without a comma before it for words.

    Raises:
        FileSkipped: `@string` and `crossref` repeat so much that it becomes many times as long.
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
    left = MOST_GROWTH * len(text) + SLACK_CHARACTERS
    strings: dict[str, str] = {}
    fields: dict[int, dict[str, str]] = {}
    for number, block in enumerate(blocks):
        if isinstance(block, String):
            strings[block.key.lower()] = value = _join_value(str(block.value), strings)
            left -= len(value)
        elif isinstance(block, Entry):
            fields[number] = {one.key.lower(): _join_value(str(one.value), strings) for one in block.fields}
            left -= sum(map(len, fields[number].values()))
        _require_room(left)
    named = {block.key.lower(): fields[at] for at, block in reversed([*enumerate(blocks)]) if isinstance(block, Entry)}
    for number, block in enumerate(blocks):
        line = (block.start_line or 0) + 1
        if isinstance(block, Entry):
            above = named.get(fields[number].get("crossref", "").strip().lower(), {})
            inherited = {_INHERITED.get(name, name): value for name, value in above.items() if name not in _OWN}
            left -= sum(map(len, inherited.values()))
            _require_room(left)
            item = _build_item(block.key, block.entry_type.lower(), inherited | fields[number])
            values = [((one.start_line or 0) + 1, one.key, str(one.value)) for one in block.fields]
            behind = blocks[number + 1] if number + 1 < len(blocks) else None
            rest = behind.comment if isinstance(behind, ImplicitComment) else ""
            yield block.key, _find_fault(line, values, rest) or item
        elif isinstance(block, ParsingFailedBlock):
            reason = block.error.abort_reason if isinstance(block.error, BlockAbortedException) else str(block.error)
            yield from ((key, f"line {line}: {reason.strip()}") for key in _KEY.findall(block.raw or "") or [""])
        elif isinstance(block, ImplicitComment):
            for lost in _LOST.finditer(block.comment):
                at = line + block.comment.count("\n", 0, lost.start())
                yield lost["key"], f"line {at} begins no entry of BibTeX: {lost[0].strip()[:40]!r}"


def _require_room(left: int) -> None:
    if left < 0:
        raise FileSkipped("its `@string` and `crossref` make it more than 20 times as long: write long texts out once")


def _find_fault(line: int, values: Iterable[tuple[int, str, str]], rest: str) -> str:
    """Why an entry is not what its author meant; empty: nothing is known against it.

    Args:
        line: where it begins.
        values: the line, the name and the value of each field.
        rest: what stands between it and the next entry.
    """
    for at, name, value in values:
        if re.search(r"\}\s*[^\s#]|\s[\w-]+\s*=", "{}".join(_split_value(value)[::2])):
            return f"line {at}: a comma is missing behind the value of `{name}`"
    lost = _FIELD.match(rest)
    return f"line {line}: a brace too many ends it before its field `{lost[1]}`" if lost else ""


_KEY: Final = re.compile(r"@\w+\s*[{(]\s*([^\s,{}()=\"]*)")
_FIELD: Final = re.compile(r"[\s,}]*([A-Za-z][\w-]*)\s*=")
_LOST: Final = re.compile(
    r"^[ \t]*(?:@(?!comment)|(?=\w+\{[^\s,{}]+,))[ \t]*[^\s{(\[,]*\s?[ \t]*[{(\[]?[ \t]*(?P<key>[^\s,{}()\[\]=\"]*)",
    re.MULTILINE | re.IGNORECASE,
)
"""Text meant as the beginning of an entry that is none: `@in-proceedings{key,`, `@article key,`, `article{key,`."""
_DELIMITER: Final = re.compile(r"(?<!\\)(?:[{}]|\"(?!\})|(?<!\{)\")")


def _split_value(value: str) -> list[str]:
    """A value by what is in braces or quotation marks: first what stands before, then that, then what is between."""
    parts, begin, depth, quoted = [], 0, 0, False
    for mark in _DELIMITER.finditer(value):
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


_INHERITED: Final = {"title": "booktitle"}


def _build_item(key: str, kind: str, fields: Mapping[str, str]) -> Item:
    item: Item = {"id": key, "type": _TYPES.get(kind, "document")}
    for name, given in _FIELDS.items():
        value = next((fields[one] for one in given if fields.get(one)), "")
        item[name] = value.replace("\\_", "_").strip("{} ") if name in _VERBATIM else decode_latex(value)
    if subtitle := decode_latex(fields.get("subtitle", "")):
        item["title"] = f"{item['title']}: {subtitle}"
    if item["type"] in ("report", "patent", "thesis"):
        item["number"], item["issue"] = item["issue"], ""
    for name in ("author", "editor"):
        item[name] = [*_split_names(fields.get(name, ""))]
    item["issued"] = _read_date(fields)
    published_in = decode_latex(fields.get("howpublished", ""))
    if not item["container-title"] and published_in and "://" not in published_in:
        item["container-title"] = published_in
    elif not item["URL"] and (address := re.search(r"https?://[^\s{}]+", fields.get("howpublished", ""))):
        item["type"], item["URL"] = "webpage" if item["type"] == "document" else item["type"], address[0]
    _add_eprint(item, fields)
    notes = (line for one in _NOTES for line in (*fields.get(one, "").splitlines(), ""))
    item["note"] = "\n".join(map(decode_latex, notes)).strip()
    return clean_item(item)


def _read_date(fields: Mapping[str, str]) -> Item:
    date = fields.get("date", "").strip()
    if date and not parse_date(date) and fields.get("year"):  # `date = {Mar 3}, year = 2015`, as JabRef imports it
        date = choose_date(decode_latex(fields["year"]), date)
    if date:
        return {"raw": date}
    month, day = (decode_latex(fields.get(name, "")).strip().lower() for name in ("month", "day"))
    month = str(_MONTHS.index(month[:3]) + 1) if month[:3] in _MONTHS else month
    parts = [part for part in (decode_latex(fields.get("year", "")), month) if part]
    return {"date-parts": [[*parts, day] if len(parts) > 1 and day else parts]}


def _add_eprint(item: Item, fields: Mapping[str, str]) -> None:
    """Add the number of a preprint or of PubMed; what is at arXiv alone is a preprint."""
    archive = fields.get("archiveprefix", fields.get("eprinttype", "")).lower()
    number = fields.get("eprint", "").strip()
    named = re.match(r"arXiv preprint arXiv:\s*(\S+)", item["container-title"], re.IGNORECASE)
    if "arxiv" in archive or named:
        item["number"] = f"arXiv:{number or (named[1] if named else '')}"
        if named or (item["type"] in ("document", "webpage", "manuscript") and not item["genre"]):
            item["type"] = "article"
    elif "clinicaltrials" in archive:
        item["number"] = number
    if archive in ("pubmed", "pmid"):
        item["PMID"] = item["PMID"] or number
    elif archive in ("pmc", "pmcid"):
        item["PMCID"] = item["PMCID"] or number


def _split_names(text: str) -> Iterator[Item]:
    from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names

    for name in split_multiple_persons_names(text) if text else ():
        if extended := _split_extended_name(name):
            yield extended
            continue
        parts = parse_single_name_into_parts(name, strict=False)
        given, particle, family, suffix = (
            decode_latex(" ".join(part)) for part in (parts.first, parts.von, parts.last, parts.jr)
        )
        if family and family != "others":
            yield {"family": family, "given": given, "non-dropping-particle": particle, "suffix": suffix}


def _split_extended_name(name: str) -> Item:
    """A name as BibLaTeX has it in parts, `family=Silva, given=Maria, prefix=da`; empty: it is none."""
    if "=" not in name or len(name) > NAME_CHARACTERS:
        return {}
    parts = [_NAME_PART.fullmatch(part) for part in _COMMA.split(name)]
    named = {part[1].lower(): decode_latex(part[2]) for part in parts if part}
    if "family" not in named and "given" not in named:
        return {}
    names = (("family", "family"), ("given", "given"), ("non-dropping-particle", "prefix"), ("suffix", "suffix"))
    return {csl: named[part] for csl, part in names if named.get(part)}


_COMMA: Final = re.compile(r",(?![^{}]*\})")


def decode_latex(text: str) -> str:
    """LaTeX as plain text; what is no LaTeX stays as it is, as do commands that no one knows."""
    if not re.search(r"[\\{}$~]|--", text):
        return " ".join(text.split()) if "\n\n" not in text else text
    from pylatexenc.latex2text import LatexNodes2Text

    text = _LINK.sub(lambda found: f"{{{found[1]}}}", _FORMULA.sub(r"$\1$", text))
    text = _COMMAND.sub(_write_symbol, write_latex_scripts(text))
    try:
        return str(LatexNodes2Text(keep_comments=True, strict_latex_spaces=False).latex_to_text(text)).strip()
    except Exception:  # whatever it stumbles over, as braces in braces in braces: the marks go, the words stay
        return re.sub(r"[{}]", "", text)


_FORMULA: Final = re.compile(r"\\\((.{1,500}?)\\\)", re.DOTALL)
_LINK: Final = re.compile(r"\\(?:url|href\s*\{[^{}]{0,2000}\}|nolinkurl|path)\s*\{([^{}]{0,2000})\}")
_COMMAND: Final = re.compile(r"\\([A-Za-z]{2,40})(?:\{\}| (?=\W)|(?![A-Za-z]))")


_ESCAPED: Final = {"textbraceleft": r"\{", "textbraceright": r"\}", "textasciicircum": "^"}


def _write_symbol(found: re.Match[str]) -> str:
    """A symbol that pylatexenc passes over in silence; a command that it does not know stays visible."""
    name = found[1]
    if name in _ESCAPED or name in SYMBOLS:
        return _ESCAPED.get(name) or SYMBOLS[name]
    known = name in list_known_commands() or name in SILENT
    return found[0] if known or found.string[found.end() : found.end() + 1] == "{" else f"\\textbackslash{{}}{name}"
