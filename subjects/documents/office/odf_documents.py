"""Reads OpenDocument texts: ODT, its templates, and FODT, which is one file of XML.

As in Word documents, what a reader of the document sees is read: deletions are out, notes and text boxes follow their
paragraph, endnotes and comments are at the end. Headers, footers, tables of contents and pictures are left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from elcano.activities.passages.document import Block, BlockKind, FileSkipped, Parsed
from elcano.subjects.documents.office.block_lists import HEADING_CHARACTERS, join_lists
from elcano.subjects.documents.office.gaps import GapCollector
from elcano.subjects.documents.office.odf_names import get_odf_name, get_odf_value, make_odf_name
from elcano.subjects.documents.office.odf_styles import OdfCounters, OdfStyles
from elcano.subjects.documents.office.odf_tables import read_odf_cells
from elcano.subjects.documents.office.odf_text import OdfText, OdfTextReader
from elcano.subjects.documents.office.properties import read_properties
from elcano.subjects.documents.office.word_names import parse_number
from elcano.subjects.documents.office.word_styles import Look
from elcano.subjects.documents.tables import build_compact_table
from elcano.subjects.documents.zip_packages import Package, require_open
from elcano.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, parse_xml

_MOST_NESTED: Final = 20
"""Maximum depth of tables in tables, boxes in boxes and lists in lists."""
_LEFT_OUT: Final = frozenset(
    {
        *(
            "text:tracked-changes",
            "text:table-of-content",
            "text:illustration-index",
            "text:table-index",
            "office:forms",
        ),
        *(
            "text:object-index",
            "text:user-index",
            "text:sequence-decls",
            "text:variable-decls",
            "text:user-field-decls",
        ),
        *(
            "svg:title",
            "svg:desc",
            "office:event-listeners",
            "draw:image",
            "table:table-source",
            "text:index-title-template",
        ),
    }
)
_CAPTION_STYLES: Final = frozenset({"caption", "illustration", "table", "figure", "drawing", "text"})
_NAMED_KINDS: Final[dict[str, BlockKind]] = {"preformatted text": "code", "preformatted_20_text": "code"}


def read_odf(content: bytes) -> Parsed:
    """Read an OpenDocument text.

    Raises:
        FileSkipped: it is damaged, encrypted, no text, or would unpack to more than it should.
    """
    is_flat = content[:300].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    package = None if is_flat else Package(content, "OpenDocument text")
    roots = [_parse_flat(content)] if package is None else list(read_odf_parts(package))
    text = roots[0].find(f"{make_odf_name('office:body')}/{make_odf_name('office:text')}")
    if text is None:
        raise FileSkipped("it is not a readable OpenDocument text: it has no text in its body")
    reader = OdfReader(roots, package)
    blocks = reader.read(text)
    metadata = (one for root in roots for one in root.iter(make_odf_name("office:meta")))
    title, authors = read_properties(next(metadata, None))
    return Parsed(blocks, title or reader.title, authors, gaps=reader.gaps.list_gaps())


def _parse_flat(content: bytes) -> Element:
    try:
        return parse_xml(content)
    except (XmlUnreadable, EntitiesDeclared) as error:
        raise FileSkipped("it is not a readable OpenDocument text: it is no XML that may be read") from error


def read_odf_parts(package: Package) -> Iterator[Element]:
    """The roots of the content, the styles and the metadata of a document, as far as there are any.

    Raises:
        FileSkipped: it is encrypted, or has no content that can be read.
    """
    require_open(package)
    yield package.parse_main("content.xml")
    for name in ("styles.xml", "meta.xml"):
        if (root := package.parse_if_sound(name)) is not None:
            yield root


def _list_form_controls(root: Element) -> Iterator[tuple[str, str]]:
    """List the text of form controls, by their ids: a box to tick with its label, or what is filled in."""
    for form in root.iter(make_odf_name("form:form")):
        for one in form:
            shown = get_odf_value(one, "form:current-value") or get_odf_value(one, "form:value")
            if get_odf_name(one) in ("form:checkbox", "form:radio"):
                state = get_odf_value(one, "form:current-state") or get_odf_value(one, "form:state")
                selected = state == "checked" or get_odf_value(one, "form:current-selected") == "true"
                shown = "☒" if selected else "☐"
            text = f"{shown} {get_odf_value(one, 'form:label')}".strip()
            yield get_odf_value(one, "form:id") or get_odf_value(one, "xml:id"), " ".join(text.split())


class OdfReader:
    """Reads the body of one document."""

    def __init__(self, roots: Sequence[Element], package: Package | None) -> None:
        self._package = package
        self.gaps = GapCollector()
        self.title = ""
        self._styles = OdfStyles(roots)
        self._text = OdfTextReader(self._styles, self._find_formula)
        self._headings = OdfCounters()
        self._lists: dict[str, OdfCounters] = {}
        """The counters of lists by their ids, and of the last list of each style."""
        self._number = 0
        self._end_notes: list[tuple[int, Element]] = []
        self._comments: list[tuple[int, Element]] = []
        self._waiting = OdfText()
        self._controls = dict(_list_form_controls(roots[0]))

    def read(self, items: Iterable[Element]) -> list[Block]:
        """The blocks of the body of a document, or of shapes of a slide."""
        blocks = list(join_lists(self._read_items(items, Look(), 0)))
        for number, note in self._end_notes:
            self._number = number
            blocks += self._read_note(note)
        for number, annotation in self._comments:
            self._number = number
            blocks += self._read_gathered(annotation, "comment", "")
        self._end_notes, self._comments = [], []
        self.gaps.hidden_words = self._text.hidden_words
        self.gaps.struck_words = self._text.struck_words
        return blocks

    def _read_items(self, container: Iterable[Element], base: Look, depth: int) -> Iterator[Block]:
        """The blocks in a body, section, box or note."""
        if depth > _MOST_NESTED * 3:  # sections and lists count too
            self.gaps.too_deep += 1
            return
        for child in container:
            name = get_odf_name(child)
            if name in ("text:p", "text:h"):
                self._number += depth == 0
                yield from self._read_paragraph(child, name, base, "", 0)
                yield from self._flush(depth)
            elif name == "text:list":
                yield from self._read_list(child, base, depth, None, 0, "")
            elif name == "table:table":
                self._number += depth == 0
                yield from self._read_table(child, base, depth)
                yield from self._flush(depth)
            elif name == "text:section" and get_odf_value(child, "text:display") == "none":
                self._text.hidden_words += len("".join(map(str, child.itertext())).split())
            elif name.startswith("draw:"):
                yield from self._read_shape(child, depth)
            elif name == "office:annotation":
                self._comments.append((self._number, child))
            elif name not in _LEFT_OUT:
                yield from self._read_items(child, base, depth + (depth > 0))

    def _read_paragraph(self, element: Element, name: str, base: Look, label: str, level: int) -> Iterator[Block]:
        found = self._text.read(element, base)
        self._waiting.notes += found.notes
        self._waiting.annotations += found.annotations
        self._waiting.shapes += found.shapes
        style = self._styles.get_style("paragraph", get_odf_value(element, "text:style-name"))
        outline = parse_number(get_odf_value(element, "text:outline-level"), 1) if name == "text:h" else 0
        if outline and not label and get_odf_value(element, "text:is-list-header") != "true":
            start = get_odf_value(element, "text:start-value")
            label = self._headings.count_item(self._styles.outline, outline - 1, start)
        if not found.text:
            return
        text = f"{label} {found.text}" if label else found.text
        own = style.name.lower().replace("_20_", " ")
        if own == "title":
            self.title, outline = self.title or found.text, 1
        if outline and len(text) <= HEADING_CHARACTERS:
            yield Block(" ".join(text.split()), "heading", min(outline, 10), paragraph=self._number)
        elif found.is_formula:
            yield Block(text, "formula", paragraph=self._number)
        elif own in _CAPTION_STYLES or found.has_sequence:
            yield Block(text, "caption", paragraph=self._number)
        elif label:
            yield Block(f"{'  ' * level}{text}", "list", paragraph=self._number)
        else:
            yield Block(text, _NAMED_KINDS.get(own, "text"), paragraph=self._number)

    def _read_list(
        self, element: Element, base: Look, depth: int, counters: OdfCounters | None, level: int, inherited: str
    ) -> Iterator[Block]:
        if level > _MOST_NESTED:
            self.gaps.too_deep += 1
            return
        style = get_odf_value(element, "text:style-name") or inherited or self._find_list_style(element)
        levels = self._styles.get_levels(style)
        if counters is None:
            counters = self._start_list(element, style)
        for item in element:
            if get_odf_name(item) not in ("text:list-item", "text:list-header"):
                continue
            start = get_odf_value(item, "text:start-value")
            is_labelled = get_odf_name(item) == "text:list-item"
            for child in item:
                name = get_odf_name(child)
                if name == "text:list":
                    yield from self._read_list(child, base, depth, counters, level + 1, style)
                elif name in ("text:p", "text:h"):
                    self._number += depth == 0
                    label = counters.count_item(levels, level, start) if is_labelled else ""
                    is_labelled = False  # the paragraphs of an item share its number
                    yield from self._read_paragraph(child, name, base, label, level)
                    yield from self._flush(depth)

    def _find_list_style(self, element: Element) -> str:
        """The list style of the paragraphs of a list that names none."""
        first = next(element.iter(make_odf_name("text:p")), None)
        style = "" if first is None else get_odf_value(first, "text:style-name")
        return self._styles.get_style("paragraph", style).list_style

    def _start_list(self, element: Element, style: str) -> OdfCounters:
        """The counters of a list, which may go on with those of another one."""
        continued = get_odf_value(element, "text:continue-list")
        counters = self._lists.get(f"#{continued}") if continued else None
        if counters is None and get_odf_value(element, "text:continue-numbering") == "true":
            counters = self._lists.get(style)
        if counters is None:
            counters = OdfCounters()
        self._lists[style] = self._lists[f"#{get_odf_value(element, 'xml:id')}"] = counters
        return counters

    def _read_table(self, table: Element, base: Look, depth: int) -> Iterator[Block]:
        if depth > _MOST_NESTED:
            self.gaps.too_deep += 1
            return
        nested: list[Block] = []

        def read_cell(cell: Element) -> str:
            style = self._styles.get_style("table-cell", get_odf_value(cell, "table:style-name"))
            look = Look(shade=True) if style.is_painted else base
            texts: list[str] = []
            for block in self._read_items(cell, look, depth + 1):
                if block.kind == "table" or block.kind in ("note", "comment"):
                    nested.append(block)
                else:
                    texts.append(block.text)
            return " ".join(" ".join(texts).split())

        cells = read_odf_cells(table, read_cell)
        block = build_compact_table(cells, paragraph=self._number)
        if block is not None:
            yield block if len(cells) > 1 else Block(block.text, paragraph=self._number)
        yield from nested

    def _flush(self, depth: int) -> Iterator[Block]:
        """Write what is attached to the paragraphs read last: boxes and drawings, then footnotes."""
        waiting, self._waiting = self._waiting, OdfText()
        for shape in waiting.shapes:
            yield from self._read_shape(shape, depth + 1)
        for note in waiting.notes:
            if get_odf_value(note, "text:note-class") == "endnote":
                self._end_notes.append((self._number, note))
            else:
                yield from self._read_note(note)
        self._comments += ((self._number, one) for one in waiting.annotations)

    def _read_note(self, note: Element) -> Iterator[Block]:
        citation = note.find(make_odf_name("text:note-citation"))
        mark = "" if citation is None else (get_odf_value(citation, "text:label") or citation.text or "").strip()
        body = note.find(make_odf_name("text:note-body"))
        if body is not None:
            yield from self._read_gathered(body, "note", mark)

    def _read_gathered(self, container: Element, kind: BlockKind, mark: str) -> Iterator[Block]:
        """A note or comment as one block; tables in it follow."""
        blocks = [
            block for block in self._read_items(container, Look(), 1) if not (kind == "comment" and not block.text)
        ]
        text = "\n".join(block.text.strip() for block in blocks if block.kind != "table")
        if text:
            yield Block(f"[{mark}] {text}" if mark else text, kind, paragraph=self._number)
        yield from (block for block in blocks if block.kind == "table")

    def _read_shape(self, shape: Element, depth: int) -> Iterator[Block]:
        """The text in a box or drawing; it may be white on the box's own colour."""
        if depth > _MOST_NESTED:
            self.gaps.too_deep += 1
            return
        if label := self._controls.get(get_odf_value(shape, "draw:control")):
            yield Block(label, paragraph=self._number)
            return
        formula = self._find_formula(shape)
        if formula is not None:
            found = self._text.read(shape, Look())
            yield from [Block(found.text, "formula", paragraph=self._number)] if found.text else []
            return
        for one in shape.iter(make_odf_name("draw:object"), make_odf_name("draw:object-ole")):
            yield from self._read_object(one)
            return
        yield from self._read_items(shape, Look(shade=True), depth + 1)

    def _find_formula(self, shape: Element) -> Element | None:
        """The formula that a frame holds; None if it holds something else."""
        if get_odf_name(shape) == "math:math":
            return shape
        found = shape.find(make_odf_name("draw:object"))
        if found is None or get_odf_name(shape) != "draw:frame":
            return None
        root = self._read_embedded(found)
        return root if root is not None and get_odf_name(root) == "math:math" else None

    def _read_embedded(self, element: Element) -> Element | None:
        """The root of an object, which is in the element itself or in a folder of its own."""
        if len(element):
            return element[0]
        target = get_odf_value(element, "xlink:href").removeprefix("./").strip("/")
        return self._package.parse_if_sound(f"{target}/content.xml") if self._package is not None and target else None

    def _read_object(self, element: Element) -> Iterator[Block]:
        root = self._read_embedded(element) if get_odf_name(element) == "draw:object" else None
        chart = None if root is None else next(root.iter(make_odf_name("chart:chart")), None)
        if chart is None:
            self.gaps.add_object("a chart or sheet" if root is not None else "OLE")
            return
        titles = [
            " ".join("".join(map(str, one.itertext())).split()) for one in chart if get_odf_name(one) == "chart:title"
        ]
        if any(titles):
            yield Block(". ".join(titles), "caption", paragraph=self._number)
        table = chart.find(make_odf_name("table:table"))
        if table is not None:
            yield from self._read_table(table, Look(), 1)
