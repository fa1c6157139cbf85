"""Markdown with marks becomes claims: one for each top-level block, with the citations whose marks stand in it.

A citation counts where its mark is and nowhere else: one that is marked nowhere is left out with a word, and so is
a list of references, which code writes; a footnote in the writer's own words stays. A bracket that names a passage
instead of a mark is taken for the mark of the only citation of that passage. Headings are of one level, `###`, and none
says what the section's own says.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from markdown_it.token import Token

from elcano.graphs.report.report import Citation, Claim
from elcano.text.prose.markdown_parser import citations_in, mark_of, parse_markdown
from elcano.text.words import bare_words

LISTED: Final = re.compile(
    r"(?:list of )?(?:references?|sources?|citations?|bibliography|works cited|literature(?: cited)?|footnotes|notes"
    r"|quellen(?:verzeichnis)?|literatur(?:verzeichnis)?|referenzen|einzelnachweise"
    r"|r[ée]f[ée]rences?|bibliographie|referencias|fuentes|bibliograf[íi]a"
    r"|riferimenti|fonti|refer[êe]ncias|fontes|bibliografia|bronnen|referenties"
    r"|参考文献|参考资料|来源|出典|参考|참고\s?문헌|출처|อ้างอิง|เอกสารอ้างอิง)",
    re.IGNORECASE,
)
"""Names of a list of references."""
_LINE_OF_LIST: Final = re.compile(
    r"\W*(?:\[\^?[^\[\]]{1,40}\]|\d{1,3}[.)])|.*(?:https?://|\bdoi\b|\bPMID\b|\bet al\b|\(\d{4}\))", re.IGNORECASE
)
"""A line as such a list has them: it begins with a number or a mark, or names a work."""
_NOTE: Final = re.compile(r" {0,3}\[\^(?P<mark>[^\[\]\n]{1,40})\]:\s+(?P<words>\S.*)")
_WORK: Final = re.compile(r"https?://|\bdoi\b|\bPMID\b|\bet al\b|\(\d{4}\)|\b(?:19|20)\d\d[.,]", re.IGNORECASE)
_WRAPPED: Final = re.compile(r"\s*(?P<fence>`{3,}|~{3,})(?:markdown|md)[ \t]*\n(?P<text>.*)\n(?P=fence)\s*", re.DOTALL)
_BREAKS: Final = re.compile(r"\\n(?=\\n|[-*#|>]|\d+\. )|(?<=\n)\\n")
_BORDER: Final = re.compile(r"(?<!\\)\|")
LEAST_ROWS: Final = 3
"""Lines of a table with a row: its heads, what is below them, and the row."""
_DEFINED: Final = re.compile(r" {0,3}\[\^?[^\[\]\n]{1,40}\]:\s")
"""A line that says what a mark represents."""


@dataclass
class ClaimCollector:
    """Collects claims from the texts of one answer, and remarks on what was left out."""

    citations: Sequence[Citation]
    offered: Sequence[Citation] = ()
    """Citations that texts may have marks of, and need not."""
    cut_off: bool = False
    """Whether the answer was cut off, and a text may end within a row: a short row of a whole answer is meant so."""
    remarks: list[str] = field(default_factory=list)
    """In sentences, each once."""
    _used: set[int] = field(default_factory=set)

    def claims(self, text: str | Sequence[Claim], heading: str = "") -> tuple[Claim, ...]:
        """The blocks of `text`, which is under `heading`; claims stay as they are.

        Args:
            text: Markdown with marks of the answer's citations.
            heading: the heading that code writes above it, empty for none.
        """
        if not isinstance(text, str):
            return tuple(text)
        found = _Blocks(_strip_wrapping(text), self._known())
        kept = list(_without_lists(found.all(), self.remarks))
        if self.cut_off and kept and (whole := _cut_broken_row(kept[-1])) is not None:
            self.remarks.append("A table that ended within a row was cut off, and is shown without that row.")
            kept[-1:] = _Blocks(whole, self._known()).all()
        return tuple(self._claim(block) for block in _without_repeated_headings(kept, heading))

    def leftover(self) -> tuple[str, ...]:
        """All remarks, with one on citations that no text has a mark of: called last."""
        unmarked = sum(place not in self._used for place in range(len(self.citations)))
        if unmarked:
            marks = "1 citation has its mark" if unmarked == 1 else f"{unmarked} citations have their marks"
            self.remarks.append(f"{marks} behind no sentence of the writer's text and counted for none.")
        return tuple(dict.fromkeys(self.remarks))

    def _known(self) -> dict[str, list[tuple[int, Citation]]]:
        """The citations of each mark, with their places; a passage's key is the mark of its only citation."""
        known: dict[str, list[tuple[int, Citation]]] = {}
        by_key: dict[str, list[tuple[int, Citation]]] = {}
        for place, cited in enumerate((*self.citations, *self.offered)):
            if mark := mark_of(cited.mark):
                known.setdefault(mark, []).append((place, cited))
            if key := mark_of(cited.evidence):
                by_key.setdefault(key, []).append((place, cited))
        return {**{key: found for key, found in by_key.items() if len(found) == 1}, **known}

    def _claim(self, block: "_Block") -> Claim:
        marks = dict.fromkeys(mark for said in citations_in(block.tokens) for mark in said.marks)
        citations = [(mark, *one) for mark in marks for one in block.known[mark]]
        self._used.update(place for _, place, _ in citations)
        cited = tuple(one.model_copy(update={"mark": mark}) for mark, _, one in citations)
        return Claim(text=block.text, citations=cited)


@dataclass(frozen=True)
class _Block:
    """One top-level block: its source and its tokens."""

    text: str
    tokens: Sequence[Token]
    known: dict[str, list[tuple[int, Citation]]]

    @property
    def heading(self) -> str | None:
        """The words of a heading; None of any other block."""
        return self.tokens[1].content.strip() if self.tokens[0].type == "heading_open" else None


class _Blocks:
    """A text in blocks."""

    def __init__(self, text: str, known: dict[str, list[tuple[int, Citation]]]) -> None:
        self._lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
        self._tokens = parse_markdown("\n".join(self._lines), known)
        self._known = known

    def all(self) -> list[_Block]:
        first = 0
        found: list[_Block] = []
        for place, token in enumerate(self._tokens):
            if token.level == 0 and token.nesting <= 0:
                found.append(self._block(self._tokens[first : place + 1]))
                first = place + 1
        return [block for block in found if block.text]

    def _block(self, tokens: Sequence[Token]) -> _Block:
        begin, end = tokens[0].map or [0, 0]
        text = "\n".join(self._lines[begin:end]).rstrip()
        if tokens[0].type == "heading_open":
            words = " ".join(tokens[1].content.split())
            text = f"### {words}" if words else ""
        return _Block(text.strip("\n"), tokens, self._known)


def _strip_wrapping(text: str) -> str:
    """`text` without what models put around Markdown: a fence that says so, or backslashes for its line breaks."""
    fenced = _WRAPPED.fullmatch(text)
    text = fenced["text"] if fenced else text
    return text if "\n" in text else _BREAKS.sub("\n", text)


def _without_lists(blocks: Sequence[_Block], remarks: list[str]) -> Iterable[_Block]:
    """`blocks` without lists of references, and without lines that say what marks stand for."""
    left = list(blocks)
    while left:
        block = left.pop(0)
        lines = block.text.splitlines()
        if _names_list(block) and (beneath := _count_reference_blocks(left)):
            del left[:beneath]
        elif block.tokens[0].type == "paragraph_open" and all(_is_reference(line, block.known) for line in lines):
            pass
        else:
            yield block
            continue
        remarks.append("A list of references that the writer wrote itself was left out.")


def _is_reference(line: str, known: Collection[str]) -> bool:
    """Whether a line says what a mark represents."""
    return _DEFINED.match(line) is not None and not _is_note(line, known)


def _is_note(line: str, known: Collection[str]) -> bool:
    """Whether a line is a footnote of the writer's own words: of no citation's mark, and naming no work."""
    note = _NOTE.match(line)
    return note is not None and mark_of(note["mark"]) not in known and _WORK.search(note["words"]) is None


def _names_list(block: _Block) -> bool:
    """Whether a heading, or a line that represents one, announces references."""
    words = block.heading
    if words is None and block.tokens[0].type == "paragraph_open":
        words = block.text
    return words is not None and LISTED.fullmatch(words.strip().strip("*_:\uff1a ")) is not None


def _count_reference_blocks(blocks: Sequence[_Block]) -> int:
    """Count the next blocks that are a list of references."""
    count = 0
    for block in blocks:
        lines = [line for line in block.text.splitlines() if line.strip()]
        alike = sum(_LINE_OF_LIST.match(line) is not None and not _is_note(line, block.known) for line in lines)
        if block.heading is not None or 2 * alike < len(lines):
            break
        count += 1
    return count


def _cut_broken_row(block: _Block) -> str | None:
    """A table without its last row if that has fewer cells than the heads and the row above it; None if it has as many.

    An answer that was cut off ends so. Of a table without another row nothing is left.
    """
    lines = block.text.splitlines()
    if block.tokens[0].type != "table_open" or len(lines) < LEAST_ROWS or not lines[-1].lstrip().startswith("|"):
        return None  # a note beneath the table, which Markdown takes for a row, has no border before it
    heads, *_, above, last = (len(_BORDER.findall(line.strip().removeprefix("|").removesuffix("|"))) for line in lines)
    if last >= heads or (above < heads and len(lines) > LEAST_ROWS):
        return None
    return "\n".join(lines[:-1]) if len(lines) > LEAST_ROWS else ""


def _without_repeated_headings(blocks: Sequence[_Block], heading: str) -> Iterable[_Block]:
    """`blocks` without a heading that says what the one above it says, or has nothing beneath it."""
    above = bare_words(heading)
    for place, block in enumerate(blocks):
        if block.heading is not None:
            words = bare_words(block.heading)
            following = blocks[place + 1] if place + 1 < len(blocks) else None
            if words == above or following is None or following.heading is not None:
                continue
            above = words
        yield block
