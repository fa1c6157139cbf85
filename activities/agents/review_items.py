"""Items of a draft for the reviewer: statements one by one, and each table once, with its heads and numbered cells.

A cell alone says nothing: its meaning is its row and its column. A table of sixty cells is one item with one list of
quotes, and a verdict on it counts for each cell that has none of its own. Judgements are kept by cell all the same.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, groupby, repeat
from typing import Final

from elcano.activities.report.checked_draft import CheckedClaim, CheckedDraft, points_back
from elcano.activities.report.statement_support import says_nothing_found, strip_note
from elcano.activities.report.work_merge import Works
from elcano.graphs.agents.review import ReviewedQuote, ReviewedStatement, ReviewedTable, StatementVerdict
from elcano.graphs.report.report import CheckedCitation, Statement, StatementKey
from elcano.graphs.text import keep_last_words, shorten_text
from elcano.storage.evidence import Evidence
from elcano.text.prose.markdown_parser import parse_markdown
from elcano.text.prose.statements import extract_statements
from elcano.text.prose.table_cells import TableCell, iter_table_cells
from elcano.text.stems import list_stems
from elcano.text.support.figures import extract_figures
from elcano.text.words import sentence_ends

CONTEXT_CHARACTERS: Final = 300
"""Maximum length of the sentence before a quote that refers back to it."""
BEGINNING_CHARACTERS: Final = 100
"""Maximum length of the beginning of a sentence of which a part is quoted."""
TABLE_CELLS: Final = 60
"""Cells that are asked about in one table; a longer one is shown in pieces of whole rows, each with the heads."""
TABLE_CHARACTERS: Final = 8_000
"""Maximum length of the cells of such a piece."""
CELLS_OF_STATEMENT: Final = 4
"""Cells that weigh as much as a statement: most of them need no verdict of their own."""
LEAST_PROSE: Final = 8
"""Words that a quote needs to be taken for prose: a row of a table can have a few in a cell."""
_SENTENCE_ENDS: Final = ".!?\u3002\uff01\uff1f"
_NUMBER: Final = re.compile(r"\{(\d+)\}")
"""Text that looks like the number of a cell."""


class ReviewItem(ABC):
    """Part of a draft that the reviewer judges at once."""

    keys: tuple[StatementKey, ...]
    """Keys of the statements that its verdicts count for."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Return the number of expected verdicts."""

    @property
    @abstractmethod
    def characters(self) -> int:
        """The length of its texts."""

    @property
    def numbers(self) -> int:
        """Return how many numbers it takes."""
        return len(self.keys)

    @abstractmethod
    def show(self, number: int) -> ReviewedStatement | ReviewedTable:
        """Render it for the reviewer, under `number` and those that follow."""

    @abstractmethod
    def find_verdicts(self, number: int, verdicts: Mapping[int, StatementVerdict]) -> Iterator[StatementVerdict | None]:
        """Yield for each key the verdict that counts; None: there is none."""


@dataclass(frozen=True)
class StatementItem(ReviewItem):
    """One statement."""

    keys: tuple[StatementKey, ...]
    shown: ReviewedStatement

    @property
    def size(self) -> int:
        """One verdict."""
        return 1

    @property
    def characters(self) -> int:
        """The length of its texts."""
        one = self.shown
        texts = (*one.quotes, *one.works, *one.quote_context, *one.cells)
        return len(one.statement) + len(one.before) + sum(map(len, texts))

    def show(self, number: int) -> ReviewedStatement:
        """The statement."""
        return self.shown.model_copy(update={"id": number})

    def find_verdicts(self, number: int, verdicts: Mapping[int, StatementVerdict]) -> Iterator[StatementVerdict | None]:
        """Yield its verdict."""
        yield verdicts.get(number)


@dataclass(frozen=True)
class TableItem(ReviewItem):
    """A table, or some of its rows with its heads."""

    keys: tuple[StatementKey, ...]
    rows: tuple[tuple[tuple[str, StatementKey | None], ...], ...]
    """The words of each cell, with its key if it is asked about; the first row has the heads."""
    before: str
    quotes: tuple[tuple[ReviewedQuote, frozenset[StatementKey]], ...]
    """Each quote, and what it is to support."""
    inferred: frozenset[StatementKey]

    @property
    def size(self) -> int:
        """One verdict, and one for some of its cells."""
        return 1 + len(self.keys) // CELLS_OF_STATEMENT

    @property
    def characters(self) -> int:
        """The length of its texts."""
        quotes = (text for one, _ in self.quotes for text in (one.quote, one.work, one.context, *one.places))
        return sum(len(words) for row in self.rows for words, _ in row) + sum(map(len, quotes))

    @property
    def numbers(self) -> int:
        """Its own, and one for each cell."""
        return 1 + len(self.keys)

    def show(self, number: int) -> ReviewedTable:
        """The table as Markdown, with the number of a cell before its words."""
        numbers = {key: place for place, key in enumerate(self.keys, start=number + 1)}

        def cell(words: str, key: StatementKey | None) -> str:
            words = _NUMBER.sub(r"(\1)", words).replace("|", "\\|")
            return words if key is None else f"{{{numbers[key]}}} {words}"

        lines = [f"| {' | '.join(cell(*one) for one in row)} |" for row in self.rows]
        lines.insert(1, "|---" * len(self.rows[0]) + "|")
        return ReviewedTable(
            id=number,
            table="\n".join(lines),
            before=self.before,
            inferred=_list_ranges(numbers[key] for key in self.keys if key in self.inferred),
            quotes=tuple(
                quote.model_copy(update={"cells": _list_ranges(numbers[key] for key in self.keys if key in meant)})
                for quote, meant in self.quotes
            ),
        )

    def find_verdicts(self, number: int, verdicts: Mapping[int, StatementVerdict]) -> Iterator[StatementVerdict | None]:
        """Yield the verdict of each cell, else the table's.

        A table that is doubted because of cells that are named says nothing of the others.
        """
        named = [verdicts.get(place) for place in range(number + 1, number + self.numbers)]
        whole = verdicts.get(number)
        if whole is not None and whole.support != "supported" and any(named):
            whole = None
        yield from (verdict or whole for verdict in named)


def iter_review_items(
    checked: CheckedDraft, done: Set[StatementKey], unread: frozenset[StatementKey] = frozenset()
) -> Iterator[ReviewItem]:
    """Yield the items to review, except those that are `done`, each statement once.

    These are statements whose citations hold, sentences without a mark that stand among them, and `unread` cells of a
    table that is shown again.
    """
    passages = {one.id: one for one in checked.given}
    seen = set(done)
    for above, claim in zip((None, *checked.claims), checked.claims, strict=False):
        if claim.kind == "table" and claim.by_mark:
            before = above.statements[-1].text if above and above.kind == "paragraph" and above.statements else ""
            yield from _build_table_items(claim, before, checked, passages, seen, unread)
            continue
        for (key, one), before in zip(claim.keyed_statements(), chain(claim.preceding, repeat("")), strict=False):
            cited = _list_held(one) if one.kind != "connecting" else _list_quotes_around(claim, one)
            if key not in seen and cited is not None and (cited or one.kind == "connecting"):
                seen.add(key)
                yield StatementItem((key,), _build_reviewed_statement(one, before, cited, passages, checked.works))


def _list_held(one: Statement) -> list[CheckedCitation]:
    return [cited for cited in one.citations if cited.verdict == "verified"]


def _build_table_items(
    claim: CheckedClaim,
    before: str,
    checked: CheckedDraft,
    passages: Mapping[str, Evidence],
    seen: set[StatementKey],
    unread: frozenset[StatementKey],
) -> Iterator[TableItem]:
    """Yield a table in pieces, each with the heads."""
    tokens = parse_markdown(claim.text, claim.by_mark)
    extract_statements(tokens, checked.language)
    keyed = list(claim.keyed_statements())
    held = {number: key for number, (key, one) in enumerate(keyed) if _list_held(one)}
    if not seen.issuperset(held.values()):
        seen -= unread.intersection(held.values())
    asked = {number: key for number, key in held.items() if key not in seen}
    seen.update(asked.values())
    stated = {key: keyed[number][1] for number, key in asked.items()}
    rows: dict[int, list[TableCell]] = {}
    for cell in iter_table_cells(tokens):
        rows.setdefault(cell.row, []).append(cell)
    heads, *body = rows.values()
    for piece in _split_rows(heads, body, asked):
        shown = tuple(
            tuple((cell.words, None if cell.statement is None else asked.get(cell.statement)) for cell in row)
            for row in piece
        )
        keys = tuple(dict.fromkeys(key for row in shown for _, key in row if key is not None))
        if keys:
            said = {key: stated[key] for key in keys}
            quotes = tuple(_collect_quotes(said, passages, checked.works))
            inferred = frozenset(key for key, one in said.items() if one.kind == "inference")
            yield TableItem(keys, shown, before, quotes, inferred)


def _split_rows(
    heads: Sequence[TableCell], body: Sequence[Sequence[TableCell]], asked: Mapping[int, StatementKey]
) -> Iterator[list[Sequence[TableCell]]]:
    """Yield the rows in pieces, each below the heads; these are asked about with the first one alone."""
    piece, cells, characters = [heads], 0, 0
    for row in body:
        more, length = sum(cell.statement in asked for cell in row), sum(len(cell.words) for cell in row)
        if len(piece) > 1 and (cells + more > TABLE_CELLS or characters + length > TABLE_CHARACTERS):
            yield piece
            piece, cells, characters = [[cell._replace(statement=None) for cell in heads]], 0, 0
        piece, cells, characters = [*piece, row], cells + more, characters + length
    yield piece


def _collect_quotes(
    stated: Mapping[StatementKey, Statement], passages: Mapping[str, Evidence], works: Works
) -> Iterator[tuple[ReviewedQuote, frozenset[StatementKey]]]:
    """Yield each quote once, with the cells that it is to support."""
    meant: dict[tuple[str, str], dict[StatementKey, CheckedCitation]] = {}
    for key, one in stated.items():
        for cited in _list_held(one):
            meant.setdefault((cited.evidence, cited.quote), {})[key] = cited
    first: dict[str, CheckedCitation] = {}
    for cells in meant.values():
        for cited in cells.values():
            if cited.start is not None and cited.start < (first.setdefault(cited.evidence, cited).start or 0):
                first[cited.evidence] = cited
    for (evidence, quote), cells in meant.items():
        passage, cited = passages.get(evidence), next(iter(cells.values()))
        places = tuple(dict.fromkeys(place for key, one in cells.items() for place in describe_cells(key.text, [one])))
        flat = not places and quote == first[evidence].quote and not _is_prose(quote)
        shown = ReviewedQuote(
            quote=quote,
            work=_name_work(passage, works) if passage else "",
            context=_cut_before(cited, passages) if flat else _find_quote_context(cited, passages),
            places=places,
        )
        yield shown, frozenset(cells)


def _is_prose(quote: str) -> bool:
    """Whether most words of a quote are those of a sentence, not figures and names as in the row of a table."""
    words = quote.split()
    return len(words) >= LEAST_PROSE and sum(word.isalpha() and word.islower() for word in words) > len(words) / 2


def _cut_before(cited: CheckedCitation, passages: Mapping[str, Evidence]) -> str:
    """Cut the text before a quote in its passage: for the first row of a table its caption and heads."""
    passage = passages.get(cited.evidence)
    if passage is None or cited.start is None:
        return ""
    return keep_last_words(passage.text[: max(0, cited.start - passage.start)], CONTEXT_CHARACTERS)


def _list_ranges(numbers: Iterable[int]) -> str:
    """Numbers in ascending order as ranges, such as `2-4, 7`."""
    runs = (tuple(run) for _, run in groupby(enumerate(numbers), lambda one: one[1] - one[0]))
    return ", ".join("-".join(dict.fromkeys((str(run[0][1]), str(run[-1][1])))) for run in runs)


def _list_quotes_around(claim: CheckedClaim, one: Statement) -> list[CheckedCitation] | None:
    """Return the quotes of the block of an unmarked sentence; None if the sentence need not be reviewed."""
    faulty = one.reason or any(cited.verdict == "no_citation" for cited in claim.citations)
    if one.context or faulty or says_nothing_found(one.text):
        return None
    return [cited for cited in claim.citations if cited.verdict == "verified"]


def _build_reviewed_statement(
    one: Statement, before: str, cited: Sequence[CheckedCitation], passages: Mapping[str, Evidence], works: Works
) -> ReviewedStatement:
    known = [passages[id] for id in dict.fromkeys(each.evidence for each in cited) if id in passages]
    context = {each.quote: _find_quote_context(each, passages) for each in cited}
    return ReviewedStatement(
        id=0,
        statement=one.text,
        context=one.context,
        before=before,
        inferred=one.kind == "inference",
        unmarked=one.kind == "connecting",
        works=tuple(dict.fromkeys(_name_work(passage, works) for passage in known)),
        quotes=tuple(context),
        quote_context=tuple(context.values()) if any(context.values()) else (),
        cells=tuple(dict.fromkeys(describe_cells(one.text, cited))),
    )


def describe_cells(statement: str, cited: Sequence[CheckedCitation]) -> Iterator[str]:
    """The cells of quoted tables with a figure of the statement, or in a column that it names, with row and column.

    A row that is quoted says nothing of its columns, so a figure of the wrong column would pass.
    """
    cells = [cell for each in cited for cell in each.cells if cell.column_head]
    if not cells:
        return
    said = {value for figure in extract_figures(statement) for value in figure.values}
    words = {*list_stems(statement)}
    for cell in cells:
        figures = any(said & figure.values for figure in extract_figures(strip_note(cell).text))
        if figures or not words.isdisjoint(list_stems(cell.column_head)):
            yield f"{'; '.join(cell.names)}: {cell.text}"


def _name_work(passage: Evidence, works: Works) -> str:
    known = works.of(passage)
    return (known.work.title if known else "") or passage.title


def _find_quote_context(cited: CheckedCitation, passages: Mapping[str, Evidence]) -> str:
    """The sentence before a quote that points back to it, as `it` and `this` do; empty if it does not.

    Of a quote that begins within a sentence it is the sentence before that one too. If it does not point back, it is
    how its sentence begins: there is what it speaks of.
    """
    passage = passages.get(cited.evidence)
    if passage is None or cited.start is None or cited.cells:
        return ""
    earlier = passage.text[: max(0, cited.start - passage.start)].rstrip()
    ends = [0, *(end for end in sentence_ends(earlier, "") if end < len(earlier))]
    within = bool(earlier) and earlier[-1] not in _SENTENCE_ENDS
    if points_back(cited.quote):
        begin = ends[max(-2, -len(ends))] if within else ends[-1]
        return keep_last_words(earlier[begin:], CONTEXT_CHARACTERS)
    if not (within and _is_prose(cited.quote)):
        return ""
    return shorten_text(" ".join(earlier[ends[-1] :].split()), BEGINNING_CHARACTERS)
