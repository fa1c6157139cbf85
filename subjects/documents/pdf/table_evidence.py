"""Evidence that distinguishes a table from a list, listing, formulas, contents, references, code, or chart axes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from elcano.subjects.documents.pdf.table_layout import Layout, Region
from elcano.subjects.documents.pdf.tables import Table
from elcano.subjects.documents.pdf.text_rows import is_number

_LIST_MARK: Final = re.compile(r"[•·●○▪■◦‣*\u2013\u2014-]|\[?\(?(?:\d{1,3}|[a-z]|[ivx]{1,5}|[A-Z])[.:)\]]{0,2}\]?")
BULLET: Final = re.compile(r"[•·●○▪■◦‣❖➢✓\uf000-\uf0ff](?:\s|$)")
_EQUATION: Final = re.compile(r"[.,;]?\s?\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})?[a-z]?\)")


def count_rules(region: Region) -> int:
    """Count the lines as wide as a region above, between and below its rows."""
    left = min(token.left for row in region.rows for token in row.tokens)
    right = max(token.right for row in region.rows for token in row.tokens)
    places = [
        rule.at
        for rule in region.rules
        if min(rule.high, right) - max(rule.low, left) >= 0.8 * (right - left)
        and rule.length <= 1.3 * (right - left) + 20
    ]
    return sum(1 for before, place in pairwise([float("-inf"), *places]) if place - before > 4)


def is_table(layout: Layout, rules: int) -> bool:
    """Return whether a layout is a table: its cells are short or numbers, and most of them are filled.

    Args:
        layout: rows and columns.
        rules: how many lines as wide as the table it has.
    """
    body = layout.body
    columns = layout.table.columns
    ruled = rules > 1 or (rules == 1 and layout.head_rows > 0)
    if len(body) < 2 or (not ruled and len(body) < 3):
        return False
    firsts = [row[0] for row in body if row[0]]
    values = [text for row in body for text in row[1:] if text]
    if not values or _is_list(firsts, values, columns) or _is_equations(body) or _is_axis(body):
        return False
    if any(sum(len(text.split()) for text in texts) > WORDY_COLUMN * len(texts) for texts in _list_columns(body)):
        return False
    numbers = sum(map(is_number, values))
    filled = len(values) / (len(body) * (columns - 1))
    short = sum(1 for text in values if len(text.split()) <= 4)
    digits = sum(1 for text in values if any(map(str.isdigit, text)))
    if numbers >= 0.5 * len(values) and digits >= 0.2 * len(values):
        if ruled:
            return layout.head_rows > 0 or _has_numbers(body)
        if sum(1 for row in body for text in row if _RELATION.search(text)) > 0.12 * len(values):
            return False
        return filled >= 0.4 and len(firsts) >= 0.5 * len(body) and _has_numbers(body)
    if _is_monospaced(layout.table):
        return False  # code
    if ruled:
        if sum(map(len, values)) < 2 * len(values):
            return False  # letters of a formula or a drawing
        labelled = len(firsts) >= 0.6 * len(body) and filled >= 0.5
        return filled >= 0.3 and (short >= 0.5 * len(values) or labelled)
    return columns >= 3 and len(body) >= 4 and filled >= 0.7 and short >= 0.9 * len(values)


def _has_numbers(body: Sequence[Sequence[str]]) -> bool:
    """Whether a column behind the first one is of numbers."""
    for column in range(1, len(body[0])):
        texts = [row[column] for row in body if row[column]]
        digits = sum(1 for text in texts if is_number(text) and any(map(str.isdigit, text)))
        if len(texts) >= (2 if len(body[0]) > 2 else 3) and digits >= 0.6 * len(texts):
            return True
    return False


def _list_columns(body: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """The texts of each column that has any."""
    for column in zip(*body, strict=True):
        texts = [text for text in column if text]
        if texts:
            yield texts


def _is_monospaced(table: Table) -> bool:
    """Whether all characters are equally wide."""
    widths = sorted(
        (token.right - token.left) / len(token.text) / token.size
        for cell in table.cells
        for line in cell.lines
        for token in line
        if len(token.text) > 2
    )
    return len(widths) > 5 and widths[len(widths) // 10] > 0.97 * widths[-1 - len(widths) // 10]


def _is_axis(body: Sequence[Sequence[str]]) -> bool:
    """Whether numbers count down evenly, as on an axis, or count lines, and hardly any others are next to them."""
    others = 0
    on_axes = 0
    for index, column in enumerate(zip(*body, strict=True)):
        numbers = [float(found[0]) for text in column if (found := _PLAIN.match(text))]
        steps = Counter(round(before - after, 4) for before, after in pairwise(numbers))
        step, times = steps.most_common(1)[0] if steps else (0.0, 0)
        even = times >= 3 and times >= 0.8 * steps.total()  # charts may stand one above the other
        if even and (step > 0 or (step == -1 and index > 0)):
            on_axes += len(numbers)
        else:
            others += sum(1 for text in column if any(map(str.isdigit, text)))
    return others < 0.4 * on_axes


_RELATION: Final = re.compile(r"[=\u2261\u2208\u2192\u21d2\u2200\u2203\u222b\u2211\u221a]")
"""Signs that make lines formulas."""
_PLAIN: Final = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?(?=$|\s[^\W\d])")


def _is_list(firsts: Sequence[str], values: Sequence[str], columns: int) -> bool:
    """Whether the first column is the marks of a list, and what follows is text."""
    marks = sum(1 for text in firsts if _LIST_MARK.fullmatch(text))
    numbers = sum(map(is_number, values))
    return bool(firsts) and marks >= 0.7 * len(firsts) and (columns == 2 or numbers < 0.2 * len(values))


def _is_equations(body: Sequence[Sequence[str]]) -> bool:
    """Whether rows are formulas with their numbers."""
    lasts = [row[-1] for row in body if row[-1]]
    return sum(1 for text in lasts if _EQUATION.fullmatch(text)) >= 0.5 * len(lasts) > 0


WORDY_COLUMN: Final = 30
"""Cells of a column have fewer words than this on average; references have more."""
