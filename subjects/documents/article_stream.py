"""Articles in XML that are parsed while they are read, so that only the part that is being read is in memory."""

import re
from collections.abc import Callable, Collection, Iterator
from html.entities import html5
from typing import Final

from lxml import etree

from elcano.activities.passages.document import FileSkipped, Parsed
from elcano.text.xml_tree import Element, EntitiesDeclared, build_parser, get_local_name, refuse_entities

_ENTITY: Final = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_LONGEST_ENTITY: Final = 33
_PIECE_BYTES: Final = 65_536


class ArticleStream:
    """The elements of an article, in the order of the file.

    An element of `open_names` is given when it begins, together with the elements of `head_names` at its beginning;
    every other one is given whole. Each is gone when the next one is asked for.
    """

    def __init__(
        self,
        content: bytes,
        roots: Collection[str],
        open_names: Collection[str],
        head_names: Collection[str],
        *,
        collect_ids: bool,
    ) -> None:
        self._pieces = _split_pieces(content)
        self._open_names = open_names
        self._head_names = head_names
        self._parser = build_parser(
            etree.XMLPullParser, collect_ids=collect_ids, events=("start",), tag=[f"{{*}}{name}" for name in roots]
        )
        self._document: Element | None = None
        """The outermost element, once all is parsed."""
        self.root = self._find_root()
        refuse_entities(self.root)

    def list_children(self, element: Element) -> Iterator[Element]:
        """The children of an element, each until the next one is asked for."""
        while (child := self._wait_for_child(element)) is not None:
            name = get_local_name(child)
            while not (self._has_begun(child) if name in self._open_names else self._is_whole(child)):
                self._parse_more()
            if name:
                yield child
            if not self._is_whole(child):  # what the reader left
                for _ in self.list_children(child):
                    pass
            element.remove(child)

    def _wait_for_child(self, element: Element) -> Element | None:
        while (child := next(iter(element), None)) is None:  # `len` would count all of them each time
            if self._is_whole(element):
                return None
            self._parse_more()
        return child

    def _has_begun(self, element: Element) -> bool:
        """Whether all that names an element is there."""
        return self._is_whole(element) or any(get_local_name(one) not in self._head_names for one in element)

    def _is_whole(self, element: Element) -> bool:
        """Whether an element and the text behind it are parsed to their ends."""
        one: Element | None = element
        while self._document is None and one is not None and one.getnext() is None:
            one = one.getparent()
        return one is not None

    def _parse_more(self) -> None:
        piece = next(self._pieces, None)
        if piece is not None:
            self._parser.feed(piece)
        elif self._document is None:
            self._document = self._parser.close()

    def _find_root(self) -> Element:
        while (found := next(self._parser.read_events(), None)) is None:
            if self._document is not None:
                refuse_entities(self._document)
                name = get_local_name(self._document)[:40]
                raise FileSkipped(f"it is XML of a kind that is not read (<{name}>): save it as HTML")
            self._parse_more()
        return found[1]


def read_article(
    content: bytes,
    roots: Collection[str],
    open_names: Collection[str],
    head_names: Collection[str],
    read: Callable[[ArticleStream], Parsed],
) -> Parsed:
    """Return the result of `read` for an article.

    Raises:
        FileSkipped: it cannot be parsed, or is something else.
    """
    error: etree.XMLSyntaxError | None = None
    for collect_ids in (True, False):  # an `xml:id` that is repeated is an error where IDs are collected
        try:
            return read(ArticleStream(content, roots, open_names, head_names, collect_ids=collect_ids))
        except EntitiesDeclared as declared:
            raise FileSkipped("it declares entities, which are not expanded: save it without") from declared
        except etree.XMLSyntaxError as syntax:
            error = error or syntax
    assert error is not None, "both tries failed"
    raise FileSkipped(f"it is no XML that can be read: {error.msg[:200]}")


def _split_pieces(content: bytes) -> Iterator[bytes]:
    """The bytes in pieces, with the characters that are called by their names from a DTD, which is not loaded."""
    start = 0
    while start < len(content):
        end = start + _PIECE_BYTES
        cut = content.rfind(b"&", max(end - _LONGEST_ENTITY, start + 1), end)
        end = cut if cut > 0 and end < len(content) else end
        yield _ENTITY.sub(_write_entity, content[start:end])
        start = end


def _write_entity(found: re.Match[bytes]) -> bytes:
    """A character by its number. HTML has the names of ISO, too."""
    name = found[1].decode()
    written = html5.get(f"{name};") if name not in ("amp", "lt", "gt", "quot", "apos") else None
    return "".join(f"&#{ord(one)};" for one in written).encode() if written else found[0]
