"""Whether the figures of a cell stand in the column of the quoted table that the report says."""

from collections.abc import Sequence

from elcano.graphs.report.cells import CitedCell
from elcano.text.phrases import ENGLISH
from elcano.text.support.figures_and_names import extract_figures
from elcano.text.words import bare_words


def find_misplaced_figures(text: str, context: str, cells: Sequence[CitedCell]) -> tuple[str, ...]:
    """Say of each figure of a cell of a report that its quoted row has it in another column only.

    Columns are the same where the report's names have all words of the source's. Where none is, nothing is known: a
    report may call a column otherwise, or put together what stood apart.

    Args:
        text: of the cell.
        context: what names its row and column.
        cells: those that it quotes.
    """
    names = set(bare_words(context).split())
    meant = [cell for cell in cells if (head := set(bare_words(cell.column_head).split())) and head <= names]
    if not meant:
        return ()
    there = {value for cell in meant for figure in extract_figures(cell.text) for value in figure.values}
    others = [cell for cell in cells if cell.column_head and cell not in meant]
    found: dict[str, None] = {}
    for figure in extract_figures(text):
        if not figure.values.isdisjoint(there):
            continue
        stands = (cell for cell in others if any(figure.values & one.values for one in extract_figures(cell.text)))
        if (cell := next(stands, None)) is not None:
            found[ENGLISH.figure_misplaced.format(said=figure.written, there=cell.column_head)] = None
    return tuple(found)
