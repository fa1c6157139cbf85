"""Articles in JATS, the XML of open-access archives, with title, authors, year and DOI.

Abstract, sections, lists, tables, captions, formulas, notes and references are read. The marks of references and notes
after a word are dropped, because there they read as figures: `Mexico¹` and `10¹` look alike.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.graphs.report.works import parse_doi
from elcano.subjects.documents.article_stream import ArticleStream, read_article
from elcano.subjects.documents.article_text import (
    ArticleText,
    join_lines,
    write_formula,
    write_text,
)
from elcano.subjects.documents.authorship import MOST_AUTHORS, parse_year
from elcano.subjects.documents.jats_elements import (
    BLOCKS,
    LEFT_OUT,
    RULES,
    TABLE_PARTS,
    has_blocks,
    read_table,
    write_caption,
    write_reference,
)
from elcano.subjects.documents.tables import build_table
from elcano.text.xml_tree import Element, get_local_name

_ROOTS: Final = ("article", "sub-article", "book-part")
_PARTS: Final = ("body", "floats-group", "back")
"""In the order in which they are read."""
_SECTIONS: Final = ("sec", "app", "ack", "glossary", "notes", "boxed-text")
_OPEN: Final = frozenset(
    {*_PARTS, *_SECTIONS, *TABLE_PARTS, "ref-list", "app-group", "sub-article", "response", "table-wrap", "table"}
)
"""Elements that are read before their end is known."""
_NAMES: Final = frozenset({"sec-meta", "label", "title", "caption"})
_YEAR_KINDS: Final = ("ppub", "pub", "epub", "collection", "epub-ppub", "epreprint")
"""Kinds of dates in the order in which an article is dated by them: first those of the issue that is cited."""


def read_jats(content: bytes) -> Parsed:
    """Read an article; of a file with several, the first.

    Raises:
        FileSkipped: it is no article in JATS.
    """
    return read_article(content, _ROOTS, _OPEN, _NAMES, _read_stream)


def _read_stream(stream: ArticleStream) -> Parsed:
    reader = _Reader(stream)
    reader.read_part(stream.root, 1)
    if not reader.text.blocks:
        raise FileSkipped("there is no text in it: it only has the record of an article")
    count = reader.pictured
    pictured = "a table is a picture, which is" if count == 1 else f"{count} tables are pictures, which are"
    gaps = (Gap(f"{pictured} not read"),) if count else ()
    return replace(reader.record, blocks=reader.text.blocks, gaps=gaps)


def _read_record(meta: Element) -> Parsed:
    return Parsed(
        [], _read_title(meta), tuple(_list_authors(meta))[:MOST_AUTHORS], _read_year(meta), doi=_read_doi(meta)
    )


def _read_title(meta: Element) -> str:
    parts = [one for name in ("article-title", "subtitle") for one in meta.iterfind(f"{{*}}title-group/{{*}}{name}")]
    return ": ".join(filter(None, (join_lines(write_text(one, RULES, ("xref",))).replace("\n", " ") for one in parts)))


def _list_authors(meta: Element) -> Iterator[str]:
    for one in meta.iter("{*}contrib"):
        if one.get("contrib-type", "author") != "author":
            continue
        name = next((part for part in one.iter("{*}name", "{*}string-name")), None)
        if name is not None:
            family, given = name.findtext("{*}surname"), name.findtext("{*}given-names")
            text = f"{family}, {given}" if family and given else family or "".join(name.itertext())
        else:
            group = next(one.iter("{*}collab"), None)
            text = (group.text or "") if group is not None else ""
        if plain := " ".join(text.split()):
            yield plain


def _read_year(meta: Element) -> int:
    dates = {one.get("pub-type") or one.get("date-type") or "": one for one in reversed(meta.findall("{*}pub-date"))}
    for kind in (*_YEAR_KINDS, *dates):
        if kind in dates and (year := parse_year(dates[kind].findtext("{*}year") or "")):
            return year
    return 0


def _read_doi(meta: Element) -> str:
    found = (one.text or "" for one in meta.iterchildren("{*}article-id") if one.get("pub-id-type") == "doi")
    return parse_doi(next(found, "")) or ""


class _Reader:
    """Turns the elements of an article into blocks."""

    def __init__(self, stream: ArticleStream) -> None:
        self.text = ArticleText(RULES)
        self.pictured = 0
        self.record = Parsed([])
        self._stream = stream
        self._handlers: Mapping[str, Callable[[Element, int], None]] = {
            **dict.fromkeys(_SECTIONS, self._read_section),
            "p": self._read_paragraph,
            "list": self._read_list,
            "def-list": self._read_definitions,
            "disp-formula": self._read_formula,
            "chem-struct-wrap": self._read_formula,
            "table-wrap": self._read_table_wrap,
            "table": self._read_bare_table,
            "fig": self._read_figure,
            "supplementary-material": self._read_figure,
            "media": self._read_figure,
            "fn": self._read_note,
            "ref-list": self._read_references,
            "preformat": self._read_code,
            "code": self._read_code,
        }

    def _read_front(self, meta: Element) -> None:
        """Read the abstracts of an article, and what its authors declare, such as interests and where data are."""
        for name in ("abstract", "trans-abstract"):
            for one in meta.iterchildren(f"{{*}}{name}"):
                self.text.anchor = one.get("id", "")
                if one.find("{*}title") is None:
                    kind = one.get("abstract-type", "").replace("-", " ")
                    self.text.add(f"Abstract ({kind})" if kind else "Abstract", "heading", 1)
                self.read_children(one, 1)
        for notes in meta.iterchildren("{*}author-notes"):
            for one in notes.iterchildren("{*}fn"):
                self._read_note(one, 1)
        for one in meta.iterfind("{*}custom-meta-group/{*}custom-meta"):
            name, value = one.findtext("{*}meta-name") or "", one.find("{*}meta-value")
            text = join_lines(write_text(value, RULES)) if value is not None else ""
            # A sentence, or by its name a statement, such as where the data are, and no code of the publisher.
            if (text.endswith(".") and " " in text) or any(word in name.lower() for word in ("availab", "statement")):
                self.text.add(f"{name}: {text}" if name else text, "note")

    def read_part(self, article: Element, level: int) -> None:
        """Read an article, or one within an article, such as a decision letter, which has its title above it."""
        before, self.text.blocks = self.text.blocks, []
        parts: dict[str, list[Block]] = {}
        for one in self._stream.list_children(article):
            name = get_local_name(one)
            meta = one.find("{*}article-meta") if name == "front" else one if name == "front-stub" else None
            if name in _PARTS:
                self.read_children(one, level)
            elif name in ("sub-article", "response"):
                self.read_part(one, 2)
            elif meta is not None:
                if level == 1:
                    self.record = _read_record(meta)
                else:
                    self.text.add(_read_title(meta) or article.get("article-type", "").replace("-", " "), "heading", 1)
                self._read_front(meta)
            self.text.flush()
            parts.setdefault(name, []).extend(self.text.blocks)
            self.text.blocks, self.text.anchor = [], ""
        self.text.blocks = before
        for name in ("front", "front-stub", *_PARTS, "sub-article", "response"):
            self.text.blocks += parts.get(name, ())

    def read_children(self, element: Element, level: int) -> None:
        """Read the children of an element, each in its own way; text between is paragraphs."""
        for one in self.text.list_blocks(element, self._stream.list_children(element)):
            name = get_local_name(one)
            if handler := self._handlers.get(name):
                self.text.flush()
                handler(one, level)
            elif name == "title":
                self.text.add(write_text(one, RULES), "heading", level)
            elif name in ("label", "sec-meta") or name in LEFT_OUT:
                continue
            else:
                self.read_children(one, level) if has_blocks(one) else self.text.add(write_text(one, RULES))

    def _read_section(self, element: Element, level: int) -> None:
        self.text.anchor = element.get("id") or self.text.anchor
        title, label = element.find("{*}title"), element.findtext("{*}label") or ""
        if title is None and (title := element.find("{*}caption/{*}title")) is None:
            name = {"ack": "Acknowledgements", "glossary": "Glossary"}.get(get_local_name(element), "")
            self.text.add(" ".join(filter(None, (label, name))), "heading", level)
        else:
            self.text.add(f"{label} {write_text(title, RULES)}", "heading", level)
        for one in self.text.list_blocks(element, self._stream.list_children(element)):
            if one is not title and get_local_name(one) not in ("label", "title"):
                self._read_one(one, level + 1)

    def _read_one(self, element: Element, level: int) -> None:
        if handler := self._handlers.get(get_local_name(element)):
            self.text.flush()
            handler(element, level)
        elif has_blocks(element):
            self.read_children(element, level)
        elif get_local_name(element) not in LEFT_OUT and get_local_name(element) != "sec-meta":
            self.text.add(write_text(element, RULES))

    def _read_paragraph(self, element: Element, level: int) -> None:
        """A paragraph, and what is in it that is a block of its own."""
        pending, self.text.pending = self.text.pending, list(filter(None, (element.text,)))
        notes = [one for one in element.iter("{*}fn") if get_local_name(one.getparent()) != "fn-group"]  # type: ignore[arg-type]
        for one in element:
            if get_local_name(one) in BLOCKS and get_local_name(one) not in ("fn", "label", "title"):
                self.text.flush()
                self._read_one(one, level)
                self.text.pending += filter(None, (one.tail,))
            else:
                self.text.write(one)
        self.text.flush()
        self.text.pending = pending
        for note in notes:
            self._read_note(note, level)

    def _read_list(self, element: Element, level: int) -> None:
        self.text.blocks += self._build_list(element, 0)

    def _build_list(self, element: Element, depth: int) -> list[Block]:
        ordered = element.get("list-type", "") in ("order", "arabic")
        lines: list[str] = []
        for number, item in enumerate(element.iterchildren("{*}list-item"), 1):
            label = " ".join((item.findtext("{*}label") or "").split())
            mark = label or (f"{number}." if ordered else "-")
            text = join_lines(write_text(item, RULES, ("label", "list", "table-wrap", "fig")))
            lines.append(f"{mark} {text}".replace("\n", " "))
            for inner in item.iterchildren("{*}list"):
                lines += [line for block in self._build_list(inner, depth + 1) for line in block.text.split("\n")]
        return [Block("\n".join(lines), "list", anchor=self.text.anchor)] if lines else []

    def _read_definitions(self, element: Element, level: int) -> None:
        lines = []
        for item in element.iterchildren("{*}def-item"):
            parts = [join_lines(write_text(one, RULES)) for one in item if get_local_name(one) in ("term", "def")]
            lines.append(": ".join(parts).replace("\n", " "))
        self.text.blocks += [Block("\n".join(lines), "list", anchor=self.text.anchor)] if lines else []

    def _read_formula(self, element: Element, level: int) -> None:
        label = " ".join((element.findtext("{*}label") or "").split())
        has_formula = next(element.iter("{*}math", "{*}tex-math"), None) is not None
        text = write_formula(element) if has_formula else join_lines(write_text(element, RULES, ("label",)))
        if text:
            self.text.add(f"{text} {label}".strip(), "formula")

    def _read_table_wrap(self, element: Element, level: int) -> None:
        anchor, self.text.anchor = self.text.anchor, element.get("id") or self.text.anchor
        self.text.add(write_caption(element), "caption")
        tables = pictures = 0
        for one in self._stream.list_children(element):
            if get_local_name(one) == "table-wrap-foot":
                for note in one:
                    if get_local_name(note) == "fn-group":
                        self.read_children(note, level)
                    else:
                        self._read_note(note, level)
                continue
            pictures += next(one.iter("{*}graphic"), None) is not None
            for table in one.iter("{*}table") if get_local_name(one) != "table" else [one]:
                tables += 1
                self._read_bare_table(table, level)
        self.pictured += bool(pictures and not tables)
        self.text.anchor = anchor

    def _read_bare_table(self, element: Element, level: int) -> None:
        table = build_table(read_table(self._stream, element), anchor=self.text.anchor)
        if table.cells:
            self.text.blocks.append(table)

    def _read_figure(self, element: Element, level: int) -> None:
        anchor, self.text.anchor = self.text.anchor, element.get("id") or self.text.anchor
        self.text.add(write_caption(element), "caption")
        for one in element:  # its source, and figures of supplements within it
            if get_local_name(one) not in ("label", "caption") and get_local_name(one) not in LEFT_OUT:
                self._read_one(one, level)
        self.text.flush()
        self.text.anchor = anchor

    def _read_note(self, element: Element, level: int) -> None:
        label = " ".join((element.findtext("{*}label") or "").split())
        text = element.text or ""
        for one in element:
            if get_local_name(one) != "label":
                text += write_text(one, RULES, whole=True, before=text) + (one.tail or "")
        self.text.add(f"{label} {text}" if text.strip() else "", "note")

    def _read_references(self, element: Element, level: int) -> None:
        title = element.find("{*}title")
        self.text.add(write_text(title, RULES) if title is not None else "References", "heading", level)
        for one in self._stream.list_children(element):
            if get_local_name(one) == "ref":
                self.text.anchor = one.get("id") or self.text.anchor
                self.text.add(write_reference(one), "note")
            elif get_local_name(one) == "ref-list":
                self._read_references(one, level + 1)

    def _read_code(self, element: Element, level: int) -> None:
        self.text.flush()
        code = "".join(element.itertext())
        if code.strip():
            self.text.blocks.append(Block(code, "code", anchor=self.text.anchor))
