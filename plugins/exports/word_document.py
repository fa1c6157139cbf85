"""A report as a Word document, made of its page of HTML, so that both say the same.

Headings, lists, tables and links are real ones; the number of a reference leads to its entry, and the entry to its
address. What Word has no form for is written as text, and what is left out is named at the end.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import docx
from docx.document import Document
from docx.enum.text import WD_BREAK
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from docx.text.paragraph import Paragraph
from lxml import html

from elcano.api.reports.page import render_report_page
from elcano.graphs.report.report import Report

RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may have."""
_HEADINGS: Final = {"h1": 0, "h2": 1, "h3": 2}
_BLOCKS: Final = frozenset({"ul", "ol", "p", "table", "pre", "blockquote", "details", "div"})
_LEFT_OUT: Final = {"svg": "picture", "math": "formula"}
_DEEPEST_LIST: Final = 3
"""Levels of lists that Word has styles for."""


def write_word_document(report: Report) -> bytes:
    """The document's file."""
    return _Writer(report).write()


class _Writer:
    def __init__(self, report: Report) -> None:
        self._report = report
        self._document: Document = docx.Document()
        self._changed: Counter[str] = Counter()
        """What was not taken over as it is, by what it is."""
        self._bookmarks = 0
        self._mirrored = report.language.partition("-")[0] in RIGHT_TO_LEFT

    def write(self) -> bytes:
        about = self._document.core_properties
        about.title, about.author = _clean(self._report.title)[:255], "Elcano"
        about.subject = _clean(self._report.question)[:255]
        about.language, about.comments = self._report.language, f"Run {self._report.run_id}"
        page: Any = html.fromstring(render_report_page(self._report))
        for element in page.find("body/main"):
            self._add_block(element, "", 0)
        for kind, count in sorted(self._changed.items()):
            many = f"{count} {kind}s are" if count > 1 else f"One {kind} is"
            where = "as text here" if kind == "formula" else "left out here"
            self._add_paragraph().add_run(f"{many} {where}; the report as HTML has them drawn.").italic = True
        file = io.BytesIO()
        self._document.save(file)
        return file.getvalue()

    def _add_paragraph(self, style: str | None = None) -> Paragraph:
        paragraph = self._document.add_paragraph(style=style)
        if self._mirrored:
            properties: Any = paragraph._p.get_or_add_pPr()
            properties.append(OxmlElement("w:bidi"))
        return paragraph

    def _add_block(self, element: Any, style: str, level: int) -> None:
        """One block, in the style of what it stands in; `level` counts the lists around it."""
        tag = element.tag
        if tag in _HEADINGS:
            self._fill(self._add_paragraph("Title" if tag == "h1" else f"Heading {_HEADINGS[tag]}"), element)
        elif tag in ("ul", "ol"):
            self._add_list(element, level)
        elif tag == "table":
            self._add_table(element)
        elif tag == "pre":
            self._add_paragraph().add_run(_clean(element.text_content().rstrip("\n"))).font.name = "Courier New"
        elif tag == "hr":
            self._add_paragraph().add_run("* * *")
        elif tag in ("blockquote", "details", "div"):
            inner = "Quote" if tag == "blockquote" else style
            for child in _list_blocks(element):
                self._add_block(child, inner, level)
        else:
            self._fill(self._add_paragraph(style or None), element)

    def _add_list(self, element: Any, level: int) -> None:
        depth = min(level + 1, _DEEPEST_LIST)
        name = "List Bullet" if element.tag == "ul" else "List"
        style = name if depth == 1 else f"{name} {depth}"
        number = int(element.get("start", "1"))
        for item in element.iterchildren("li"):
            paragraph = self._add_paragraph(style)
            if element.tag == "ol":  # written out: a number of Word's own would be another one after a change
                paragraph.add_run(f"{number}.\t")
                number += 1
            if (anchor := item.get("id")) is not None:
                self._add_bookmark(paragraph, anchor)
            first = True
            for child in _list_blocks(item):
                if first and child.tag not in _BLOCKS - {"p"}:
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
        for written, row in zip(table.rows, rows, strict=True):
            for cell, given in zip(written.cells, row, strict=False):
                self._fill(cell.paragraphs[0], given, bold=given.tag == "th")
        self._add_paragraph()

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
                paragraph.add_run(_clean(child.text_content())).font.name = "Courier New"
            case "a" if child.get("href"):
                self._add_link(paragraph, child)
            case "math" | "svg" as tag:
                self._changed[_LEFT_OUT[tag]] += 1
                self._add_text(paragraph, _read_title(child), {**font, "italic": True})
            case _:
                self._fill(paragraph, child, **font)

    def _add_text(self, paragraph: Paragraph, text: str | None, font: dict[str, bool]) -> None:
        if not text:
            return
        run = paragraph.add_run(_clean(text.replace("\n", " ")))
        for name, value in font.items():
            setattr(run.font, name, value)

    def _add_link(self, paragraph: Paragraph, element: Any) -> None:
        address, link = element.get("href"), OxmlElement("w:hyperlink")
        written: Any = paragraph._p
        if address.startswith("#"):
            link.set(qn("w:anchor"), address[1:])
        else:
            related = paragraph.part.relate_to(_clean(address), RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
            link.set(qn("r:id"), related)
        run = paragraph.add_run(_clean(element.text_content()))
        run.font.underline = not address.startswith("#")
        if address.startswith("#"):
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


def _list_blocks(element: Any) -> Iterator[Any]:
    """The blocks within an element; text that stands in it without one is a paragraph."""
    loose = html.Element("p")
    loose.text = element.text
    for child in element:
        if child.tag in _BLOCKS or child.tag in _HEADINGS or child.tag == "hr":
            if _has_content(loose):
                yield _without_last_space(loose)
            tail, child.tail = child.tail, None
            yield child
            loose = html.Element("p")
            loose.text = tail
        else:
            loose.append(child)
    if _has_content(loose):
        yield _without_last_space(loose)


def _without_last_space(element: Any) -> Any:
    """The element without the space between its text and the block that follows."""
    if len(element):
        element[-1].tail = (element[-1].tail or "").rstrip()
    else:
        element.text = element.text.rstrip()
    return element


def _has_content(element: Any) -> bool:
    return bool(len(element) or (element.text or "").strip())


def _read_title(element: Any) -> str:
    """What stands for a picture, or a formula, as text."""
    title = element.find(".//title")
    return " ".join((element if title is None else title).text_content().split())


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
