"""The statements of a report under numbers, and which of them are doubted; pages and their links agree on both.

Statements are numbered from 1 in the order of the report's parts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from elcano.graphs.report.report import CheckedCitation, Part, Statement, Support

DOUBTS: Final[frozenset[Support]] = frozenset({"partly", "not_supported"})
_NO_LETTERS: Final = re.compile(r"[\W_]+")


class NumberedStatement(NamedTuple):
    """A statement at its place in the report."""

    number: int
    statement: Statement
    letters: str
    """Its text, as `keep_letters` leaves it."""
    doubted: bool
    """Its quotes do not, or not wholly, say it; or its block cites nothing and ought to."""


def list_statements(
    parts: Sequence[Part], unverified: Iterable[CheckedCitation]
) -> Iterator[tuple[NumberedStatement, ...]]:
    """The statements of each block of a report, in the order of its parts."""
    uncited = [keep_letters(one.claim) for one in unverified if one.verdict == "no_citation"]
    numbers = count(1)
    for part in parts:
        for block in part.blocks:
            yield tuple(_number(next(numbers), one, uncited) for one in block.statements)


def _number(number: int, statement: Statement, uncited: Sequence[str]) -> NumberedStatement:
    letters = keep_letters(statement.text)
    is_uncited = bool(letters) and statement.kind == "connecting" and any(letters in text for text in uncited)
    return NumberedStatement(number, statement, letters, statement.support in DOUBTS or is_uncited)


def keep_letters(text: str) -> str:
    """The letters and digits of a text, all small: what remains the same however it is set."""
    return _NO_LETTERS.sub("", text).casefold()
