"""LaTeX source: sections, text, lists, tables, captions, notes, code, and formulas on one line.

Macros that the file defines are replaced. Other files that it takes in are not read, which is reported; numbers of
references and citations are not in a source, so their keys take their place.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from elcano.activities.passages.document import Block, BlockKind, FileSkipped, Gap, Parsed, decode_text
from elcano.subjects.documents.authorship import parse_authors, parse_year
from elcano.subjects.documents.latex_commands import ENVIRONMENT_ARGUMENTS
from elcano.subjects.documents.latex_lists import LISTS, ORDERED, Numbering
from elcano.subjects.documents.latex_macros import (
    VERBATIM,
    expand_macros,
    prepare_source,
    read_argument,
    read_group,
    read_option,
    split_top,
)
from elcano.subjects.documents.latex_text import write_inline
from elcano.subjects.documents.tables import TableCell, build_table
from elcano.text.tex_formulas import write_tex

_LEVELS: Final[Mapping[str, int]] = {
    "part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6, "subparagraph": 7,
}  # fmt: skip
_MATH: Final = frozenset(
    {"equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "alignat", "xalignat",
     "dmath", "empheq"}
)  # fmt: skip
_TABLES: Final[Mapping[str, int]] = {
    "tabular": 1, "tabular*": 2, "tabularx": 2, "longtable": 1, "tabu": 1, "longtabu": 1, "supertabular": 1,
    "tabulary": 2, "xltabular": 2, "tblr": 1, "longtblr": 1,
}  # fmt: skip
"""Environments that are tables, by the number of their arguments."""
_PICTURES: Final = frozenset(
    {"tikzpicture", "pgfpicture", "picture", "asy", "asydef", "tikzcd", "forest", "pspicture", "circuitikz", "axis"}
)
_SKIPPED: Final = frozenset({"filecontents", "thebibliography", "CCSXML", "acronym"})
_TAKEN_IN: Final = re.compile(r"\\(?:input|include|subfile|import|subimport)\s{0,9}\{([^{}\n]{1,300})\}")
_BIBLIOGRAPHY: Final = re.compile(r"\\(?:bibliography|addbibresource)\s{0,9}(?:\[[^\]]{0,100}\])?\{([^{}\n]{1,300})\}")
_THEOREM: Final = re.compile(r"\\newtheorem\*?\s{0,9}\{([^{}]{1,60})\}(?:\[[^\]]{0,60}\])?\{([^{}]{1,60})\}")
_BREAK: Final = re.compile(
    r"\\(?P<section>part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?(?=\s{0,9}[\[{])"
    r"|\\begin\s{0,9}\{(?P<environment>[A-Za-z]{1,40}\*?)\}|\\(?P<display>\[)|(?P<dollars>\$\$)"
    r"|\\(?P<caption>caption\*?|captionof)(?=[\s\[{])"
    rf"|{VERBATIM}(?P<verbatim>\d+){VERBATIM}"
    r"|(?P<paragraph>\n[ \t]*\n\s*|\\par(?![A-Za-z]))|\\(?P<escaped>.)",
    re.DOTALL,
)
_ROW_END: Final = r"\\\\\*?(?:\[[^\]]{0,40}\])?|\\tabularnewline(?![A-Za-z])"
_RULE: Final = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|specialrule|addlinespace|cline"
    r"|cmidrule|hhline|Xhline)"
    r"(?![A-Za-z])(?:\([^)]{0,20}\))?(?:\[[^\]]{0,40}\])?(?:\{[^{}]{0,60}\}){0,3}(?:\([^)]{0,20}\))?(?:\{[^{}]{0,20}\})?"
)
_REPEATED: Final = re.compile(
    r"(?<=\\endfirsthead).*?\\endhead(?![A-Za-z])|(?<=\\endhead).*?\\end(?:last)?foot(?![A-Za-z])", re.DOTALL
)
"""The head and the foot of a table on its further pages."""
_SPAN: Final = re.compile(r"\s*\\(multicolumn|multirow)\*?\s{0,9}")
_NOTATION: Final = re.compile(r"\\(?:label|tag)\*?\{[^{}]{0,200}\}|\\(?:nonumber|notag|intertext\{[^{}]{0,500}\})")
_BEGIN: Final = re.compile(r"\\begin\{([A-Za-z]{1,40}\*?)\}")
MOST_DEPTH: Final = 30
"""Maximum nesting of environments that are read."""


def read_latex(content: bytes) -> Parsed:
    """Read a source.

    Raises:
        FileSkipped: it is no text, or only takes in other files.
    """
    source, verbatim = prepare_source(decode_text(content))
    text, labels = expand_macros(source)
    _, begin, body = text.partition("\\begin{document}")
    body = body.partition("\\end{document}")[0] if begin else text
    reader = _Reader(verbatim, {name: shown for name, shown in _THEOREM.findall(text)}, labels)
    reader.read(body)
    gaps = []
    if taken := list(dict.fromkeys(_TAKEN_IN.findall(body))):
        shown = ", ".join(taken[:10]) + (f" and {len(taken) - 10} more" if len(taken) > 10 else "")
        gaps.append(
            Gap(f"it takes in other files, which are not read with it: {shown}: add them to the collection, or its PDF")
        )
    if lists := list(dict.fromkeys(_BIBLIOGRAPHY.findall(text))):
        gaps.append(
            Gap(f"its references are in another file, which is not read with it: {', '.join(lists[:5])}", unread=False)
        )
    if reader.pictures:
        gaps.append(Gap(f"{reader.pictures:,} drawings were left out", unread=False))
    if not reader.blocks and taken:
        raise FileSkipped(gaps[0].reason)
    title, authors, date = (_read_declared(text, name) for name in ("title", "author", "date"))
    authors = re.sub(
        r"\s*\\and\s*|\s*\\AND\s*|\s*\\\\.*?(?=\\and|$)", " ; ", _read_raw(text, "author"), flags=re.DOTALL
    )
    return Parsed(
        _level_headings(reader.blocks),
        title,
        parse_authors(" ".join(write_inline(authors).split())),
        parse_year(date),
        gaps=tuple(gaps),
    )


def _read_raw(text: str, name: str) -> str:
    found = re.search(rf"\\{name}\s{{0,9}}(?=[\[{{])", text)
    if found is None:
        return ""
    return read_group(text, read_option(text, found.end())[1])[0]


def _read_declared(text: str, name: str) -> str:
    return " ".join(write_inline(_read_raw(text, name)).split())


def _level_headings(blocks: list[Block]) -> list[Block]:
    """Headings from level 1 on: articles have no chapters."""
    highest = min((block.level for block in blocks if block.kind == "heading"), default=1)
    return [
        Block(one.text, one.kind, one.level - highest + 1, cells=one.cells) if one.kind == "heading" else one
        for one in blocks
    ]


class _Reader:
    """Turns the body of a source into blocks."""

    def __init__(self, verbatim: list[str], theorems: Mapping[str, str], labels: Mapping[str, str]) -> None:
        self.blocks: list[Block] = []
        self.pictures = 0
        self._verbatim = verbatim
        self._theorems = theorems
        self._labels = labels
        self._pending: list[str] = []
        self._prefix = ""

    def read(self, text: str, depth: int = 0) -> None:
        """Read a part of a source."""
        at = 0
        for found in _BREAK.finditer(text):
            if found.start() < at:
                continue
            if found["escaped"]:
                continue
            self._pending.append(text[at : found.start()])
            at = self._read_break(found, text, depth)
        self._pending.append(text[at:])
        self._flush()

    def _read_break(self, found: re.Match[str], text: str, depth: int) -> int:
        """Read the end of a paragraph, or of a formula within one; returns where the text continues."""
        if found["environment"]:
            return self._read_environment(found["environment"], text, found.end(), depth)
        if found["display"] or found["dollars"]:
            mark = "\\]" if found["display"] else "$$"
            end = text.find(mark, found.end())
            end = len(text) if end < 0 else end
            self._read_formula(text[found.end() : end])
            return end + len(mark)
        self._flush()
        if found["section"]:
            title, end = read_group(text, read_option(text, found.end())[1])
            self._add(title, "heading", _LEVELS[found["section"]])
            return end
        if found["caption"]:
            start = read_group(text, found.end())[1] if found["caption"] == "captionof" else found.end()
            caption, end = read_group(text, read_option(text, start)[1])
            self._add(caption, "caption")
            return end
        if found["verbatim"] and int(found["verbatim"]) < len(self._verbatim):
            code = self._verbatim[int(found["verbatim"])]
            self.blocks += [Block(code, "code")] if code.strip() else []
        return found.end()

    def _read_environment(self, name: str, text: str, at: int, depth: int) -> int:
        plain = name.rstrip("*")
        body, end = _find_environment(text, at, name)
        if plain in _MATH:
            start = read_group(body, 0)[1] if plain in ("alignat", "xalignat") else 0
            self._read_formula(body[start:])
            return end
        self._flush()
        if plain in _PICTURES:
            self.pictures += 1
        elif plain == "thebibliography":
            self._read_references(body)
        elif plain in _SKIPPED or depth >= MOST_DEPTH:
            pass
        elif name in _TABLES:
            self._read_table(_REPEATED.sub("", body), _TABLES[name])
        elif plain in LISTS:
            self._read_list(plain, body, depth)
        else:
            self._read_other(plain, body, depth)
        return end

    def _read_other(self, name: str, body: str, depth: int) -> None:
        option, start = read_option(body, 0)
        for _ in range(ENVIRONMENT_ARGUMENTS.get(name, 0)):
            start = read_group(body, start)[1]
        if name == "abstract":
            self._add("Abstract", "heading", 3)
        theorem = self._theorems.get(name) or ("Proof" if name == "proof" else "")
        if theorem:
            self._prefix = f"{theorem} ({write_inline(option)}). " if option else f"{theorem}. "
        self.read(body[start:], depth + 1)
        self._prefix = ""

    def _read_formula(self, body: str) -> None:
        """A formula set apart; of several lines each is one of its own."""
        self._flush()
        for row in split_top(_NOTATION.sub("", body), _ROW_END):
            formula = write_tex(" ".join(part for part in split_top(row, "&")).strip())
            if formula.strip(" .,;"):
                self.blocks.append(Block(formula, "formula"))

    def _read_table(self, body: str, arguments: int) -> None:
        at = read_option(body, 0)[1]
        for _ in range(arguments):
            at = read_option(body, read_group(body, at)[1])[1]
        notes: list[str] = []
        rows, heads = _split_rows(body[at:])
        captions = [row for row in rows if "\\caption" in row]
        for row in captions:
            start = row.find("\\caption")
            self._add(read_group(row, read_option(row, row.find("caption", start) + len("caption"))[1])[0], "caption")
        cells = list(_build_cells([row for row in rows if row not in captions], heads, notes))
        if cells:
            self.blocks.append(build_table(cells))
        for note in notes:
            self._add_text(note, "note")

    def _read_list(self, name: str, body: str, depth: int) -> None:
        lines = list(self._list_items(name, body, depth, 0))
        if lines:
            self.blocks.append(Block("\n".join(lines), "list"))
        else:  # its items begin with a command of a class
            self.read(body, depth + 1)

    def _list_items(self, name: str, body: str, depth: int, ordered: int) -> Iterator[str]:
        """The lines of a list; `ordered`: how many numbered lists it is in."""
        head, *items = split_top(body, r"\\item(?![A-Za-z])")
        numbering = Numbering(head, ordered, self._labels) if name in ORDERED else None
        notes: list[str] = []
        for item in items:
            label, start = read_option(item, 0)
            named = " ".join(write_inline(label).split()) if label else ""
            inner: list[str] = []
            text = self._take_lists(item[start:], inner, depth, ordered + (numbering is not None))
            # An item with a label of its own is not counted.
            mark = named or numbering.count_item() if numbering else f"- {named}".rstrip()
            yield from (" ".join([mark, *write_inline(text, notes).split()]), *inner)
        for note in notes:
            self._add_text(note, "note")

    def _take_lists(self, text: str, inner: list[str], depth: int, ordered: int) -> str:
        """The text of an item; the items of lists in it are added to `inner`, formulas stay in the text."""
        parts: list[str] = []
        at = 0
        while (found := _BEGIN.search(text, at)) is not None:
            name = found[1].rstrip("*")
            body, end = _find_environment(text, found.end(), found[1])
            parts.append(text[at : found.start()])
            if name in LISTS and depth < MOST_DEPTH:
                inner += self._list_items(name, body, depth + 1, ordered)
            elif name in _MATH:
                rows = split_top(_NOTATION.sub("", body), _ROW_END)
                parts.append(" ".join(f"${row}$" for row in rows if row.strip()))
            elif name not in _PICTURES:
                parts.append(body)
            at = end
        return "".join([*parts, text[at:]]).replace("\\[", "$").replace("\\]", "$")

    def _read_references(self, body: str) -> None:
        self._add("References", "heading", 3)
        for item in list(split_top(body, r"\\bibitem(?![A-Za-z])"))[1:]:
            start = read_option(item, 0)[1]
            key, start = read_group(item, start)
            self._add_text(f"[{key}] {write_inline(item[start:].replace(chr(92) + 'newblock', ' '))}", "note")

    def _flush(self) -> None:
        text = "".join(self._pending)
        self._pending.clear()
        if not text.strip():
            return
        notes: list[str] = []
        lines = (" ".join(line.split()) for line in write_inline(text, notes).split("\n"))
        shown = " ".join(filter(None, lines))
        self._add_text(self._prefix + shown if shown else "", "text")
        if shown:
            self._prefix = ""
        for note in notes:
            self._add_text(note, "note")

    def _add(self, source: str, kind: BlockKind, level: int = 0) -> None:
        notes: list[str] = []
        self._add_text(write_inline(source, notes), kind, level)
        for note in notes:
            self._add_text(note, "note")

    def _add_text(self, text: str, kind: BlockKind, level: int = 0) -> None:
        plain = " ".join(text.split())
        if plain.strip(" .,;[]*"):
            self.blocks.append(Block(plain, kind, level))


def _find_environment(text: str, start: int, name: str) -> tuple[str, int]:
    """Find the content of an environment that begins at `start`, and its end."""
    depth = 1
    for found in re.compile(rf"\\(begin|end)\s{{0,9}}\{{{re.escape(name)}\}}").finditer(text, start):
        depth += 1 if found[1] == "begin" else -1
        if not depth:
            return text[start : found.start()], found.end()
    return text[start:], len(text)


def _split_rows(body: str) -> tuple[list[str], int]:
    """The rows of a table, and how many of them are above the first rule within it."""
    rows: list[str] = []
    heads = 0
    for part in split_top(body, _ROW_END):
        rules = list(_RULE.finditer(part.lstrip()))
        if rules and rows and not heads:
            heads = len(rows)
        plain = _RULE.sub("", part)
        if plain.strip():
            rows.append(plain)
    return rows, heads if heads < len(rows) else 0


def _build_cells(rows: list[str], heads: int, notes: list[str]) -> Iterator[TableCell]:
    for number, row in enumerate(rows):
        column = 0
        for text in split_top(row, "&"):
            height, width = 1, 1
            while (span := _SPAN.match(text)) is not None:
                count, end = read_group(text, read_option(text, span.end())[1])
                size = int(count.strip()) if count.strip().isdecimal() and len(count.strip()) < 4 else 1
                end = read_argument(text, read_option(text, end)[1])[1]
                height, width = (height, size) if span[1] == "multicolumn" else (size, width)
                text = read_group(text, read_option(text, end)[1])[0]
            yield TableCell(write_inline(text, notes), number, column, height, max(width, 1), number < heads)
            column += max(width, 1)
