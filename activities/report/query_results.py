"""Renders query results in a report that no model wrote: as the database returned them, each with its query.

They are read off the text of their evidence, so that a report is made again of its evidence alone. Where the cells of a
row cannot be told apart, because they hold what divides them, the lines stand as they are.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from elcano.activities.report.data_sections import CELL_CHARACTERS, MOST_COLUMNS, render_code_block
from elcano.activities.report.markdown import escape_markdown
from elcano.graphs.report.data_answer import SHOWN_ROWS
from elcano.graphs.report.tables import RESULT_EVIDENCE
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence

MOST_SHOWN: Final = 20
"""Results of one run; the API has all of them."""
_DIVIDER: Final = " | "
_QUERY, _COLUMNS, _ROW = "Query: ", "Columns: ", "Row "


def is_result(passage: Evidence) -> bool:
    """Whether a passage is the result of a query, or was put together from such results."""
    return passage.id.startswith(RESULT_EVIDENCE)


def render_query_results(evidence: Sequence[Evidence]) -> Iterator[str]:
    """The blocks of the results among `evidence`, in their order, under one heading; nothing if there are none."""
    there = [passage for passage in evidence if is_result(passage)]
    if not there:
        return
    yield f"## {'Result' if len(there) == 1 else 'Results'}"
    for number, passage in enumerate(there[:MOST_SHOWN], start=1):
        yield f"### Result {number}: {escape_markdown(passage.title)}"
        yield from _render_result_passage(passage)
    if len(there) > MOST_SHOWN:
        yield f"The first {MOST_SHOWN} of {len(there)} results; all of them can be read as CSV."


def _render_result_passage(passage: Evidence) -> Iterator[str]:
    lines = passage.text.split("\n")
    columns = next((line.removeprefix(_COLUMNS) for line in lines if line.startswith(_COLUMNS)), "")
    rows = [line.partition(": ")[2] for line in lines if line.startswith(_ROW)]
    names, cells = columns.split(_DIVIDER), [row.split(_DIVIDER) for row in rows[:SHOWN_ROWS]]
    if cells and all(len(row) == len(names) for row in cells):
        rule = ["---"] * len(names)
        shown = [_format_result_row(names), f"| {' | '.join(rule[:MOST_COLUMNS])} |", *map(_format_result_row, cells)]
        yield "\n".join(shown)
    elif cells:
        yield render_code_block("\n".join([f"{_COLUMNS}{columns}", *rows[:SHOWN_ROWS]]), "text")
    told = [line for line in lines[1:] if not line.startswith((_ROW, _COLUMNS, _QUERY))]
    if len(rows) > SHOWN_ROWS:
        told.insert(0, f"The first {SHOWN_ROWS} of its rows; the results as CSV have all of them.")
    yield " ".join([*map(escape_markdown, told), f"From {escape_markdown(passage.locator)}."])
    if query := next((line.removeprefix(_QUERY) for line in lines if line.startswith(_QUERY)), ""):
        yield render_code_block(query, "sql")


def _format_result_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escape_markdown(shorten_text(one, CELL_CHARACTERS)) for one in cells[:MOST_COLUMNS])} |"
