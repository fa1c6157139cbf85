"""A report as a Word document, made of its page of HTML, so that both say the same.

Headings, lists, tables and links are real ones; the number of a reference leads to its entry, and the entry to its
address. Pictures are drawn for Word by the extra `pdf`, with their title and description as alternative text. What Word
has no form for is written as text (formulas as LaTeX), and what is left out is named at the end.
"""

import io
import unicodedata
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import docx
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.table import WD_TABLE_DIRECTION
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Emu, Mm, Pt
from docx.table import _Row
from docx.text.paragraph import Paragraph

from elcano.doors.exports.formulas import write_latex_formula
from elcano.doors.exports.report_elements import (
    BLOCKS,
    HEADINGS,
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
from elcano.doors.exports.typesetting import convert_drawing
from elcano.graphs.report.report import Report

RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})
_LANGUAGES: Final = {"zh": "zh-CN", "zh-Hans": "zh-CN", "zh-Hant": "zh-TW"}
"""Word's codes of languages that it names by a region."""
_PAPER: Final = (Mm(210), Mm(297))
"""A4."""
_MARGIN: Final = Mm(25)
_TEXT_WIDTH: Final = _PAPER[0] - 2 * _MARGIN
_ALIGNED: Final = {"right": WD_ALIGN_PARAGRAPH.RIGHT, "center": WD_ALIGN_PARAGRAPH.CENTER}
_HIGHEST: Final = 0.85
"""The share of the height within the margins that a picture may take."""
_WIDE: Final = 6
"""Columns above which a table is set in smaller letters."""
_DEEPEST_LIST: Final = 3
"""Levels of lists that Word has styles for."""


def write_word_document(report: Report, pictures: Mapping[str, str | None]) -> bytes:
    """The document's file; `pictures` are those of the report (SVG) by their paths.

    Pictures are converted by the library of the extra `pdf`; without it they are left out, and the document says so.
    """
    return _Writer(report, pictures).write()


class _Writer:
    def __init__(self, report: Report, pictures: Mapping[str, str | None]) -> None:
        self._report = report
        self._drawings, self._places = place_drawings(pictures)
        self._document: Document = docx.Document()
        self._changed: Counter[str] = Counter()
        """Number of elements that were not exported as they are, by kind."""
        self._bookmarks = 0
        self._small: Any = self._document.styles.add_style("Small", WD_STYLE_TYPE.PARAGRAPH)
        self._small.base_style, self._small.font.size = self._document.styles["Normal"], Pt(8)
        self._language = find_language(report)
        self._mirrored = self._language.partition("-")[0] in RIGHT_TO_LEFT

    def write(self) -> bytes:
        about = self._document.core_properties
        about.title, about.author = clean_text(self._report.title)[:255], "Elcano"
        about.subject = clean_text(self._report.question)[:255]
        about.language, about.comments = self._language, f"Run {self._report.run_id}"
        about.created = about.modified = datetime.now(UTC)  # the template has its own
        section = self._document.sections[0]
        section.page_width, section.page_height = _PAPER
        section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = _MARGIN
        self._set_language(_LANGUAGES.get(self._language, self._language))
        if self._mirrored:  # all styles are based on this one, and the cells of tables have it
            style: Any = self._document.styles["Normal"].element
            style.get_or_add_pPr().append(OxmlElement("w:bidi"))
        for element in read_report_elements(self._report, self._places):
            self._add_block(element, "", 0)
        for note in describe_changes(self._changed):
            self._document.add_paragraph().add_run(note).italic = True
        file = io.BytesIO()
        self._document.save(file)
        return file.getvalue()

    def _set_language(self, language: str) -> None:
        """Set that of all text: by it a program chooses the forms of characters; without one, the template's stays."""
        written: Any = self._document.styles.element
        for one in written.xpath("w:docDefaults/w:rPrDefault/w:rPr/w:lang") if language else ():
            for attribute in ("w:val", "w:eastAsia", "w:bidi"):
                one.set(qn(attribute), language)

    def _add_block(self, element: Any, style: str, level: int) -> None:
        """One block, in the style of what it stands in; `level` counts the lists around it."""
        tag = element.tag
        if tag in HEADINGS:
            self._fill(
                self._document.add_paragraph(style="Title" if tag == "h1" else f"Heading {HEADINGS[tag]}"), element
            )
        elif tag in ("ul", "ol"):
            self._add_list(element, level)
        elif tag == "table":
            self._add_table(element)
        elif tag == "pre":
            self._add_code(clean_text(element.text_content().rstrip("\n")))
        elif tag == "hr":
            self._document.add_paragraph().add_run("* * *")
        elif tag in ("blockquote", "details", "div"):
            inner = "Quote" if tag == "blockquote" else style
            for child in list_blocks(element):
                self._add_block(child, inner, level)
        else:
            self._fill(self._document.add_paragraph(style=style or None), element)

    def _add_code(self, text: str) -> None:
        """Lines of code, from left to right in every document."""
        paragraph = self._document.add_paragraph()
        paragraph.add_run(text).font.name = "Courier New"
        if self._mirrored:
            properties: Any = paragraph._p.get_or_add_pPr()
            properties.append(OxmlElement("w:bidi"))
            properties[-1].set(qn("w:val"), "0")

    def _add_list(self, element: Any, level: int) -> None:
        depth = min(level + 1, _DEEPEST_LIST)
        name = "List Bullet" if element.tag == "ul" else "List"
        style = name if depth == 1 else f"{name} {depth}"
        number = int(element.get("start", "1"))
        for item in element.iterchildren("li"):
            paragraph = self._document.add_paragraph(style=style)
            if element.tag == "ol":  # written out: a number of Word's own would be another one after a change
                paragraph.add_run(f"{number}.\t")
                number += 1
            if (anchor := item.get("id")) is not None:
                self._add_bookmark(paragraph, anchor)
            first = True
            for child in list_blocks(item):
                if first and child.tag not in BLOCKS - {"p"}:
                    self._fill(paragraph, child)
                else:
                    self._add_block(child, f"List Continue {depth}" if depth > 1 else "List Continue", level + 1)
                first = False

    def _add_table(self, element: Any) -> None:
        rows = [list(row.iterchildren("td", "th")) for row in element.iter("tr")]
        columns = max((len(row) for row in rows), default=0)
        if not columns:
            return
        table = self._document.add_table(rows=len(rows), cols=columns, style="Table Grid")
        table.autofit = False
        if self._mirrored:
            table.table_direction = WD_TABLE_DIRECTION.RTL
        widths = [Emu(int(share * _TEXT_WIDTH)) for share in measure_columns(rows, columns)]
        aligned = [_ALIGNED.get(cell.get("class")) for cell in rows[0]] + [None] * (columns - len(rows[0]))
        for column, width in zip(table.columns, widths, strict=True):
            column.width = width
        for written, row in zip(table.rows, rows, strict=True):
            _keep_row_whole(written, heads=bool(row) and all(cell.tag == "th" for cell in row))
            for at, cell in enumerate(written.cells):
                cell.width, cell.paragraphs[0].alignment = widths[at], aligned[at]
                if columns > _WIDE:
                    cell.paragraphs[0].style = self._small
                if at < len(row):
                    self._fill(cell.paragraphs[0], row[at], bold=row[at].tag == "th")
        self._document.add_paragraph()

    def _fill(self, paragraph: Paragraph, element: Any, **font: bool) -> None:
        """Add the text of an element to a paragraph, with what is within it."""
        self._add_text(paragraph, element.text, font)
        for child in element:
            self._add_inline(paragraph, child, font)
            self._add_text(paragraph, child.tail, font)

    def _add_inline(self, paragraph: Paragraph, child: Any, font: dict[str, bool]) -> None:
        match child.tag:
            case "br":
                paragraph.add_run().add_break(WD_BREAK.LINE)
            case "strong":
                self._fill(paragraph, child, **{**font, "bold": True})
            case "em":
                self._fill(paragraph, child, **{**font, "italic": True})
            case "s":
                self._fill(paragraph, child, **{**font, "strike": True})
            case "code":
                paragraph.add_run(clean_text(child.text_content())).font.name = "Courier New"
            case "a" if child.get("href"):
                self._add_link(paragraph, child, font)
            case "math":
                self._changed["formula"] += 1
                written = write_latex_formula(child)  # what Word makes a formula of: Alt and =
                self._add_text(paragraph, written or read_title(child), {**font, "italic": True})
            case "svg":
                self._add_drawing(paragraph, self._drawings[find_drawing(child)], font)
            case _:
                self._fill(paragraph, child, **font)

    def _add_text(self, paragraph: Paragraph, text: str | None, font: dict[str, bool]) -> None:
        if not text:
            return
        run = paragraph.add_run(clean_text(text.replace("\n", " ")))
        if self._mirrored and any(unicodedata.bidirectional(one) in ("R", "AL") for one in text):
            font = {**font, "rtl": True, **{f"cs_{name}": font[name] for name in ("bold", "italic") if name in font}}
        for name, value in font.items():
            setattr(run.font, name, value)

    def _add_drawing(self, paragraph: Paragraph, drawing: str, font: dict[str, bool]) -> None:
        """A picture as wide as the text; a high one is scaled to leave room for what stands around it on its page."""
        if (picture := convert_drawing(drawing, "png")) is None:
            self._changed["picture"] += 1
            self._add_text(paragraph, read_drawing_title(drawing), {**font, "italic": True})
            return
        shape = paragraph.add_run().add_picture(io.BytesIO(picture))
        scale = min(_TEXT_WIDTH / shape.width, _HIGHEST * (_PAPER[1] - 2 * _MARGIN) / shape.height)
        shape.width, shape.height = Emu(int(shape.width * scale)), Emu(int(shape.height * scale))
        about: Any = shape._inline.docPr
        about.set("title", clean_text(read_drawing_title(drawing)))
        about.set("descr", clean_text(describe_drawing(drawing)))

    def _add_link(self, paragraph: Paragraph, element: Any, font: dict[str, bool]) -> None:
        address, link = element.get("href"), OxmlElement("w:hyperlink")
        written: Any = paragraph._p
        inside, before = address.startswith("#"), len(paragraph.runs)
        if inside:
            link.set(qn("w:anchor"), address[1:])
        else:
            related = paragraph.part.relate_to(clean_text(address), RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
            link.set(qn("r:id"), related)
        self._fill(paragraph, element, **{**font, "underline": not inside})
        for run in paragraph.runs[before:]:
            if inside:
                run.font.size = Pt(9)
            link.append(run._r)
        written.append(link)

    def _add_bookmark(self, paragraph: Paragraph, name: str) -> None:
        self._bookmarks += 1
        written: Any = paragraph._p
        for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
            mark = OxmlElement(tag)
            mark.set(qn("w:id"), str(self._bookmarks))
            if tag == "w:bookmarkStart":
                mark.set(qn("w:name"), name)
            written.append(mark)


def _keep_row_whole(row: _Row, *, heads: bool) -> None:
    """Let no page end within a row; a row of heads is repeated on each page."""
    properties: Any = row._tr.get_or_add_trPr()
    for name in ("w:cantSplit", "w:tblHeader") if heads else ("w:cantSplit",):
        properties.append(OxmlElement(name))
