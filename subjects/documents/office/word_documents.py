"""Reads Word documents: DOCX, and its relatives with macros and templates.

What a reader of the document sees is read: insertions are in and deletions out, notes and text boxes follow the
paragraph that they belong to, endnotes and comments are at the end. Headers, footers, tables of contents, pictures
and their descriptions are left out.
"""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from elcano.activities.passages.document import Block, BlockKind, FileSkipped, Parsed
from elcano.subjects.documents.office.block_lists import HEADING_CHARACTERS, join_lists
from elcano.subjects.documents.office.drawing_text import build_chart_blocks, read_diagram
from elcano.subjects.documents.office.gaps import GapCollector
from elcano.subjects.documents.office.properties import read_properties
from elcano.subjects.documents.office.word_drawings import (
    Chart,
    Diagram,
    EmbeddedObject,
    Float,
    choose_alternative,
)
from elcano.subjects.documents.office.word_names import RELATION, WORD, get_name, get_value, is_on
from elcano.subjects.documents.office.word_notes import Notes
from elcano.subjects.documents.office.word_numbering import ListLabel, Numbering
from elcano.subjects.documents.office.word_styles import Look, Style, Styles, has_shading
from elcano.subjects.documents.office.word_tables import CellContent, read_table_cells
from elcano.subjects.documents.office.word_text import (
    NoteReference,
    ParagraphText,
    TextReader,
    count_words,
    is_placeholder,
    parse_level,
)
from elcano.subjects.documents.tables import build_compact_table
from elcano.subjects.documents.zip_packages import Package, PartUnreadable
from elcano.text.xml_tree import Element

_MOST_NESTED: Final = 20
"""Maximum depth of tables in tables and boxes in boxes; deeper tables are read as text, deeper boxes left out."""
_MOST_JOINED: Final = 500
"""Most runs that are moved from one paragraph into the next: a chain of them would take quadratic time."""
_ENTERED: Final = frozenset({"w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag"})


def read_word(content: bytes) -> Parsed:
    """Read a Word document.

    Raises:
        FileSkipped: it is damaged, encrypted, no Word document, or would unpack to more than it should.
    """
    package = Package(content, "Word document")
    main = package.find_main_part("word/document.xml")
    document = package.parse_main(main)
    bodies = document.findall(WORD + "body")
    if not bodies:
        raise FileSkipped("it is not a readable Word document: it has no body")
    reader = WordReader(package, main, document)
    blocks = reader.read(bodies)
    if reader.has_unclosed_fields:  # a field that is never closed must not hide what follows it
        reader = WordReader(package, main, document, keep_fields=True)
        blocks = reader.read(bodies)
    title, authors = read_properties(package.parse_properties())
    return Parsed(blocks, title or reader.title, authors, gaps=reader.gaps.list_gaps())


class WordReader:
    """Reads the parts of one package."""

    def __init__(self, package: Package, main: str, document: Element, *, keep_fields: bool = False) -> None:
        self._package = package
        self._main = main
        self._relations = package.relations(main)
        self._keep_fields = keep_fields
        self.gaps = GapCollector()
        self.title = ""
        self.has_unclosed_fields = False
        self._styles = Styles(self._read_part("styles"))
        self._numbering = Numbering(self._read_part("numbering"), self._styles)
        self._notes = Notes(self._read_part, document)
        self._base = Look(shade=True) if _has_own_background(document) else Look()
        """Look of the page: white text may be seen on anything but white paper."""
        self._number = 0
        """Number of the paragraph or table in the main text, from 1."""
        self._references: list[NoteReference] = []
        self._floats: list[Float] = []
        self._at_the_end: dict[str, list[tuple[int, NoteReference]]] = {"endnote": [], "comment": []}
        """References by their kind, with the number of their paragraph."""

    def read(self, bodies: Sequence[Element]) -> list[Block]:
        """The blocks of the document, which some programs write in several bodies."""
        blocks = [block for body in bodies for block in join_lists(self._read_body(body))]
        for references in self._at_the_end.values():
            for number, reference in references:
                self._number = number
                blocks += self._read_note(reference)
        return blocks

    def _read_part(self, kind: str) -> Element | None:
        """The root of the part that has this relation to the document; None if there is none that can be read."""
        related = [one.target for one in self._relations.values() if one.kind == kind]
        usual = f"{posixpath.dirname(self._main)}/{kind}.xml"
        name = next((name for name in (*related, usual) if name in self._package), "")
        try:
            return self._package.parse(name) if name else None
        except PartUnreadable as error:
            self.gaps.add_damaged_part(kind, str(error))
            return None

    def _start_story(self) -> TextReader:
        return TextReader(self._styles, keep_fields=self._keep_fields)

    def _read_body(self, body: Element) -> Iterator[Block]:
        story = self._start_story()
        for item in self._iterate_items(body):
            self._number += 1
            if get_name(item) == "w:tbl":
                yield from self._read_table(item, story, 0)
            elif (block := self._read_paragraph(item, story, self._base)) is not None:
                yield block
            yield from self._flush(0)
        self._end_story(story)

    def _end_story(self, story: TextReader) -> None:
        self.gaps.hidden_words += story.hidden_words
        self.gaps.struck_words += story.struck_words
        self.gaps.prompt_words += story.prompt_words
        self.has_unclosed_fields |= bool(story.fields) and story.fields.has_muted

    def _iterate_items(self, container: Element) -> Iterator[Element]:
        """The paragraphs and tables in an element; not those deleted, nor the text that asks to fill in a control."""
        for child in container:
            name = get_name(child)
            if name in ("w:p", "w:tbl"):
                if not (name == "w:p" and _join_to_next(child)):
                    yield child
            elif name in _ENTERED:
                yield from self._iterate_items(child)
            elif name == "w:sdt":
                if is_placeholder(child, self._styles):
                    self.gaps.prompt_words += count_words(child)
                elif not _is_generated(child.find(WORD + "sdtPr")):
                    yield from self._iterate_items(child)
            elif name == "mc:AlternateContent" and (chosen := choose_alternative(child)) is not None:
                yield from self._iterate_items(chosen)
            elif name == "w:altChunk":
                self.gaps.add_linked_part(self._relations.get(child.get(RELATION + "id") or ""))

    def _read_paragraph(self, paragraph: Element, story: TextReader, base: Look) -> Block | None:
        properties = paragraph.find(WORD + "pPr")
        style = self._styles.get_paragraph_style(properties)
        found = self._read_text(paragraph, properties, style, story, base)
        label = self._count_label(properties, style, found)
        if not found.text or style.is_contents:
            return None
        own_level = parse_level(properties)
        level = style.outline if own_level is None else own_level
        if style.is_title:
            self.title, level = self.title or found.text, 1
        if level and len(found.text) <= HEADING_CHARACTERS:
            text = " ".join(f"{label.text} {found.text}".split()) if label and not label.is_bullet else found.text
            return Block(" ".join(text.split()), "heading", level, paragraph=self._number)
        if found.is_formula:
            return Block(found.text, "formula", paragraph=self._number)
        counts = found.sequence.lower() not in ("", "equation") and len(found.text) <= HEADING_CHARACTERS
        if style.is_caption or counts:
            return Block(_put_label(label, found.text), "caption", paragraph=self._number)
        if label is not None and label.text:
            return Block(f"{'  ' * label.level}{_put_label(label, found.text)}", "list", paragraph=self._number)
        return Block(found.text, paragraph=self._number)

    def _read_text(
        self, paragraph: Element, properties: Element | None, style: Style, story: TextReader, base: Look
    ) -> ParagraphText:
        """The text of a paragraph; its notes and text boxes wait for `_flush`."""
        look = base.inherit(style.look).inherit(self._styles.default_look)
        if has_shading(properties):
            look = look._replace(shade=True)
        found = story.read(paragraph, look)
        self._references += found.references
        self._floats += found.floats
        self.gaps.linked_documents += found.is_linked_file
        return found

    def _count_label(self, properties: Element | None, style: Style, found: ParagraphText) -> ListLabel | None:
        """Return the label in front of a paragraph, and count it."""
        marks = None if properties is None else properties.find(WORD + "rPr")
        if not found.text and (is_on(marks, "vanish") or get_value(marks, "del") is not None):
            return None
        own = None if properties is None else properties.find(WORD + "numPr")
        number = get_value(own, "numId") if own is not None else None
        number = style.number if number is None else number
        if not number or number == "0":
            return None
        level = get_value(own, "ilvl")
        if level is None:
            key = get_value(properties, "pStyle") or ""
            place = self._numbering.find_style_level(number, key)
            return self._numbering.count_paragraph(number, style.number_level if place is None else place)
        return self._numbering.count_paragraph(number, int(level) if level.isdecimal() and len(level) == 1 else 0)

    def _read_table(self, table: Element, story: TextReader, depth: int) -> Iterator[Block]:
        """A table, and the tables in its cells after it. A single cell only frames what is in it."""
        if depth > _MOST_NESTED:
            texts = (story.read(one, Look(shade=True)).text for one in table.iter(WORD + "p"))
            yield Block("\n".join(filter(None, texts)), paragraph=self._number)
            return
        nested: list[Element] = []

        def read_cell(cell: Element, is_dark: bool) -> CellContent:
            base = Look(shade=True) if is_dark else self._base
            texts: list[str] = []
            bold: list[bool] = []
            for item in self._iterate_items(cell):
                if get_name(item) == "w:tbl":
                    nested.append(item)
                    continue
                properties = item.find(WORD + "pPr")
                style = self._styles.get_paragraph_style(properties)
                found = self._read_text(item, properties, style, story, base)
                label = self._count_label(properties, style, found)
                if found.text:
                    texts.append(_put_label(label, found.text))
                    bold.append(found.is_bold or bool(style.look.bold))
            return CellContent(" ".join(" ".join(texts).split()), bool(bold) and all(bold))

        cells = read_table_cells(table, self._styles, read_cell)
        block = build_compact_table(cells, paragraph=self._number)
        if block is not None:
            yield block if len(cells) > 1 else Block(block.text, paragraph=self._number)
        for one in nested:
            yield from self._read_table(one, story, depth + 1)

    def _flush(self, depth: int) -> Iterator[Block]:
        """Write what is attached to the paragraphs read last: text boxes and drawings, then footnotes."""
        floats, self._floats = self._floats, []
        for one in floats:
            yield from self._read_float(one, depth)
        references, self._references = self._references, []
        for reference in references:
            numbered = self._notes.number_reference(reference)
            if reference.kind == "footnote":
                yield from self._read_note(numbered)
            else:
                self._at_the_end[reference.kind].append((self._number, numbered))

    def _read_float(self, one: Float, depth: int) -> Iterator[Block]:
        if isinstance(one, EmbeddedObject):
            self.gaps.add_object(one.program)
        elif isinstance(one, str):
            yield Block(one, paragraph=self._number)
        elif isinstance(one, (Chart, Diagram)):
            yield from self._read_drawn_part(one)
        elif depth > _MOST_NESTED:
            self.gaps.too_deep += 1
        else:
            yield from self._read_box(one, depth)

    def _read_box(self, box: Element, depth: int) -> Iterator[Block]:
        """A text box; its text may be white on the box's own colour."""
        story = self._start_story()
        for item in self._iterate_items(box):
            if get_name(item) == "w:tbl":
                yield from self._read_table(item, story, depth)
            elif (block := self._read_paragraph(item, story, Look(shade=True))) is not None:
                yield block
        self._end_story(story)
        yield from self._flush(depth + 1)

    def _read_drawn_part(self, one: Chart | Diagram) -> Iterator[Block]:
        related = self._relations.get(one.relation)
        if related is None or not related.target:
            return
        try:
            root = self._package.parse(related.target)
        except PartUnreadable as error:
            self.gaps.add_damaged_part("charts", str(error))
            return
        if isinstance(one, Chart):
            yield from build_chart_blocks(root, paragraph=self._number)
        elif text := "\n".join(one.text for one in read_diagram(root)):
            yield Block(text, paragraph=self._number)

    def _read_note(self, reference: NoteReference) -> Iterator[Block]:
        """A note or comment as one block, with its mark in front; tables and boxes in it follow."""
        element = self._notes.find(reference)
        if element is None:
            return
        story = self._start_story()
        lines: list[str] = []
        tables: list[Block] = []
        for item in self._iterate_items(element):
            if get_name(item) == "w:tbl":
                tables += self._read_table(item, story, 0)
            elif (block := self._read_paragraph(item, story, self._base)) is not None:
                lines.append(block.text.strip())
        self._end_story(story)
        self._references = []  # notes have none of their own
        floats, self._floats = self._floats, []
        if lines:
            text = "\n".join(lines)
            mark = "" if reference.kind == "comment" or not reference.mark else f"[{reference.mark}] "
            kind: BlockKind = "comment" if reference.kind == "comment" else "note"
            yield Block(f"{mark}{text.removeprefix(reference.mark).strip()}", kind, paragraph=self._number)
        yield from tables
        for one in floats:
            yield from self._read_float(one, _MOST_NESTED)


def _put_label(label: ListLabel | None, text: str) -> str:
    return f"{label.text} {text}" if label is not None and label.text else text


def _is_generated(properties: Element | None) -> bool:
    """Whether a control holds a table of contents, or what is printed behind the text."""
    gallery = get_value(None if properties is None else properties.find(WORD + "docPartObj"), "docPartGallery")
    return gallery in ("Table of Contents", "Watermarks")


def _join_to_next(paragraph: Element) -> bool:
    """Move the runs of a paragraph into the next one if a reader sees both as one; whether that was done.

    That is so where the mark between them is deleted, and with the large letter that opens a chapter.
    """
    properties = paragraph.find(WORD + "pPr")
    if properties is None or len(paragraph) > _MOST_JOINED:
        return False
    is_deleted = get_value(properties.find(WORD + "rPr"), "del") is not None
    following = paragraph.getnext()
    if following is None or get_name(following) != "w:p":
        return False
    if not is_deleted and get_value(properties, "framePr", "dropCap") not in ("drop", "margin"):
        return False
    place = 1 if following.find(WORD + "pPr") is not None else 0
    for child in [one for one in reversed(paragraph) if one is not properties]:
        following.insert(place, child)
    return True


def _has_own_background(document: Element) -> bool:
    """Whether text may be on something else than white paper: a coloured page, or a picture behind the text."""
    background = document.find(WORD + "background")
    if background is not None and (background.get(WORD + "color") or "auto").upper() not in ("FFFFFF", "AUTO"):
        return True
    return any(get_name(one) == "wp:anchor" and one.get("behindDoc") in ("1", "true") for one in document.iter())
