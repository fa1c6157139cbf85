"""The statements of a block: its sentences, the sentences of its list items and quotations, and its table cells.

A mark belongs to the sentence that it is in or directly behind, on whichever side of the full stop. A full stop
behind a mark ends a sentence, also where the word before is an abbreviation. Code and formulas end no sentence. A
heading states nothing, nor the heading of a table's column, unless it has a mark; nor does a block of code. Words in
bold that begin an item or paragraph as a heading would are a part of the statement that follows: `**Cost.** It is low
[a].` Marks that stand alone are a statement without words: what they are meant for is not known.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from markdown_it.token import Token

from elcano.text.prose.markdown_parser import CITATION, Bracket, bracket_of
from elcano.text.words import sentence_ends

END: Final = "statement_end"
"""The type of the tokens that are put where a statement ends that has no mark."""
STATEMENT: Final = "statement"
"""In the `meta` of such a token, and of a mark: the number of its statement in the block."""
LAST: Final = "last"
"""In the `meta` of a mark: whether no other one of its statement follows."""
_SPACES: Final = {"softbreak", "hardbreak"}
_STOP: Final = re.compile(r"""[)\]"'\u201d\u201c\u2019\u00bb]*[.!?](?!\.)[)\]"'\u201d\u201c\u2019\u00bb]*(?:\s+|$)""")
_OPAQUE: Final = {"code_inline", "math_inline", "math_inline_double"}


@dataclass
class WrittenStatement:
    """One statement as it was written."""

    text: str
    """Its words, without marks and markup."""
    brackets: list[Bracket] = field(default_factory=list)
    context: str = ""
    """For a table cell: the name of its row and the heading of its column; without both, all headings."""
    opens: bool = False
    """Whether its paragraph or item begins with it."""

    @property
    def inferred(self) -> bool:
        """Whether it says that it follows from other things."""
        return any(one.inferred for one in self.brackets)

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks behind it, each once."""
        return tuple(dict.fromkeys(mark for one in self.brackets for mark in one.marks))


def extract_statements(tokens: Sequence[Token], language: str = "") -> list[WrittenStatement]:
    """The statements of one block; its marks learn whose they are, and ends without a mark get tokens.

    `language`: as for `sentence_ends`; who counts statements of one report has to give the same each time.
    """
    found: list[WrittenStatement] = []
    table = _Table(count_naming_columns(tokens))
    heading = False
    for token in tokens:
        table.enter(token)
        if token.type in ("heading_open", "heading_close"):
            heading = token.nesting == 1
        elif token.type == "inline" and token.children is not None:
            if (heading or table.in_head) and all(one.type != CITATION for one in token.children):
                table.read(words_of(token.children))
                continue
            context = table.context()
            whole = table.inside or heading
            token.children, said = _split_sentences(token.children, len(found), language, whole=whole)
            for one in said:
                one.context = context
            found.extend(said)
        if token.type == "inline":
            table.read(words_of(token.children or ()))
    return found


def count_naming_columns(tokens: Iterable[Token]) -> int:
    """How many of the first cells of a table's rows name them: as many as tell the rows apart, without a mark.

    Where no number of them does, the first cell alone is taken for the name.
    """
    rows: list[list[str]] = []
    marked = set[int]()
    for token in tokens:
        if token.type in ("tr_open", "thead_close"):
            rows = [*rows, []] if token.type == "tr_open" else []
        elif token.type == "inline" and rows:
            if any(one.type == CITATION for one in token.children or ()):
                marked.add(len(rows[-1]))
            rows[-1].append(words_of(token.children or ()))
    most = min(marked | {len(row) - 1 for row in rows}, default=0)
    return next(
        (count for count in range(1, most + 1) if len({*map(tuple, (row[:count] for row in rows))}) == len(rows)), 1
    )


def words_of(children: Iterable[Token]) -> str:
    """Return the words of inline tokens, on one line, without marks and markup."""
    text = "".join(" " if one.type in _SPACES else one.content for one in children if one.type != CITATION)
    return _tidy_line(text)


def _split_sentences(
    children: Sequence[Token], first: int, language: str, *, whole: bool
) -> tuple[list[Token], list[WrittenStatement]]:
    """The children with ends among them, and the statements, numbered from `first`; `whole`: all of it is one."""
    shown, masked = _flatten_tokens(children)
    if not shown.strip():
        shown = masked = "".join(one.content for one in children if one.type == CITATION)
        whole = True
    if not shown:
        return list(children), []
    ends = [len(shown)] if whole else sorted({*sentence_ends(masked, language), *_find_marked_ends(children, masked)})
    if len(ends) > 1 and len(shown[: ends[0]].rstrip()) == _count_bold_from_start(children):
        del ends[0]
    begins = [0, *ends[:-1]]
    said = [WrittenStatement(_tidy_line(shown[begin:end])) for begin, end in zip(begins, ends, strict=True)]
    said[0].opens = True
    placed = _place_citations(children, ends)
    for token, number in placed:
        said[number].brackets.append(bracket_of(token))
        token.meta = {**token.meta, STATEMENT: first + number, LAST: False}
    for token in {number: token for token, number in placed}.values():
        token.meta[LAST] = True
    marked = {number for _, number in placed}
    stops = {
        begin + len(shown[begin:end].rstrip()): first + number
        for number, (begin, end) in enumerate(zip(begins, ends, strict=True))
        if number not in marked
    }
    return _with_stops(children, stops), said


def _find_marked_ends(children: Iterable[Token], text: str) -> list[int]:
    """The ends of sentences that a mark shows: a full stop behind one is no abbreviation's, whatever is before."""
    found: list[int] = []
    place = 0
    for token in children:
        if token.type != CITATION:
            place += 1 if token.type in _SPACES else len(token.content)
        elif (stop := _STOP.match(text, place)) and any(map(str.isalnum, text[found[-1] if found else 0 : place])):
            found.append(stop.end())
    return found


def _count_bold_from_start(children: Sequence[Token]) -> int:
    """The number of characters of text with which the children begin that are in bold and have no mark."""
    count = 0
    bold = False
    for token in children:
        if token.type in ("strong_open", "strong_close"):
            bold = token.nesting == 1
        elif token.type == CITATION or (token.content.strip() and not bold):
            break
        else:
            count += 1 if token.type in _SPACES else len(token.content)
    return count


def _flatten_tokens(children: Iterable[Token]) -> tuple[str, str]:
    """The text, and the text with code and formulas made one word each; both of the same length."""
    shown = [(" " if one.type in _SPACES else one.content, one.type) for one in children if one.type != CITATION]
    masked = ("x" * len(text) if kind in _OPAQUE else text for text, kind in shown)
    return "".join(text for text, _ in shown), "".join(masked)


def _place_citations(children: Iterable[Token], ends: Sequence[int]) -> list[tuple[Token, int]]:
    """Each mark with the number of its sentence: one at a border belongs to what is before it."""
    place, found = 0, []
    for token in children:
        if token.type == CITATION:
            found.append((token, min(bisect_left(ends, place), len(ends) - 1)))
        else:
            place += 1 if token.type in _SPACES else len(token.content)
    return found


def _with_stops(children: Iterable[Token], stops: dict[int, int]) -> list[Token]:
    """The children with a token at each place in `stops`, texts cut where one falls into them."""
    place = 0
    result: list[Token] = []
    left = sorted(stops.items())
    for token in children:
        length = 0 if token.type == CITATION else 1 if token.type in _SPACES else len(token.content)
        while token.type == "text" and left and place < left[0][0] < place + length:
            cut = left[0][0] - place
            head = token.copy(content=token.content[:cut])
            token, length = token.copy(content=token.content[cut:]), length - cut
            result.extend((head, _build_end_token(left.pop(0)[1])))
            place += cut
        result.append(token)
        place += length
        while left and left[0][0] <= place and length:
            result.append(_build_end_token(left.pop(0)[1]))
    return [*result, *(_build_end_token(number) for _, number in left)]


def _build_end_token(number: int) -> Token:
    return Token(END, "", 0, meta={STATEMENT: number})


def _tidy_line(text: str) -> str:
    """On one line, without the spaces that marks leave before a stop."""
    line = " ".join(re.sub(r"<br\s*/?>", " ", text).split())
    for stop in (".", ",", ";", ":", "!", "?", "\u3002", "\uff0c"):
        line = line.replace(f" {stop}", stop)
    return line


class _Table:
    """Position within a table: a cell is identified by the first cells of its row and the heading above it."""

    def __init__(self, naming: int) -> None:
        self._naming = naming
        self.inside = False
        self.in_head = False
        self._headings: list[str] = []
        self._row: list[str] = []

    def enter(self, token: Token) -> None:
        if token.type in ("table_open", "table_close"):
            self.inside = token.nesting == 1
            self._headings = []
        elif token.type in ("thead_open", "thead_close"):
            self.in_head = token.nesting == 1
        elif token.type == "tr_open":
            self._row = []

    def read(self, words: str) -> None:
        """Takes in the words of a cell."""
        if self.inside:
            (self._headings if self.in_head else self._row).append(words)

    def context(self) -> str:
        """Return the name of the row and the heading for the cell that comes next; without both, all headings.

        So a row's name is known as a cell also where its column has no heading.
        """
        if not self.inside or self.in_head:
            return ""
        column = len(self._row)
        above = self._headings[column] if column < len(self._headings) else ""
        known = (*self._row[: self._naming], above)
        return ", ".join(filter(None, known)) or ", ".join(filter(None, self._headings))
