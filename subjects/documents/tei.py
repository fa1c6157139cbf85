"""Texts in TEI: articles as GROBID makes them of PDFs, editions, plays, letters.

What the text is made of is read; what its encoders say of the source, such as breaks of pages and lines and running
heads, is not. Of two readings, the one that the source has is read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from elcano.activities.passages.document import Block, FileSkipped, Parsed
from elcano.graphs.report.works import parse_doi
from elcano.subjects.documents.article_stream import ArticleStream, read_article
from elcano.subjects.documents.article_text import (
    XML_ID,
    ArticleText,
    join_lines,
    parse_span,
    write_text,
)
from elcano.subjects.documents.authorship import MOST_AUTHORS, parse_year
from elcano.subjects.documents.tables import TableCell, build_table, place_spans
from elcano.subjects.documents.tei_elements import BLOCKS, REFERENCE_RULES, RULES, list_items
from elcano.text.xml_tree import Element, get_local_name

_ROOTS: Final = ("TEI", "TEI.2", "tei", "teiCorpus")
_OPEN: Final = frozenset({*_ROOTS, "text", "group", "front", "body", "back"})
"""Elements that are read before their end is known."""
_CONTAINERS: Final = frozenset(
    {"text", "front", "body", "back", "group", "div", "div1", "div2", "div3", "div4", "div5", "div6", "div7",
     "floatingText", "lg", "epigraph", "cit", "titlePage", "docTitle", "castList", "castGroup", "opener", "closer"}
)  # fmt: skip


def read_tei(content: bytes) -> Parsed:
    """Read a text; of a corpus, all of its texts.

    Raises:
        FileSkipped: it is no TEI, or has no text.
    """
    return read_article(content, _ROOTS, _OPEN, (), _read_stream)


def _read_stream(stream: ArticleStream) -> Parsed:
    reader = _Reader(stream)
    reader.read_texts(stream.root)
    if not reader.text.blocks:
        raise FileSkipped("there is no text in it: it only has a header")
    return replace(reader.record or Parsed([]), blocks=reader.text.blocks)


def _read_record(header: Element) -> Parsed:
    source = next(header.iter("{*}biblStruct"), None)
    main = source if source is not None and source.find("{*}analytic") is not None else header
    authors = tuple(dict.fromkeys(_list_authors(main)))[:MOST_AUTHORS]
    doi = next((one.text or "" for one in header.iter("{*}idno") if (one.get("type") or "").upper() == "DOI"), "")
    return Parsed([], _read_title(header), authors, _read_year(header), doi=parse_doi(doi) or "")


def _read_title(header: Element) -> str:
    titles = header.findall("{*}fileDesc/{*}titleStmt/{*}title")
    main = [one for one in titles if one.get("type") in (None, "main")] or titles
    return join_lines(write_text(main[0], RULES)).replace("\n", " ") if main else ""


def _list_authors(element: Element) -> Iterator[str]:
    for author in element.iter("{*}author"):
        name = next(author.iter("{*}persName"), author)
        family = " ".join(one.text or "" for one in name.iter("{*}surname"))
        given = " ".join(one.text or "" for one in name.iter("{*}forename"))
        text = f"{family}, {given}" if family and given else join_lines(write_text(name, RULES))
        if plain := " ".join(text.split()):
            yield plain


def _read_year(header: Element) -> int:
    """The year of the source, else that of its publication; not that of the file."""
    places = ("{*}fileDesc/{*}sourceDesc", "{*}fileDesc/{*}publicationStmt")
    for place in places:
        for date in (one for part in header.iterfind(place) for one in part.iter("{*}date")):
            if year := parse_year(date.get("when") or date.text or ""):
                return year
    return 0


class _Reader:
    """Turns the elements of a text into blocks."""

    def __init__(self, stream: ArticleStream) -> None:
        self.text = ArticleText(RULES)
        self.record: Parsed | None = None
        self._stream = stream
        self._handlers: Mapping[str, Callable[[Element, int], None]] = {
            **dict.fromkeys(_CONTAINERS, self._read_container),
            "head": self._read_head,
            "p": self._read_paragraph,
            "ab": self._read_paragraph,
            "quote": self._read_paragraph,
            "l": self._read_line,
            "sp": self._read_speech,
            "list": self._read_list,
            "table": self._read_table,
            "figure": self._read_figure,
            "formula": self._read_formula,
            "note": self._read_note,
            "listBibl": self._read_references,
        }

    def read_texts(self, element: Element) -> None:
        """Read the text of a document, with what its header says, or all texts of a corpus."""
        for one in self._stream.list_children(element):
            name = get_local_name(one)
            if name in _ROOTS:
                self.read_texts(one)
            elif name == "text":
                self.read_children(one, 1)
            elif name == "teiHeader" and self.record is None:
                self.record = _read_record(one)
                if (abstract := next(one.iter("{*}abstract"), None)) is not None:
                    self.text.add("Abstract" if "".join(abstract.itertext()).strip() else "", "heading", 1)
                    self.read_children(abstract, 1)

    def read_children(self, element: Element, level: int, left_out: str = "") -> None:
        """Read the children of an element, each in its own way, except those of one name, and text between."""
        notes: list[Element] = []
        for one in self.text.list_blocks(element, self._stream.list_children(element)):
            if get_local_name(one) == "note" and any(map(str.strip, self.text.pending)):
                notes.append(one)  # read when the paragraph that it is in has ended
                continue
            self._add_notes(notes, level)
            if get_local_name(one) != left_out:
                self._read_one(one, level)
        self._add_notes(notes, level)

    def _add_notes(self, notes: list[Element], level: int) -> None:
        for note in notes:
            self._read_note(note, level)
        notes.clear()

    def _read_one(self, element: Element, level: int) -> None:
        name = get_local_name(element)
        if name not in ("l", "lg"):
            self.text.flush()
        if handler := self._handlers.get(name):
            handler(element, level)
        elif any(get_local_name(one) in BLOCKS for one in element):
            self.read_children(element, level)
        elif name not in RULES.left_out:
            self.text.add(write_text(element, RULES))

    def _read_container(self, element: Element, level: int) -> None:
        self.text.anchor = element.get(XML_ID) or self.text.anchor
        if get_local_name(element) in ("opener", "closer") and _has_bare_text(element):
            self._read_paragraph(element, level)
            return
        is_section = get_local_name(element).startswith("div") and element.find("{*}head") is not None
        self.read_children(element, level + is_section)

    def _read_head(self, element: Element, level: int) -> None:
        number = element.get("n", "")
        text = join_lines(write_text(element, RULES)).replace("\n", " ")
        named = text if text.startswith(number) else f"{number} {text}"
        self.text.add(named, "heading", max(level - 1, 1))
        self._read_notes(element, level)

    def _read_paragraph(self, element: Element, level: int) -> None:
        """A paragraph, and what is in it that is a block of its own."""
        self.text.pending = list(filter(None, (element.text,)))
        for one in element:
            if get_local_name(one) in BLOCKS and get_local_name(one) != "note" and not _is_inline(one):
                self.text.flush()
                self._read_one(one, level)
                self.text.pending += filter(None, (one.tail,))
            else:
                self.text.write(one)
        self.text.flush()
        self._read_notes(element, level)

    def _read_notes(self, element: Element, level: int) -> None:
        for note in element.iterdescendants("{*}note"):
            self._read_note(note, level)

    def _read_line(self, element: Element, level: int) -> None:
        self.text.pending.append(f"\x1e{join_lines(write_text(element, RULES))}\x1e")
        self._read_later_notes(element)

    def _read_later_notes(self, element: Element) -> None:
        notes = list(element.iterdescendants("{*}note"))
        if notes:
            self.text.flush()
            for note in notes:
                self._read_note(note, 1)

    def _read_speech(self, element: Element, level: int) -> None:
        speaker = element.find("{*}speaker")
        name = join_lines(write_text(speaker, RULES)) if speaker is not None else ""
        before = len(self.text.blocks)
        self.read_children(element, level, "speaker")
        if name and len(self.text.blocks) > before:
            first = self.text.blocks[before]
            mark = "" if first.text.startswith((",", ".")) else ": "  # stage directions bring their own
            self.text.blocks[before] = Block(f"{name}{mark}{first.text}", first.kind, first.level, anchor=first.anchor)

    def _read_list(self, element: Element, level: int) -> None:
        head = element.find("{*}head")
        self.text.add(write_text(head, RULES) if head is not None else "")
        ordered = "ordered" in f"{element.get('type', '')} {element.get('rend', '')}"
        lines = list(list_items(element, ordered))
        self.text.blocks += [Block("\n".join(lines), "list", anchor=self.text.anchor)] if lines else []

    def _read_table(self, element: Element, level: int) -> None:
        head = element.find("{*}head")
        self.text.add(write_text(head, RULES) if head is not None else "", "caption")
        rows = (
            [
                TableCell(
                    join_lines(write_text(cell, RULES)).replace("\n", " "),
                    rows=parse_span(cell.get("rows")),
                    columns=parse_span(cell.get("cols")),
                    head="label" in (cell.get("role"), row.get("role")),
                )
                for cell in row.iterchildren("{*}cell")
            ]
            for row in element.iter("{*}row")
        )
        table = build_table(place_spans(rows), anchor=self.text.anchor)
        if table.cells:
            self.text.blocks.append(table)

    def _read_figure(self, element: Element, level: int) -> None:
        self.text.anchor = element.get(XML_ID) or self.text.anchor
        parts = [
            join_lines(write_text(one, RULES))
            for name in ("head", "figDesc")
            for one in element.iterfind(f"{{*}}{name}")
        ]
        self.text.add(" ".join(filter(None, parts)), "caption")
        for one in element:
            if get_local_name(one) not in ("head", "label", "figDesc", "graphic"):
                self._read_one(one, level)

    def _read_formula(self, element: Element, level: int) -> None:
        label = element.findtext("{*}label") or ""
        self.text.add(f"{write_text(element, RULES, ('label',))} {label}", "formula")

    def _read_note(self, element: Element, level: int) -> None:
        self.text.add(f"{element.get('n', '')} {write_text(element, RULES)}", "note")

    def _read_references(self, element: Element, level: int) -> None:
        self.text.add("References" if element.find("{*}head") is None else "", "heading", 1)
        for one in element:
            self.text.anchor = one.get(XML_ID) or self.text.anchor
            if get_local_name(one) == "biblStruct":
                self.text.add(_write_reference(one), "note")
            else:
                is_head = get_local_name(one) == "head"
                self.text.add(write_text(one, REFERENCE_RULES), "heading" if is_head else "note", 1)


def _has_bare_text(element: Element) -> bool:
    return any(text and not text.isspace() for text in (element.text, *(one.tail for one in element)))


def _is_inline(element: Element) -> bool:
    """Whether a formula or a quotation is within a sentence."""
    name = get_local_name(element)
    return name in ("formula", "quote") and not any(get_local_name(one) in BLOCKS for one in element)


def _write_reference(element: Element) -> str:
    """A reference by its parts, in the usual order."""
    names = [" ".join(reversed(one.split(", ", 1))) for one in _list_authors(element)]
    titles = list(dict.fromkeys(filter(None, (join_lines(write_text(one, RULES)) for one in element.iter("{*}title")))))
    date = next(element.iter("{*}date"), None)
    year = parse_year((date.get("when") or date.text or "") if date is not None else "")
    scopes = {one.get("unit", ""): one for one in element.iter("{*}biblScope")}
    volume = (scopes["volume"].text or "") if "volume" in scopes else ""
    pages = ""
    if "page" in scopes:
        one = scopes["page"]
        pages = "-".join(filter(None, (one.get("from"), one.get("to")))) or one.text or ""
    listed = (", ".join(names), f"({year})" if year else "", *titles, ", ".join(filter(None, (volume, pages))))
    return ". ".join(filter(None, listed))
