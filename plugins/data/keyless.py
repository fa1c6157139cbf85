"""The agents of the mode `data` that write SQL, without a model: they answer saved questions and refuse all others.

A saved question is one that the operator stored with its SQL. It counts only if it is the question that is asked, but
for politeness, articles and plural endings: a query that answers something similar is worse than none.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from pydantic import ValidationError

from elcano.activities.text.language_detection import language_of
from elcano.activities.text.languages import ENGLISH
from elcano.activities.text.same_question import is_same_question, list_readings
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.report.draft import Citation, title_for
from elcano.graphs.text import ensure_list, shorten_text
from elcano.plugins.data.agents.data_writer import DataProse
from elcano.plugins.data.agents.splitter import Splitting
from elcano.plugins.data.answering.shapes import ShownRows, format_number
from elcano.plugins.data.data_answer import CellReference, NumberProof, Operation
from elcano.plugins.data.query_models import SqlExample, SqlRepair, SqlWriting
from elcano.plugins.data.results import NO_ROW, on_one_line
from elcano.plugins.research.agents.input_parser import UNDERSTOOD

SAVED: Final = "No language model was used: the query was saved for the question"
NEEDS_MODEL: Final = "Free questions to a database need a language model; without one it answers saved questions alone."
NOT_READ: Final = "Its background and guidance were not read: the query answers the question alone."
NOT_MENDED: Final = "Mending a query needs a language model; a saved one is mended where the operator saved it."
QUESTION_CHARACTERS: Final = 150
"""Maximum length of a saved question in a sentence."""
MOST_NAMED: Final = 4


def choose_one_query(task: TaskEnvelope) -> Splitting:
    """One query for the whole question: only a model can divide one, or ask for a forecast."""
    return Splitting(reason="Without a language model a question goes as one query.")


def write_sql(task: TaskEnvelope) -> SqlWriting:
    """The query that was saved for the question of a task of the SQL writer, or that free questions need a model."""
    examples = list(_examples(task.given.get("examples")))
    found = _find_example(task, examples)
    if found is not None:
        unread = (NOT_READ,) if _background(task) or task.guidance else ()
        return SqlWriting(sql=found.sql, choices=(f"{SAVED} {_quote(found.question)}.", *unread))
    why = f"{NEEDS_MODEL} {_name_questions(task, [one.question for one in examples])}"
    if task.given.get("documents") is True:
        return SqlWriting(decision="documents", explanation=f"{why} Documents are searched instead.")
    return SqlWriting(decision="refused", explanation=why)


def repair_sql(task: TaskEnvelope) -> SqlRepair:
    """Return no query: only a model can repair one."""
    return SqlRepair(explanation=NOT_MENDED)


def _find_example(task: TaskEnvelope, examples: list[SqlExample]) -> SqlExample | None:
    """The example of the task's question, or of what it asks together with the one before it."""
    readings = list_readings(task)
    fitting = (one for asked in readings for one in examples if is_same_question(asked, one.question))
    return next(fitting, None)


def _background(task: TaskEnvelope) -> str:
    """The background that a person gave, without the lines that say in other words what the question is after."""
    lines = (line.strip() for line in task.background.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(UNDERSTOOD))


def _examples(told: object) -> Iterator[SqlExample]:
    for one in told if isinstance(told, list) else ():
        try:
            yield SqlExample.model_validate(one)
        except ValidationError:
            continue


def _name_questions(task: TaskEnvelope, alike: Iterable[str]) -> str:
    """Which questions are saved, those first that are like the task's."""
    names = [*alike, *(one for one in ensure_list(task.given.get("saved_questions")) if isinstance(one, str))]
    if not names:
        return "This database has none."
    return f"Saved for this database are: {', '.join(map(_quote, names[:MOST_NAMED]))}."


def _quote(question: str) -> str:
    return f"“{shorten_text(' '.join(question.split()), QUESTION_CHARACTERS)}”"


MOST_RESULTS: Final = 8
MOST_FIELDS: Final = 8
LABEL_CHARACTERS: Final = 80
MOST_EQUAL: Final = 3
"""Rows of one value that are named one by one."""
NO_RESULT: Final = "No query gave a result, so there is nothing to answer from."
_ESCAPED: Final = str.maketrans({one: f"\\{one}" for one in "\\`*_[]<>|$~#&"})


@dataclass
class _Sentence:
    """A sentence on its way: words, and what its numbers are."""

    result: ShownRows
    language: str
    text: str = ""
    proofs: list[NumberProof] = field(default_factory=list)

    def words(self, text: str) -> "_Sentence":
        """Words of our own."""
        self.text += text
        return self

    def name(self, at: int) -> "_Sentence":
        """The name of a column."""
        self.text += _shown(on_one_line(self.result.names[at]))
        return self

    def cell(self, row: int, at: int, *, measure: bool = False) -> "_Sentence":
        """The value of a cell; `row` counts from 0."""
        value = self.result.number(row, at) if measure else None
        said = self.result.said(row, at)
        shown = said[:LABEL_CHARACTERS].strip() if value is None else format_number(value, self.language)
        self.text += _shown(shown) + ("…" if value is None and len(said) > LABEL_CHARACTERS else "")
        if any(one.isdigit() for one in shown):
            self._prove(shown, "cell", (row, at))
        return self

    def change(self, row: int, before: int, at: int) -> "_Sentence":
        """The change from one row to another, in percent with its sign; nothing if there is none."""
        new, old = self.result.number(row, at), self.result.number(before, at)
        if new is not None and old:
            shown = format_number((new - old) / abs(old) * 100, self.language, signed=True) + " %"
            self.text += f" ({shown})"
            self._prove(shown, "change", (row, at), (before, at))
        return self

    def also(self, rows: Sequence[int], at: int) -> "_Sentence":
        """The value that was told last is that of these rows as well, by which they may be named."""
        for row in rows:
            self._prove(self.proofs[-1].text, "cell", (row, at))
        return self

    def _prove(self, text: str, operation: Operation, *cells: tuple[int, int]) -> None:
        named = tuple(
            CellReference(result=self.result.number_of, column=self.result.names[at], row=row + 1) for row, at in cells
        )
        self.proofs.append(NumberProof(text=text, operation=operation, cells=named))


def answer(task: TaskEnvelope) -> DataProse:
    """The answer to `task`, which proves all of its own numbers."""
    results = [ShownRows.of(one) for one in ensure_list(task.given.get("results")) if isinstance(one, dict)]
    title = title_for(task.question)
    if not results:
        return DataProse(title=title, limitations=(NO_RESULT,), answered=False)
    language = language_of(task.question)
    lines: list[str] = []
    citations: list[Citation] = []
    proofs: dict[NumberProof, None] = {}
    for one in results[:MOST_RESULTS]:
        mark = f"q{len(citations) + 1}"
        said = _of(one, language)
        citations.append(Citation(evidence=one.key, quote="Row 1" if one.rows else NO_ROW, mark=mark))
        lines.append(f"{said.text} [{mark}].")
        proofs |= dict.fromkeys(said.proofs)
    cut = "A result was not read to its end: there are more rows than stand here."
    return DataProse(
        title=title,
        introduction="\n\n".join(lines),
        limitations=(cut,) if any(one.truncated for one in results) else (),
        numbers=tuple(proofs),
        citations=tuple(citations),
    )


def _of(result: ShownRows, language: str) -> _Sentence:
    said = _Sentence(result, language)
    english = language == ENGLISH
    if not result.rows:
        return said.words("The query found no row" if english else "∅")
    if len(result.rows) == 1 and result.row_count == 1:
        return _row(said, english=english)
    measures, labels = result.measures, result.labels
    if not measures or not labels:
        return _list(said, (labels or measures)[0], english=english)
    if result.whole and result.is_series(labels[0]):
        return _series(said, labels[0], measures[0], english=english)
    return _ranked(said, labels, measures[0], english=english)


def _row(said: _Sentence, *, english: bool) -> _Sentence:
    """One row: its fields, one after the other."""
    result = said.result
    measures = set(result.measures)
    for place, at in enumerate(range(min(len(result.names), MOST_FIELDS))):
        said.words("; " if place else "").name(at)
        if result.rows[0][at] is None:
            said.words(" has no value (NULL)" if english else " = NULL")
        else:
            said.words(" is " if english else " = ").cell(0, at, measure=at in measures)
    return said


def _list(said: _Sentence, at: int, *, english: bool) -> _Sentence:
    """Rows without a measure: what they are called."""
    rows = range(min(len(said.result.rows), MOST_FIELDS))
    if english:
        said.words("The rows are " if said.result.row_count == len(rows) else "The first rows are ")
    for row in rows:
        said.words(", " if row else "").cell(row, at)
    return said


def _series(said: _Sentence, at: int, measure: int, *, english: bool) -> _Sentence:
    """Over time: the first value, the last one, and the change."""
    result = said.result
    order = [row for row in result.in_time(at) if result.number(row, measure) is not None]
    if len(order) < 2:
        return _ranked(said, [at], measure, english=english)
    first, last = order[0], order[-1]
    if english:
        said.words("From ").cell(first, at).words(" to ").cell(last, at).words(", ").name(measure).words(" went from ")
        said.cell(first, measure, measure=True).words(" to ").cell(last, measure, measure=True)
    else:
        said.name(measure).words(": ").cell(first, at).words(" = ").cell(first, measure, measure=True).words(" → ")
        said.cell(last, at).words(" = ").cell(last, measure, measure=True)
    return said.change(last, first, measure)


def _ranked(said: _Sentence, labels: Sequence[int], measure: int, *, english: bool) -> _Sentence:
    """Groups: which has the most and which the least; of rows that are not all here, the first one."""
    result = said.result
    rows = [row for row in range(len(result.rows)) if result.number(row, measure) is not None]
    if not rows:
        return _list(said, labels[0], english=english)
    if not result.whole:
        said.words("The first row is " if english else "").cell(rows[0], labels[0])
        return said.words(": ").name(measure).words(" = ").cell(rows[0], measure, measure=True)
    ordered = sorted(rows, key=lambda row: (-(result.number(row, measure) or Decimal(0)), row))
    most = [row for row in ordered if result.number(row, measure) == result.number(ordered[0], measure)]
    least = [row for row in ordered if result.number(row, measure) == result.number(ordered[-1], measure)]
    said.words("The highest " if english else "max ").name(measure)
    said.words(" has " if english and len(most) == 1 else " have " if english else ": ")
    _labelled(said, most, labels, measure, english=english)
    if most != least:
        said.words(", the lowest " if english else "; min: ")
        _labelled(said, least, labels, measure, english=english)
    return said


def _labelled(said: _Sentence, rows: Sequence[int], labels: Sequence[int], measure: int, *, english: bool) -> None:
    """Rows that are equal by what they are called, and what they have in common."""
    for nth, row in enumerate(rows[:MOST_EQUAL]):
        last = " and " if len(rows) <= MOST_EQUAL else "; "
        said.words("" if not nth else last if english and nth == min(len(rows), MOST_EQUAL) - 1 else "; ")
        for place, at in enumerate(labels[:3]):
            said.words(", " if place else "").cell(row, at)
    if len(rows) > MOST_EQUAL:
        said.words(" and others" if english else " …")
    said.words(" with " if english else " = ").cell(rows[0], measure, measure=True)
    said.also(rows[1:MOST_EQUAL], measure)


def _shown(text: str) -> str:
    return text.translate(_ESCAPED)
