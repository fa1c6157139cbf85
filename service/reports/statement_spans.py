"""The statements of a report in its page: each is a `span` of its own, so that a reader, or a link, can point at it.

A span reaches to where the next statement begins, so the numbers behind a statement are in it. What is said in
parentheses behind a doubted one is a span, too: a page can show it next to the text. A statement that is not found in
its block, or that is woven into markup, stays as it is.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, NamedTuple

from markdown_it.token import Token

from elcano.graphs.report.report import Report
from elcano.service.reports.numbered_statements import NumberedStatement, list_statements

_LIST_MARK: Final = re.compile(r"^\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+")
_NOTE: Final = re.compile(r"\([^()]+\)|\uff08[^\uff08\uff09]+\uff09")
_BEFORE: Final = re.compile(r"[^\s\w]+\Z")
_BEHIND: Final = re.compile(r"\S*")
_ATOMS: Final = frozenset({"code_inline", "math_inline", "math_inline_double"})


class StatementIndex:
    """The statements of a report's blocks, by the lines, list items and table cells that they may stand in.

    A caption has those of its table, too: the number at its end represents all cells.
    """

    def __init__(self, report: Report) -> None:
        self._found: dict[str, list[NumberedStatement]] = {}
        numbered = list_statements(report.parts, report.unverified)
        for part in report.parts:
            numbers = [next(numbered) for _ in part.blocks]
            for block, below, own, following in zip_longest(part.blocks, part.blocks[1:], numbers, numbers[1:]):
                captioned = below is not None and block.kind == "paragraph" and below.kind == "table"
                statements = (*own, *(following if captioned else ()))
                pieces = (piece for line in block.markdown.splitlines() for piece in (line, *line.split("|")))
                for piece in dict.fromkeys(_LIST_MARK.sub("", one).strip() for one in pieces):
                    if piece and statements:
                        self._found.setdefault(piece, []).extend(statements)

    def find(self, markdown: str) -> Sequence[NumberedStatement]:
        """The statements of the block that a line, an item or a cell with this Markdown is from."""
        return self._found.get(markdown.partition("\n")[0].strip(), ())


def add_statement_spans(
    tokens: Sequence[Token], find: Callable[[str], Sequence[NumberedStatement]], number: str
) -> None:
    """Put spans around the statements that cite something or are doubted.

    Args:
        tokens: of the whole page.
        find: the statements of the block that a line, an item or a cell with this Markdown is from.
        number: the type of the tokens of reference numbers, whose words are no statement's.
    """
    placed = set[int]()
    for token in tokens:
        if token.type == "inline" and token.children:
            statements = [one for one in find(token.content) if one.number not in placed]
            if not statements:
                continue
            line = _Line.read(token.children, number)
            found = list(line.place(statements))
            placed.update(one.number for one, _, _ in found)
            token.children = _insert(token.children, line.list_spans(found))


class _Place(NamedTuple):
    """Before a character of a token among the children of a line."""

    child: int
    offset: int


_Found = tuple[NumberedStatement, int, int]
"""A statement, with its first letter in the line and the one behind its last."""


@dataclass(frozen=True)
class _Line:
    """The children of one inline token, and their letters, each with its child and its offset in it."""

    children: Sequence[Token]
    letters: str
    owners: Sequence[int]
    offsets: Sequence[int]
    around: Sequence[tuple[int, ...]]
    """For each child, and for the end, the children that opened the markup that it is in."""

    @classmethod
    def read(cls, children: Sequence[Token], number: str) -> "_Line":
        """Read the letters of a line."""
        letters, owners, offsets, around = "", list[int](), list[int](), [tuple[int, ...]()]
        for child, token in enumerate(children):
            opened = around[-1]
            around.append((*opened, child) if token.nesting == 1 else opened[:-1] if token.nesting == -1 else opened)
            if token.type != number:
                kept = [(offset, one.casefold()) for offset, one in enumerate(token.content) if one.isalnum()]
                offsets += [offset for offset, folded in kept for _ in folded]  # "ß" is two letters then
                letters += "".join(folded for _, folded in kept)
                owners += [child] * (len(letters) - len(owners))
        return cls(children, letters, owners, offsets, around)

    def place(self, statements: Sequence[NumberedStatement]) -> Iterator[_Found]:
        """Find statements one behind the other; a cell of a table is one as a whole."""
        begin = 0
        for one in statements:
            wanted = one.letters
            at = self.letters.find(wanted, begin) if wanted else -1
            while at > 0 and self._is_in_word(at):
                at = self.letters.find(wanted, at + 1)
            if at >= 0 and (not one.statement.context or wanted == self.letters):
                begin = at + len(wanted)
                yield one, at, begin

    def _is_in_word(self, letter: int) -> bool:
        before, here = self._locate(letter - 1), self._locate(letter)
        return here in (before, _Place(before.child, before.offset + 1))

    def _locate(self, letter: int) -> _Place:
        return _Place(self.owners[letter], self.offsets[letter])

    def list_spans(self, found: Sequence[_Found]) -> Iterator[tuple[_Place, Token]]:
        """List the marks of spans with their places, in the order of the line."""
        for (one, first, behind), following in zip_longest(found, found[1:]):
            if not one.statement.citations and not one.doubted:
                continue
            last = self._locate(behind - 1)
            ends = [*self._list_before(self._begin(following[1]) if following else _Place(len(self.children), 0))]
            ends += self._list_behind(last)
            fitting = (
                (begin, end)
                for begin in self._list_before(self._begin(first))
                for end in ends
                if self.around[begin.child] == self.around[end.child]
            )
            begin, end = next(fitting, (None, None))
            if begin is None or end is None:
                continue
            yield begin, _build_opening("statement doubted" if one.doubted else "statement", f"statement-{one.number}")
            if one.doubted and (note := self._find_note(last, end)):
                yield note[0], _build_opening("doubt")
                yield note[1], Token("span_close", "span", -1)
            yield end, Token("span_close", "span", -1)

    def _begin(self, letter: int) -> _Place:
        """The place of a letter, or that of the signs before it, such as a minus."""
        child, offset = self._locate(letter)
        before = self.children[child].content[:offset]
        signs = _BEFORE.search(before)
        return _Place(child, signs.start() if signs else offset)

    def _list_before(self, place: _Place) -> Iterator[_Place]:
        """A place, and those before the markup that opens there."""
        if place.child < len(self.children) and self.children[place.child].type in _ATOMS:
            place = _Place(place.child, 0)
        yield place
        while not place.offset and place.child and self.children[place.child - 1].nesting == 1:
            place = _Place(place.child - 1, 0)
            yield place

    def _list_behind(self, last: _Place) -> Iterator[_Place]:
        """The place behind a letter and the signs that follow it, and those behind the markup that closes there."""
        token = self.children[last.child]
        behind = _BEHIND.match(token.content, last.offset)
        end = behind.end() if behind and token.type not in _ATOMS else len(token.content)
        yield _Place(last.child, end)
        child = last.child + 1
        while end == len(token.content) and child < len(self.children) and self.children[child].nesting == -1:
            child += 1
            yield _Place(child, 0)

    def _find_note(self, last: _Place, end: _Place) -> tuple[_Place, _Place] | None:
        """The last words in parentheses between a statement's last letter and the end of its span."""
        for child in range(min(end.child, len(self.children) - 1), last.child - 1, -1):
            if self.children[child].type == "text":
                begin = last.offset if child == last.child else 0
                notes = list(
                    _NOTE.finditer(self.children[child].content, begin, *([end.offset] if child == end.child else []))
                )
                if notes:
                    return _Place(child, notes[-1].start()), _Place(child, notes[-1].end())
        return None


def _build_opening(kind: str, id: str = "") -> Token:
    return Token("span_open", "span", 1, attrs={"class": kind, **({"id": id} if id else {})})


def _insert(children: Sequence[Token], added: Iterator[tuple[_Place, Token]]) -> list[Token]:
    """The children with what is added at its places; texts are cut there."""
    result: list[Token] = []
    left = list(added)
    for child, token in enumerate(children):
        taken = 0
        while left and left[0][0].child == child:
            (_, offset), tag = left.pop(0)
            if offset > taken:
                result.append(token.copy(content=token.content[taken:offset]))
                taken = offset
            result.append(tag)
        if taken < len(token.content) or not token.content:
            result.append(token.copy(content=token.content[taken:]) if taken else token)
    return [*result, *(tag for _, tag in left)]
