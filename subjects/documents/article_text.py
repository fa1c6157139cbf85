"""Common parts of readers of articles in XML (JATS and TEI): running text, notes and tables."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from elcano.activities.passages.document import Block, BlockKind
from elcano.text.formulas import write_mathml
from elcano.text.tex_formulas import write_tex
from elcano.text.words import lower_text, raise_text
from elcano.text.xml_tree import Element, get_local_name

_BREAK: Final = "\x1e"
"""Stands for a declared line break in running text; XML cannot hold it."""
XML_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"


@dataclass(frozen=True)
class TextRules:
    """Rules of a vocabulary for running text."""

    left_out: Collection[str]
    """Elements that are not read within running text."""
    spaced: Collection[str]
    """Elements whose texts are apart from what is around them even if no space is written."""
    raised: Callable[[Element], bool]
    lowered: Callable[[Element], bool]
    is_mark: Callable[[Element], bool]
    """Whether an element is only the mark of a note or a reference: glued to a word it reads as a figure."""
    is_formula: Callable[[Element], bool]
    parted: Collection[str] = ()
    """Elements that a space parts from a word before them, which some files do not write."""
    is_whole: Callable[[Element], bool] = lambda element: False
    """Whether an element is a word or a name of its own, which is apart from another one directly before it."""
    is_inline: Callable[[Element], bool] = lambda element: False
    """Whether an element is part of a paragraph even where the text around it is directly in a section."""


@dataclass
class ArticleText:
    """The blocks of an article so far, and the pieces of the paragraph that is being read."""

    rules: TextRules
    blocks: list[Block] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    anchor: str = ""
    """The id of the last section, figure or table."""

    def add(self, text: str, kind: BlockKind = "text", level: int = 0) -> None:
        """Add a block, if there is text in it."""
        self.flush()
        plain = join_lines(text)
        if plain:
            self.blocks.append(Block(plain, kind, level, anchor=self.anchor))

    def flush(self, kind: BlockKind = "text", prefix: str = "") -> None:
        """End the paragraph that is being read."""
        plain = join_lines("".join(self.pending))
        self.pending.clear()
        if plain:
            self.blocks.append(Block(prefix + plain, kind, anchor=self.anchor))

    def write(self, element: Element) -> None:
        """Add an element, and the text behind it, to the paragraph that is being read."""
        before = self.pending[-1] if self.pending else ""
        self.pending += filter(None, (write_text(element, self.rules, whole=True, before=before), element.tail))

    def list_blocks(self, element: Element, children: Iterable[Element]) -> Iterator[Element]:
        """Yield those of the children of an element that are not inline; text and inline elements are paragraphs."""
        is_first = True
        for one in children:
            if is_first:
                self.pending += filter(None, (element.text,))
                is_first = False
            if self.rules.is_inline(one):
                self.write(one)
                continue
            yield one
            self.pending += filter(None, (one.tail,))
        if is_first:
            self.pending += filter(None, (element.text,))
        self.flush()


def write_text(
    element: Element, rules: TextRules, skipped: Collection[str] = (), *, whole: bool = False, before: str = ""
) -> str:
    """Return the running text of an element, for `join_lines`.

    Args:
        element: what to read.
        rules: of its vocabulary.
        skipped: further elements that are not read.
        whole: whether what the element is counts, too: a superscript is raised, and what is left out is empty.
        before: the text before it.
    """
    parts: list[str] = []
    stack: list[tuple[Element, int, Callable[[str], str]]] = []
    change: Callable[[str], str] | None
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        inner = whole or one is not element
        if event == "start":
            written = _write_whole(one, rules, skipped) if inner else None
            if written is not None:
                parts += filter(None, (written,))
                walk.skip_subtree()
                continue
            if inner and _is_apart(one, rules, (parts[-1] if parts else before)[-1:]):
                parts.append(" ")
            change = raise_text if rules.raised(one) else lower_text if rules.lowered(one) else None
            if change is not None and inner:
                stack.append((one, len(parts), change))
            parts += filter(None, (one.text,))
        else:
            if stack and stack[-1][0] is one:
                _, start, write = stack.pop()
                parts[start:] = [write("".join(parts[start:]))]
            if get_local_name(one) in rules.spaced and inner:
                parts.append(" ")
            if one is not element:
                parts += filter(None, (one.tail,))
    return "".join(parts)


def _is_apart(element: Element, rules: TextRules, last: str) -> bool:
    """Whether a space is before an element; `last` is the character before it."""
    name = get_local_name(element)
    if name in rules.spaced:
        return True
    if not last.isalnum():
        return False
    previous = element.getprevious()
    is_pair = previous is not None and not previous.tail and rules.is_whole(element) and rules.is_whole(previous)
    return is_pair or name in rules.parted


def _write_whole(element: Element, rules: TextRules, skipped: Collection[str]) -> str | None:
    """Write an element whose parts are not read one by one; None: they are."""
    name = get_local_name(element)
    if name in rules.left_out or name in skipped or rules.is_mark(element):
        return ""
    if name in ("break", "lb"):
        return "" if element.get("break") == "no" else _BREAK if name == "break" else " "
    return write_formula(element) if rules.is_formula(element) else None


def write_formula(element: Element) -> str:
    """Return a formula on one line: of MathML, TeX and a picture, what comes first in this order."""
    for one in element.iter("{*}math"):
        return write_mathml(one)
    for one in element.iter("{*}tex-math"):
        return write_tex(_find_document_body("".join(one.itertext())))
    text = "".join(element.itertext())
    is_tex = element.get("notation", "").lower() == "tex" or get_local_name(element) == "tex-math"
    return write_tex(text) if is_tex else " ".join(text.split())


def _find_document_body(tex: str) -> str:
    """The formula of a whole document of LaTeX, as some archives write each of them."""
    _, begin, rest = tex.partition("\\begin{document}")
    return rest.partition("\\end{document}")[0].strip() if begin else tex.strip()


def join_lines(text: str) -> str:
    """Return running text with single spaces and with the lines that it declares: XML wraps lines anywhere."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split(_BREAK))))


def parse_span(text: str | None) -> int:
    """Return how many rows or columns a cell covers."""
    return max(int(text), 1) if text is not None and text.isascii() and text.isdigit() and len(text) < 6 else 1
