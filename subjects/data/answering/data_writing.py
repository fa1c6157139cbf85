"""An answer from results: each of its numbers is proven by the cells that it names, or marked there.

What a model says of a number is data; code alone computes. What does not follow is reported to the model once, with
quotes that do not hold, and if it still does not follow then, its statement says so in the report.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pydantic_ai import RunContext

from elcano.activities.agents.answer_correction import ask_with_correction, checked_draft
from elcano.activities.agents.answer_drafts import OwnDraft, draft_from_prose, note_unread, with_canonical_ids
from elcano.activities.calls.attempt import Attempt
from elcano.activities.report.checked_draft import REASONS, CheckedClaim, CheckedDraft
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.report.report import Citation, Claim, Judgement, ReportDraft, Statement
from elcano.graphs.text import shorten_text
from elcano.subjects.data.agents.data_writer import RESULT_KEY, DataProse, DataWriterInput, queries_of
from elcano.subjects.data.answering.number_proofs import GivenNumbers, ProofCheck
from elcano.subjects.data.data_answer import (
    ANSWER,
    DOUBTFUL,
    SHOWN_ROWS,
    AnswerTable,
    DataAnswer,
    NumberVerdict,
    read_data_answer,
)
from elcano.subjects.data.results import load_result_tables, row_line
from elcano.subjects.data.tables import ResultTable
from elcano.text.languages import language_of

MOST_FAULTS: Final = 12
TOLD_CHARACTERS: Final = 200
MEND: Final = (
    "Some of what you wrote does not hold. Copy quotes letter by letter from the passage that you cite, and say no "
    "figure that they do not have; leave out what no passage supports. Give the whole answer again, with this mended:"
)
MOST_KNOWN: Final = 60
"""Rows that statements may speak of without quoting them, because their cells are named."""
MOST_QUOTED_ROWS: Final = 5
KNOWN_CHARACTERS: Final = 300
_ROWS: Final = re.compile(
    r"\W*(?:rows?|zeilen?|lignes?|filas?)?\s*(?P<first>\d{1,9})(?:\s*(?:[-\u2013]|to|bis|à|a)\s*(?P<last>\d{1,9}))?"
    r"\s*(?::.*|\W*)",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP: Final = re.compile(r"[*`|#>]|^[-+] ", re.MULTILINE)


async def write_from_results(
    attempt: Attempt, agent: AgentDefinition, given: DataWriterInput, loaded: Loaded, task: TaskEnvelope
) -> OwnDraft:
    """The draft, and the passages and results that it may cite.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
        InputInvalid: a result is not in the store.
    """
    desk = _Desk(given, await load_result_tables(attempt.store, given.results))
    ids = {**loaded.shown.ids, **desk.ids}

    async def find_faults(context: RunContext[object], output: DataProse) -> Sequence[str]:
        if context.model.system == OFFLINE:
            return ()
        written = with_canonical_ids(await asyncio.to_thread(desk.draft, output), ids)
        checked = await checked_draft(attempt.store, written, task.question)
        return [*await asyncio.to_thread(desk.faults, output, checked), *_find_draft_faults(checked)][:MOST_FAULTS]

    answer = await ask_with_correction(attempt, agent.asks, task, loaded.shown.order, find_faults, MEND, tries=1)
    unread = len(loaded.shown.items) - len(loaded.shown.only(answer.task.evidence).items)
    draft = await asyncio.to_thread(desk.draft, answer.output, cut_off=answer.cut_off)
    draft = with_canonical_ids(note_unread(draft, unread), ids)
    checked = await checked_draft(attempt.store, draft, given.question)
    settled = await asyncio.to_thread(desk.settled, answer.output, checked, by_rules=attempt.quoted)
    order = (*desk.ids, *loaded.shown.order)
    return OwnDraft(settled, loaded.shown.model_copy(update={"ids": ids, "order": order}))


def _find_draft_faults(checked: CheckedDraft) -> Iterator[str]:
    """Yield the faults of a draft, worded for the writer."""
    for cited in dict.fromkeys(checked.unverified):
        if cited.verdict in ("quote_not_found", "unknown_evidence"):
            said = f"\u201c{shorten_text(cited.claim, TOLD_CHARACTERS)}\u201d: {REASONS[cited.verdict]}"
            yield f"{said}: \u201c{shorten_text(cited.quote, TOLD_CHARACTERS)}\u201d"
    for claim in checked.claims:
        for one in claim.statements:
            doubted = one.support in ("not_supported", "in_passage") and one.reason not in REASONS.values()
            if one.kind != "inference" and doubted:
                yield f"\u201c{shorten_text(one.text, TOLD_CHARACTERS)}\u201d: {one.reason}"


class _Desk:
    """Facts that answers are checked against."""

    def __init__(self, given: DataWriterInput, tables: Sequence[ResultTable]) -> None:
        self._given = given
        self._tables = tables
        self._language = language_of(given.question)
        self._said = (*_list_given_numbers(given), *_iter_column_names(tables))
        self.ids = {f"{RESULT_KEY}{number}": one.evidence for number, one in enumerate(given.results, start=1)}
        """Evidence ids of the results by their keys."""

    def draft(self, answer: DataProse, *, cut_off: bool = False) -> ReportDraft:
        """An answer as a draft that cites by keys: rows are quoted by their lines, and what cells prove is known."""
        draft = with_claims(draft_from_prose(answer, cut_off=cut_off), self._with_rows)
        held = list(self._proving(answer).holding())
        rows = dict.fromkeys(
            (cell.result, row)
            for one in held
            for cell in one.cells
            for row in range(cell.row, min(cell.to_row or cell.row, cell.row + MOST_QUOTED_ROWS) + 1)
            if cell.result <= len(self._tables) and row <= len(self._tables[cell.result - 1].rows)
        )
        lines = (row_line(row, self._tables[result - 1].rows[row - 1]) for result, row in list(rows)[:MOST_KNOWN])
        columns = (", ".join(column.name for column in table.columns) for table in self._tables)
        known = (*(one.text for one in held), *lines, *columns, *(one.text for one in self._said))
        data = DataAnswer(
            tables=tuple(self._shown_tables()),
            chart=self._given.chart,
            no_chart=self._given.no_chart,
            forecasts=self._given.forecasts,
            gaps=self._given.gaps,
        )
        return draft.model_copy(
            update={
                "known": tuple(shorten_text(" ".join(one.split()), KNOWN_CHARACTERS) for one in known if one.strip()),
                "attachments": {ANSWER: data.model_dump(mode="json")},
                "answered": draft.answered and bool(draft.claims),
            }
        )

    def faults(self, answer: DataProse, checked: CheckedDraft) -> Sequence[str]:
        """Describe, for the writer, which numbers in its answer do not follow from the results."""
        doubtful = (one for _, verdicts in self._verdicts(answer, checked) for one in verdicts)
        return tuple(
            dict.fromkeys(
                f"the number “{one.text}” in “{shorten_text(one.statement, TOLD_CHARACTERS)}”: {one.reason}"
                for one in doubtful
                if one.status in DOUBTFUL
            )
        )

    def settled(self, answer: DataProse, checked: CheckedDraft, *, by_rules: bool) -> ReportDraft:
        """The draft with a verdict on each of its numbers; statements with one that is not verified say so."""
        found = list(self._verdicts(answer, checked))
        judgements = [
            Judgement(
                statement=said.text,
                support="not_supported",
                reason="; ".join(f"“{one.text}”: {one.reason}" for one in doubtful),
                evidence=tuple(dict.fromkeys(cited.evidence for cited in said.citations)),
            )
            for said, verdicts in found
            if said is not None and (doubtful := [one for one in verdicts if one.status in DOUBTFUL])
        ]
        data = read_data_answer(checked.draft.attachments)
        assert data is not None
        numbers = tuple(one for _, verdicts in found for one in verdicts)
        data = data.model_copy(update={"numbers": numbers, "by_rules": by_rules})
        attachments = {ANSWER: data.model_dump(mode="json")}
        return checked.draft.model_copy(update={"judgements": tuple(judgements), "attachments": attachments})

    def _verdicts(
        self, answer: DataProse, checked: CheckedDraft
    ) -> Iterator[tuple[Statement | None, tuple[NumberVerdict, ...]]]:
        """The numbers of each statement; then those of what states nothing: titles, headings, limitations."""
        proving = self._proving(answer)
        results = set(self.ids.values())
        loose = [checked.draft.title, *(one.heading for one in checked.draft.sections), *checked.draft.limitations]
        for claim in checked.claims:
            for said in claim.statements:
                quotes = [
                    one.quote for one in said.citations if one.verdict == "verified" and one.evidence not in results
                ]
                yield said, proving.verdicts(said.text, quotes)
            loose += _find_unstated_text(claim)
        for text in loose:
            yield None, proving.verdicts(text)

    def _proving(self, answer: DataProse) -> ProofCheck:
        return ProofCheck(answer.numbers, self._tables, self._said, self._language)

    def _shown_tables(self) -> Iterator[AnswerTable]:
        queries = queries_of(self._given)
        for number, (digest, table, query) in enumerate(
            zip(self._given.results, self._tables, queries, strict=True), start=1
        ):
            yield AnswerTable(
                number=number,
                artifact=digest.artifact,
                evidence=digest.evidence,
                database=table.database,
                dialect=table.dialect,
                sql=table.sql,
                columns=table.columns,
                rows=table.rows[:SHOWN_ROWS],
                row_count=len(table.rows),
                truncated=table.truncated,
                at=table.at,
                reasons=query.query.reasons if query else (),
                choices=(*(query.query.choices if query else ()), *table.notes),
                repairs=query.repairs if query else (),
                parents=table.parents,
            )

    def _with_rows(self, claim: Claim) -> Claim:
        return claim.model_copy(
            update={"citations": tuple(one for cited in claim.citations for one in self._rows(cited))}
        )

    def _rows(self, cited: Citation) -> Iterator[Citation]:
        """The lines of the rows that a citation names by their numbers; another one stays as it is."""
        number = cited.evidence.removeprefix(RESULT_KEY)
        named = _ROWS.fullmatch(cited.quote)
        if cited.evidence not in self.ids or named is None:
            yield cited
            return
        rows = self._tables[int(number) - 1].rows
        first = int(named["first"])
        last = min(int(named["last"] or first), first + MOST_QUOTED_ROWS - 1)
        if not 1 <= first <= last <= len(rows):
            yield cited
            return
        for row in range(first, last + 1):
            yield cited.model_copy(update={"quote": row_line(row, rows[row - 1])})


def with_claims(draft: ReportDraft, change: Callable[[Claim], Claim]) -> ReportDraft:
    """`draft` with each of its claims changed."""
    parts: Mapping[str, tuple[Claim, ...]] = {
        name: tuple(map(change, getattr(draft, name)))
        for name in ("introduction", "key_findings", "disputed", "strength", "conclusion")
    }
    sections = tuple(one.model_copy(update={"claims": tuple(map(change, one.claims))}) for one in draft.sections)
    return draft.model_copy(update={**parts, "sections": sections})


def _list_given_numbers(given: DataWriterInput) -> Iterator[GivenNumbers]:
    """Collect numbers that need no cell, with their origin."""
    yield GivenNumbers("the question", given.question)
    for one in given.guidance:
        yield GivenNumbers("what was said meanwhile", one)
    for query in given.queries:
        for choice in query.query.choices:
            yield GivenNumbers("a choice that was made", choice)
    for one in given.forecasts:
        yield GivenNumbers("a forecast", one)
    for one in given.gaps:
        yield GivenNumbers("a gap", one)


def _iter_column_names(tables: Sequence[ResultTable]) -> Iterator[GivenNumbers]:
    for name in dict.fromkeys(column.name for table in tables for column in table.columns):
        yield GivenNumbers("the name of a column", name)


def _find_unstated_text(claim: CheckedClaim) -> Iterator[str]:
    """Yield the text of a block besides its statements: headings, the heads of tables, code and formulas."""
    if claim.kind in ("heading", "code", "formula") or not claim.statements:
        yield _MARKUP.sub(" ", claim.text)
    elif claim.kind == "table":
        yield _MARKUP.sub(" ", claim.text.lstrip().partition("\n")[0])
