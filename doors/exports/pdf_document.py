"""A report as a PDF, made of its page of HTML, so that both say the same. The extra `pdf` typesets it (Typst).

The file is tagged (PDF/UA-1), its fonts are embedded, and it has contents, bookmarks and links. Texts are string
literals of the typesetter's language, so none is read as code. A character that no font here has is written as its
code and named at the end; a text that hardly a font has is refused, with what to install.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any, Final

from elcano.doors.exports.formulas import write_formula
from elcano.doors.exports.report_elements import (
    BLOCKS,
    CONTENTS_FROM,
    HEADINGS,
    LINE,
    clean_text,
    describe_changes,
    describe_drawing,
    find_drawing,
    find_language,
    list_blocks,
    measure_columns,
    place_drawings,
    read_drawing_title,
    read_report_elements,
    read_title,
)
from elcano.doors.exports.typesetting import ExportUnavailable, open_typesetter, quote_literal
from elcano.graphs.extras import install_command
from elcano.graphs.report.report import Report

MOST_UNSHOWN: Final = 20
"""Different characters without a font above which a report is refused: it is written in a script that is missing."""
FONTS: Final[Mapping[str, tuple[str, ...]]] = {
    "ja": ("Noto Serif CJK JP", "Noto Sans CJK JP"),
    "ko": ("Noto Serif CJK KR", "Noto Sans CJK KR"),
    "th": ("Noto Serif Thai", "Noto Sans Thai"),
    "zh": ("Noto Serif CJK SC", "Noto Sans CJK SC"),
    "zh-Hant": ("Noto Serif CJK TC", "Noto Sans CJK TC"),
}
"""Fonts by language, the best first, where there is a choice that readers notice; else any font that has the letter."""
PACKAGES: Final = "fonts-noto-core and fonts-noto-cjk on Debian"
_STYLE: Final = """
#set page(paper: "a4", margin: (x: 2.4cm, y: 2.5cm), numbering: "1 / 1", number-align: center)
#set text(size: 10.5pt)
#set par(leading: 0.7em, spacing: 1.1em, justify: false)
#set heading(numbering: none)
#set table(stroke: 0.5pt + luma(180), inset: 5pt)
#set list(spacing: 0.8em)
#set enum(spacing: 0.8em)
#show heading: set block(above: 1.6em, below: 0.8em)
#show title: set text(size: 19pt)
#show title: set par(leading: 0.5em)
#show link: set text(fill: rgb("#0b5a6c"))
#show quote.where(block: true): set text(fill: luma(70))
#show raw: set text(size: 0.9em)
#show raw.where(block: true): set par(leading: 0.5em)
"""
_ENDED: Final = {"strong": "strong", "em": "emph", "s": "strike"}
_UNSHOWN: Final = re.compile(r'the text `"(?P<text>.*)"` could not be displayed', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\u\{([0-9a-f]{1,6})\}|\\(.)")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
_UNBROKEN: Final = re.compile(r"([!-~]{40})(?=[!-~])")
"""Text that no line could hold otherwise, as of long addresses."""
_DEEPEST: Final = 12
"""Quotes within quotes that are set in further; the typesetter has a limit."""
_WIDE: Final = 6
"""Columns above which a table is set in smaller letters."""


def write_pdf_document(report: Report, pictures: Mapping[str, str | None]) -> bytes:
    """The document's file; `pictures` are those of the report (SVG) by their paths.

    Raises:
        ExportUnavailable: the extra `pdf`, or fonts for the report's script, are not installed.
    """
    if find_spec("typst") is None:
        raise ExportUnavailable(f"the API has no library that makes PDFs: {install_command('pdf')}, and start it again")
    return _Writer(report, pictures).write()


class _Writer:
    def __init__(self, report: Report, pictures: Mapping[str, str | None]) -> None:
        self._report = report
        self._drawings, places = place_drawings(pictures)
        self._elements = read_report_elements(report, places)
        self._anchors = {element.get("id") for block in self._elements for element in block.iter() if element.get("id")}
        self._changed: Counter[str] = Counter()
        """Number of elements that differ from the page, by kind."""
        self._draws = True
        self._level = 0
        """Level of the previous heading."""
        self._unshown: dict[int, str] = {}
        """Replacements of characters without a font."""

    def write(self) -> bytes:
        texts = "".join(text for block in self._elements for text in block.itertext())
        texts += "".join((self._report.title, *self._drawings))
        self._find_unshown(sorted({one for one in texts if one > "\x7f"}))
        while True:
            found = self._typeset(self._write_source())
            if isinstance(found, bytes):
                return found
            self._note_unshown(found)

    def _find_unshown(self, characters: Iterable[str]) -> None:
        """Typeset all characters once, to learn quickly which of them no font has."""
        left = [one for one in characters if one.isprintable() and not unicodedata.combining(one)]
        while left:
            found = self._typeset(self._write_head() + " ".join(f"#{quote_literal(one)};" for one in left))
            if isinstance(found, bytes):
                return
            self._note_unshown(found)
            left = [one for one in left if ord(one) not in self._unshown]

    def _note_unshown(self, text: str) -> None:
        characters = {one for one in text if one > "\x7f"} or set(text)
        if characters <= {chr(one) for one in self._unshown}:
            raise ExportUnavailable(
                f"no font here shows {_name_characters(sorted(characters))}: save it as docx or html"
            )
        self._unshown |= {ord(one): f"[U+{ord(one):04X}]" for one in characters}
        if len(self._unshown) > MOST_UNSHOWN:
            named = _name_characters([chr(one) for one in list(self._unshown)[:3]])
            raise ExportUnavailable(
                f"the fonts of this server lack the script of this report, {named} and others: install fonts "
                f"({PACKAGES}) where the API runs and start it again, or save the report as docx or html"
            )

    def _typeset(self, source: str) -> bytes | str:
        """The file; or the text that it cannot have, because no font has it."""
        import typst

        try:
            made = typst.compile(source.encode(), font_paths=open_typesetter(), format="pdf", pdf_standards=["ua-1"])
        except typst.TypstError as error:
            if (found := _UNSHOWN.search(error.message)) is None:
                if not self._draws or not self._drawings:
                    raise ExportUnavailable(
                        f"it cannot be typeset, {error.message}: save it as docx or html"
                    ) from error
                self._draws = False  # most likely one of the pictures cannot be read
                return self._typeset(self._write_source())
            return _ESCAPE.sub(lambda one: chr(int(one[1], 16)) if one[1] else one[2], found["text"])
        assert isinstance(made, bytes)
        return made

    def _write_head(self) -> str:
        title = self._report.title
        language, _, rest = (find_language(self._report) or "en").partition("-")
        fonts = FONTS["zh-Hant"] if rest in ("Hant", "TW", "HK") else FONTS.get(language, ())
        families = "".join(f"{quote_literal(family)}, " for family in fonts)
        latin = '(name: "Libertinus Serif", covers: "latin-in-cjk")' if fonts else '"Libertinus Serif"'
        shown = self._quote(title.strip() or self._report.run_id)
        known = language if _LANGUAGE.fullmatch(language) else "en"
        return (
            f"#set document(title: {shown}, description: {self._quote(self._report.question)}, "
            f'author: "Elcano", keywords: ({self._quote(self._report.run_id)},))\n'
            f"#set text(lang: {quote_literal(known)}, font: ({latin}, {families}), fallback: true)\n{_STYLE}"
        )

    def _write_source(self) -> str:
        self._changed.clear()
        self._level = 0
        headings = sum(element.tag == "h2" for element in self._elements)
        parts = [self._write_head(), "#title()\n"]
        for element in self._elements:
            if element.tag == "h2" and headings >= CONTENTS_FROM:
                parts.append("#outline(depth: 2)\n")
                headings = 0
            parts.append("" if element.tag == "h1" else self._write_block(element))
        parts += [f"#emph[#{self._quote(note)}]\n\n" for note in self._list_notes()]
        return "".join(parts)

    def _list_notes(self) -> Iterator[str]:
        """Notes on the parts that differ from the page."""
        yield from describe_changes(self._changed)
        if self._unshown:
            named = _name_characters([chr(one) for one in sorted(self._unshown)])
            yield f"No font of the server that made this file has {named}: written here as codes."

    def _write_block(self, element: Any) -> str:
        match element.tag:
            case "h1" | "h2" | "h3":
                return self._write_heading(element)
            case "ul" | "ol":
                return f"{self._write_list(element)}\n\n"
            case "table":
                return f"{self._write_table(element)}\n\n"
            case "pre":
                return f"#raw({self._quote(element.text_content().rstrip(), lines=True)}, block: true)\n\n"
            case "hr":
                return "#line(length: 100%, stroke: 0.5pt + luma(180))\n\n"
            case "blockquote" if sum(1 for _ in element.iterancestors("blockquote")) < _DEEPEST:
                return f"#quote(block: true)[{self._write_blocks(element)}]\n\n"
            case "blockquote" | "details" | "div":
                return self._write_blocks(element)
            case _:
                return f"{self._write_inline(element)}\n\n"

    def _write_heading(self, element: Any) -> str:
        """A heading; levels are not left out, and none is empty: the rules of accessible files forbid both."""
        if not element.text_content().strip():
            return ""
        self._level = max(min(HEADINGS[element.tag], self._level + 1), 1)
        return f"#heading(level: {self._level})[{self._write_inline(element)}]\n\n"

    def _write_blocks(self, element: Any) -> str:
        return "".join(self._write_block(child) for child in list_blocks(element))

    def _write_list(self, element: Any) -> str:
        number = int(element.get("start", "1"))
        items = []
        for place, item in enumerate(element.iterchildren("li")):
            mark = f"#metadata(none) <{anchor}>" if (anchor := item.get("id")) else ""
            content = f"[{mark}{self._write_blocks(item).rstrip()}]"
            items.append(content if element.tag == "ul" else f"enum.item({number + place}){content}")
        return f"#{'list' if element.tag == 'ul' else 'enum'}({', '.join(items)})"

    def _write_table(self, element: Any) -> str:
        rows = [list(row.iterchildren("td", "th")) for row in element.iter("tr")]
        columns = max((len(row) for row in rows), default=0)
        if not columns:
            return ""
        aligned = [cell.get("class") or "start" for cell in rows[0]] + ["start"] * (columns - len(rows[0]))
        written = []
        for row in rows:
            cells = [f"[{self._write_inline(cell)}]" for cell in row] + ["[]"] * (columns - len(row))
            heads = bool(row) and all(cell.tag == "th" for cell in row)
            written.append(
                f"table.header({', '.join(f'strong{cell}' for cell in cells)})" if heads else ", ".join(cells)
            )
        alignment = "".join(f"{one}, " for one in aligned)
        small = "#set text(size: 8pt);" if columns > _WIDE else ""
        longest = (
            max((len(row[at].text_content()) for row in rows if at < len(row)), default=0) for at in range(columns)
        )
        shares = "".join(f"{share:.3f}fr, " for share in measure_columns(rows, columns))
        sizes = f"({shares})" if sum(longest) > LINE else f"{columns}"
        return f"#[{small}#table(columns: {sizes}, align: ({alignment}), {', '.join(written)})]"

    def _write_inline(self, element: Any) -> str:
        """The text of an element with what is within it."""
        parts = [self._write_text(element.text)]
        for child in element:
            parts += [self._write_child(child), self._write_text(child.tail)]
        return "".join(parts)

    def _write_child(self, child: Any) -> str:
        match child.tag:
            case "br":
                return "#linebreak()"
            case "strong" | "em" | "s" as tag:
                return f"#{_ENDED[tag]}[{self._write_inline(child)}]"
            case "code":
                return f"#raw({self._quote(child.text_content())});"
            case "a" if child.get("href"):
                return self._write_link(child)
            case "math":
                return self._write_formula(child)
            case "svg":
                return self._write_drawing(child)
            case tag if tag in BLOCKS:
                return self._write_block(child)
            case _:
                return self._write_inline(child)

    def _write_link(self, element: Any) -> str:
        address, text = element.get("href"), self._write_inline(element)
        if not address.startswith("#"):
            return f"#link({quote_literal(clean_text(address))})[{text}]"
        return f"#link(<{address[1:]}>)[{text}]" if address[1:] in self._anchors else text

    def _write_formula(self, element: Any) -> str:
        text = read_title(element)
        block = "true" if element.get("display") == "block" else "false"
        written = write_formula(element, self._quote)
        if written is None:
            self._changed["formula"] += 1
            return f"#emph[#{self._quote(text)}]"
        return f"#math.equation(block: {block}, alt: {self._quote(text)}, {written});"

    def _write_drawing(self, element: Any) -> str:
        drawing = self._drawings[find_drawing(element)].translate(self._unshown)
        title, alt = self._quote(read_drawing_title(drawing)), self._quote(describe_drawing(drawing))
        if not self._draws:
            self._changed["picture"] += 1
            return f"#emph[#{title}]"
        source = f'bytes({quote_literal(drawing)}), format: "svg", alt: {alt}'
        return f'#align(center, image({source}, width: 100%, fit: "contain"));'

    def _write_text(self, text: str | None) -> str:
        return f"#{self._quote(text)};" if text else ""

    def _quote(self, text: str, *, lines: bool = False) -> str:
        """A text as a literal, without characters that no font has."""
        shown = clean_text(text if lines else re.sub(r"[\t\n\r\x0b\x0c]+", " ", text))
        return quote_literal(_UNBROKEN.sub("\\1\u200b", shown.translate(self._unshown)))


def _name_characters(characters: Iterable[str]) -> str:
    return ", ".join(f"U+{ord(one):04X} {unicodedata.name(one, 'unnamed')}" for one in characters)
