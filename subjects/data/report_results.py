"""Renders query results: chart, tables, queries and what is missing, with a database report or where no one wrote one.

Written by code alone. A query is always shown, as it was run; a choice or a repair that may have changed what is
answered is next to it. Values of databases are data: none of them is markup. Without a report, results are read off
the text of their evidence; where the cells of a row are indistinguishable, the lines stand as they are.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from elcano.activities.report.additions import AddedText, ReportAddition
from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.markdown import escape_markdown, render_bullets, render_table
from elcano.graphs.text import format_count, shorten_text
from elcano.storage.evidence import Evidence
from elcano.subjects.data.data_answer import (
    ANSWER,
    CHART_PATH,
    DOUBTFUL,
    SHOWN_ROWS,
    AnswerTable,
    DataAnswer,
    NumberVerdict,
    read_data_answer,
)
from elcano.subjects.data.results import cell_text, query_hash
from elcano.subjects.data.tables import NUMBERS, RESULT_EVIDENCE
from elcano.text.phrases import ENGLISH, Phrases

BY_RULES: Final = "No language model was used; rules made the sentences from query results."
CELL_CHARACTERS: Final = 200
MOST_COLUMNS: Final = 30


class ResultsAddition(ReportAddition):
    """Results that an answer over databases rests on; without an answer, the results that were found."""

    name = ANSWER

    def render(self, checked: CheckedDraft | None, words: Phrases) -> AddedText:
        """The chart, what is missing, each result with its query, and the numbers that are not verified."""
        if checked is None:
            shown = frozenset(passage.id for passage in self.material.evidence if is_result(passage))
            blocks = tuple(render_query_results(self.material.evidence))
            return AddedText(opening=blocks, passages=shown, shows="results of queries" if shown else "")
        data = read_data_answer(checked.draft.attachments)
        if data is None:
            return AddedText()
        return AddedText(
            data=data.model_dump(mode="json"),
            pictures={CHART_PATH: data.chart.svg} if data.chart else {},
            author=BY_RULES if data.by_rules else "",
            support=counted_numbers(data, words),
            refusal=words.no_result,
            opening=render_answer(data, words),
            doubts=tuple(unverified_numbers(data, {one.text for one in checked.doubted})),
        )


def render_answer(data: DataAnswer, words: Phrases = ENGLISH) -> list[str]:
    """The chart, what is missing, and each result with its query."""
    several = len(data.tables) > 1
    return [
        *_render_chart(data),
        *render_bullets(words.gaps, map(escape_markdown, data.gaps)),
        *render_bullets(words.forecast, map(escape_markdown, data.forecasts)),
        *([f"## {words.results if several else words.result}"] if data.tables else []),
        *(block for table in data.tables for block in _render_result_table(table, words, several=several)),
    ]


def counted_numbers(data: DataAnswer, words: Phrases) -> str:
    """Describe how many of its numbers are proven, in a sentence with a space before it; empty: it has none."""
    counts = Counter(one.status for one in data.numbers)
    total = len(data.numbers)
    if not total:
        return ""
    doubtful = counts["wrong"] + counts["unproven"]
    others = [
        words.given.format(count=counts["given"]) if counts["given"] else "",
        words.quoted_numbers.format(count=counts["quoted"]) if counts["quoted"] else "",
        words.named_numbers.format(count=counts["named"]) if counts["named"] else "",
        words.doubtful_numbers.format(count=doubtful) if doubtful else words.no_doubtful_numbers,
    ]
    text = words.comma.join((words.proven.format(count=counts["proven"]), *filter(None, others)))
    return f" {(words.numbers_one if total == 1 else words.numbers_many).format(total=f'{total:,}', counts=text)}"


def unverified_numbers(data: DataAnswer, reported: Collection[str]) -> Iterator[str]:
    """Yield unverified numbers, and proven ones with what they leave open, but not of the `reported` statements."""
    for one in dict.fromkeys(data.numbers):
        if (one.status in DOUBTFUL and one.statement not in reported) or (one.status == "proven" and one.reason):
            yield _render_number_doubt(one)


def _render_number_doubt(one: NumberVerdict) -> str:
    return (
        f"“{escape_markdown(one.text)}” in "
        f"“{escape_markdown(shorten_text(one.statement, CELL_CHARACTERS))}” — {escape_markdown(one.reason)}."
    )


def _render_chart(data: DataAnswer) -> Iterator[str]:
    if data.chart is not None:
        yield f"![{escape_markdown(data.chart.title)}]({CHART_PATH})"
        yield escape_markdown(data.chart.description)
    elif data.no_chart:
        yield escape_markdown(data.no_chart)


def _render_result_table(table: AnswerTable, words: Phrases, *, several: bool) -> Iterator[str]:
    if several:
        yield f"### {words.result_of.format(number=table.number, database=escape_markdown(table.database))}"
    if table.rows and table.columns:
        yield _render_answer_rows(table)
    yield _told_rows(table, words)
    if table.sql:
        stamp = words.query_stamp.format(hash=query_hash(table.sql)[:12], at=escape_markdown(table.at))
        yield words.query.format(database=escape_markdown(table.database), dialect=table.dialect, stamp=stamp)
        yield render_code_block(table.sql, "sql")
    else:
        read = f"read at {escape_markdown(table.at)}"
        yield f"Computed by code from results of {escape_markdown(table.database)}, {read}."
    yield from _render_table_notes(table, words)


def _render_answer_rows(table: AnswerTable) -> str:
    columns = table.columns[:MOST_COLUMNS]
    head = [escape_markdown(shorten_text(column.name, CELL_CHARACTERS)) or "(no name)" for column in columns]
    rule = ["---:" if column.kind in NUMBERS else "---" for column in columns]
    rows = (_format_result_row([cell_text(value) for value in row[:MOST_COLUMNS]]) for row in table.rows)
    return render_table(head, rows, rule)


def _told_rows(table: AnswerTable, words: Phrases) -> str:
    shown = len(table.rows)
    counted = (words.one_row if table.row_count == 1 else words.many_rows).format(count=f"{table.row_count:,}")
    size = counted if table.row_count else words.no_row
    if shown < table.row_count:
        size = f"The first {shown} of {format_count(table.row_count, 'row')}; the CSV has all of them."
    if len(table.columns) > MOST_COLUMNS:
        size += f" The first {MOST_COLUMNS} of {len(table.columns)} columns."
    if table.truncated:
        size += " **There are more rows than were read,** so they do not add up to a total."
    return size


def render_code_block(text: str, language: str) -> str:
    """`text` as a block of code that nothing in it can end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return f"{fence}{language}\n{lines}\n{fence}"


def _render_inline_sql(sql: str) -> str:
    """SQL in the midst of a line; its line breaks mean nothing."""
    said = " ".join(sql.split())
    longest = max((len(run) for run in re.findall(r"`+", said)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {said} {fence}" if longest else f"`{said}`"


def _render_table_notes(table: AnswerTable, words: Phrases) -> Iterator[str]:
    lines = [words.because.format(reason=escape_markdown(one)) for one in table.reasons]
    lines += [words.chosen.format(reason=escape_markdown(one)) for one in table.choices]
    for one in table.repairs:
        warned = "**Repaired; it may now answer a different question:**" if one.changes_meaning else "Repaired:"
        lines.append(f"{warned} {escape_markdown(one.reason.rstrip('.'))}. Before: {_render_inline_sql(one.before)}")
    if lines:
        yield "\n".join(f"- {line}" for line in lines)


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
        yield f"The first {MOST_SHOWN} of {len(there)} results; the API has all of them as CSV."


def _render_result_passage(passage: Evidence) -> Iterator[str]:
    lines = passage.text.split("\n")
    columns = next((line.removeprefix(_COLUMNS) for line in lines if line.startswith(_COLUMNS)), "")
    rows = [line.partition(": ")[2] for line in lines if line.startswith(_ROW)]
    names, cells = columns.split(_DIVIDER), [row.split(_DIVIDER) for row in rows[:SHOWN_ROWS]]
    if cells and all(len(row) == len(names) for row in cells):
        yield render_table(_format_result_row(names), map(_format_result_row, cells))
    elif cells:
        yield render_code_block("\n".join([f"{_COLUMNS}{columns}", *rows[:SHOWN_ROWS]]), "text")
    kept = [line for line in lines[1:] if not line.startswith((_ROW, _COLUMNS, _QUERY))]
    if len(rows) > SHOWN_ROWS:
        kept.insert(0, f"The first {SHOWN_ROWS} rows; the CSV has all of them.")
    yield " ".join([*map(escape_markdown, kept), f"From {escape_markdown(passage.locator)}."])
    if query := next((line.removeprefix(_QUERY) for line in lines if line.startswith(_QUERY)), ""):
        yield render_code_block(query, "sql")


def _format_result_row(cells: Sequence[str]) -> list[str]:
    return [escape_markdown(shorten_text(one, CELL_CHARACTERS)) for one in cells[:MOST_COLUMNS]]
