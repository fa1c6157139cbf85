"""Notes next to a table, not in its cells: the numbers that these share, and verdicts by row and column.

A number behind each of forty cells tells a reader no more than one at the caption, and verdicts make rows as high as a
paragraph. A cell that cites something else keeps its mark; one that cites nothing is named as soon as the table has a
mark for all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from markdown_it.token import Token

from elcano.activities.report.checked_draft import CheckedClaim
from elcano.activities.report.markdown import escape_markdown
from elcano.activities.report.statement_support import is_not_stated, says_nothing_found
from elcano.graphs.report.report import Statement, Support
from elcano.graphs.text import shorten_text
from elcano.text.phrases import Phrases
from elcano.text.prose.markdown_parser import leads_on
from elcano.text.prose.table_cells import TableCell, iter_table_cells

LEAST_CELLS: Final = 2
"""Cells that share what they cite, below which nothing is gained."""
CELL_CHARACTERS: Final = 80
"""Maximum length of what a note says of a cell."""


class TableMarks(NamedTuple):
    """Presentation of the citations and verdicts of one table."""

    shared: tuple[int, ...]
    """The numbers that stand once for the table; none: each cell has its own."""
    unmarked: frozenset[int]
    """The statements that need no mark of their own."""
    notes: str
    """Markdown that names the cells that do not hold; empty if all do."""
    inferred: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Markdown that names columns or cells that were concluded, with the numbers that they rest on."""


def collect_table_marks(tokens: Sequence[Token], claim: CheckedClaim, words: Phrases) -> TableMarks:
    """Collect the numbers that the cells of the table in `tokens` share, and the cells with a note."""
    table = list(iter_table_cells(tokens))
    cells = [cell for cell in table if cell.statement is not None]
    stated = [(cell, claim.statements[cell.statement]) for cell in cells if cell.statement is not None]
    numbers = {cell.statement: _list_numbers(one) for cell, one in stated if one.kind == "fact" and cell.marks_last}
    uncited = [cell for cell, one in stated if _is_uncited(cell, one)]
    concluded = _group_inferences(stated)
    apart = {cell for group in concluded.values() for cell in group}
    cited = (cell for cell, one in stated if one.kind != "connecting" and _list_numbers(one))
    others = sum(cell not in apart for cell in cited) + len(uncited)
    common = Counter(filter(None, numbers.values())).most_common(1)
    shared, count = common[0] if common else ((), 0)
    if count < LEAST_CELLS or 2 * count <= others:
        shared = ()
    unmarked = frozenset(number for number, cited in numbers.items() if number is not None and cited == shared)
    notes: dict[str, list[TableCell]] = {}
    for cell, one in stated:
        if said := _describe_verdict(one, words) or (f"({words.uncited})" if shared and cell in uncited else ""):
            notes.setdefault(said, []).append(cell)
    named = _name_cells(stated)
    heads = {cell.column: cell.words for cell in table if cell.row == 0}
    inferred = tuple((_name_columns(group, cells, heads, named), numbers) for numbers, group in concluded.items())
    unmarked = (unmarked if shared else frozenset()) | {cell.statement for cell in apart if cell.statement is not None}
    lines = (f"- {'; '.join(named[cell] for cell in listed)} {said}" for said, listed in notes.items())
    return TableMarks(shared, unmarked, "\n".join(lines), inferred)


def _group_inferences(stated: Sequence[tuple[TableCell, Statement]]) -> dict[tuple[int, ...], list[TableCell]]:
    """The cells that were concluded, by the numbers that they rest on, where several rest on the same."""
    groups: dict[tuple[int, ...], list[TableCell]] = {}
    for cell, one in stated:
        if one.kind == "inference" and cell.marks_last and all(it.verdict == "verified" for it in one.citations):
            groups.setdefault(_list_numbers(one), []).append(cell)
    return {numbers: group for numbers, group in groups.items() if len(group) >= LEAST_CELLS}


def _name_columns(
    group: Sequence[TableCell], cells: Sequence[TableCell], heads: Mapping[int, str], named: Mapping[TableCell, str]
) -> str:
    """The heads of columns that consist of cells of a group, and the other cells of it by their names."""
    members = frozenset(group)
    mixed = {cell.column for cell in cells if cell.row > 0 and cell not in members}
    whole = {cell.column for cell in group if heads.get(cell.column)} - mixed
    columns = (escape_markdown(heads[column]) for column in sorted(whole))
    return "; ".join((*columns, *(named[cell] for cell in group if cell.column not in whole)))


def is_caption(above: CheckedClaim, table: CheckedClaim) -> bool:
    """Whether the block above a table leads to it and cites nothing itself, so that a mark there is the table's."""
    return above.kind == "paragraph" and not above.citations and leads_on(above.text, table.text)


def describe_support(statement: Statement, words: Phrases) -> str:
    """The finding on a statement whose citations hold; empty if it is supported or was not reviewed."""
    said: Mapping[Support, str] = {
        "partly": words.partly_supported,
        "in_passage": words.passage_supported,
        "not_supported": words.not_supported,
    }
    holds = any(one.verdict == "verified" for one in statement.citations)
    return said.get(statement.support, "") if holds else ""


def _describe_verdict(statement: Statement, words: Phrases) -> str:
    held = [one.verdict == "verified" for one in statement.citations]
    needed = all(held) if statement.kind == "inference" else any(held)
    if statement.kind == "connecting":
        return words.not_verified if statement.support == "not_supported" else ""
    return describe_support(statement, words) if needed else words.not_verified


def _list_numbers(statement: Statement) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one.number for one in statement.citations if one.number is not None))


def _is_uncited(cell: TableCell, statement: Statement) -> bool:
    """Whether a cell says something and cites nothing; what names a row says nothing of it."""
    says = any(map(str.isalnum, cell.words)) and not (is_not_stated(cell.words) or says_nothing_found(cell.words))
    return statement.kind == "connecting" and cell.row > 0 and not cell.names_row and says


def _name_cells(stated: Sequence[tuple[TableCell, Statement]]) -> dict[TableCell, str]:
    """Each cell as its row, its column and its words; with the number of its row where others are named alike."""
    alike = Counter((one.context, one.text) for _, one in stated)
    return {
        cell: ("" if alike[one.context, one.text] == 1 else f"\\#{cell.row} ")
        + escape_markdown(name_cell(shorten_text(one.text, CELL_CHARACTERS), one.context))
        for cell, one in stated
    }


def name_cell(text: str, context: str) -> str:
    """The words of a statement, behind row and column if it is a table cell."""
    return f"{shorten_text(context, CELL_CHARACTERS)}: {text}" if context else text
