"""The agents of the mode `data` that write SQL, without a model: they answer saved questions and refuse all others.

A saved question is one that the operator stored with its SQL. It counts only if it is the question that is asked, but
for politeness, articles and plural endings: a query that answers something similar is worse than none.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ValidationError

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.report.report import Citation, title_for
from elcano.graphs.text import ensure_list, shorten_text
from elcano.subjects.data.agents.data_writer import DataProse
from elcano.subjects.data.data_answer import CellReference, NumberProof
from elcano.subjects.data.query_models import Splitting, SqlExample, SqlRepair, SqlWriting
from elcano.subjects.data.results import NO_ROW, ShownRows, format_number, on_one_line
from elcano.subjects.research.agents.input_parser import UNDERSTOOD
from elcano.text.languages import ENGLISH, language_of
from elcano.text.same_question import is_same_question, list_readings

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
    examples = list(_iter_examples(task.given.get("examples")))
    found = _find_example(task, examples)
    if found is not None:
        unread = (NOT_READ,) if _read_background(task) or task.guidance else ()
        return SqlWriting(sql=found.sql, choices=(f"{SAVED} {_quote_question(found.question)}.", *unread))
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


def _read_background(task: TaskEnvelope) -> str:
    """The background that a person gave, without the lines that say in other words what the question is after."""
    lines = (line.strip() for line in task.background.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(UNDERSTOOD))


def _iter_examples(examples: object) -> Iterator[SqlExample]:
    for one in examples if isinstance(examples, list) else ():
        try:
            yield SqlExample.model_validate(one)
        except ValidationError:
            continue


def _name_questions(task: TaskEnvelope, alike: Iterable[str]) -> str:
    """Which questions are saved, those first that are like the task's."""
    names = [*alike, *(one for one in ensure_list(task.given.get("saved_questions")) if isinstance(one, str))]
    if not names:
        return "This database has none."
    return f"Saved for this database are: {', '.join(map(_quote_question, names[:MOST_NAMED]))}."


def _quote_question(question: str) -> str:
    return f"“{shorten_text(' '.join(question.split()), QUESTION_CHARACTERS)}”"


MOST_RESULTS: Final = 8
MOST_FIELDS: Final = 8
LABEL_CHARACTERS: Final = 80
NO_RESULT: Final = "No query gave a result, so there is nothing to answer from."
_ESCAPED: Final = str.maketrans({one: f"\\{one}" for one in "\\`*_[]<>|$~#&"})


def answer_task(task: TaskEnvelope) -> DataProse:
    """The answer to `task`: the only row of each result, or the first one; it proves all of its own numbers."""
    results = [ShownRows.of(one) for one in ensure_list(task.given.get("results")) if isinstance(one, dict)]
    title = title_for(task.question)
    if not results:
        return DataProse(title=title, limitations=(NO_RESULT,), answered=False)
    language = language_of(task.question)
    lines: list[str] = []
    citations: list[Citation] = []
    proofs: dict[NumberProof, None] = {}
    for number, one in enumerate(results[:MOST_RESULTS], start=1):
        citations.append(Citation(evidence=one.key, quote="Row 1" if one.rows else NO_ROW, mark=f"q{number}"))
        lines.append(f"{_describe_rows(one, language, proofs)} [q{number}].")
    cut = "A result was not read to its end: there are more rows than stand here."
    return DataProse(
        title=title,
        introduction="\n\n".join(lines),
        limitations=(cut,) if any(one.truncated for one in results) else (),
        numbers=tuple(proofs),
        citations=tuple(citations),
    )


def _describe_rows(result: ShownRows, language: str, proofs: dict[NumberProof, None]) -> str:
    """The fields of the first row; what proves their numbers goes into `proofs`."""
    english = language == ENGLISH
    if not result.rows:
        return "The query found no row" if english else "∅"
    fields: list[str] = []
    for at, name in enumerate(result.names[:MOST_FIELDS]):
        value = result.number(0, at) if at in result.measures else None
        shown = result.said(0, at) if value is None else format_number(value, language)
        empty = result.rows[0][at] is None
        if not empty and any(one.isdigit() for one in shown[:LABEL_CHARACTERS]):
            cell = CellReference(result=result.number_of, column=name, row=1)
            proofs[NumberProof(text=shown[:LABEL_CHARACTERS].strip(), operation="cell", cells=(cell,))] = None
        verb = (" has no value" if empty else " is") if english else " ="
        shown = f"({shown})" if english and empty else shorten_text(shown, LABEL_CHARACTERS)
        fields.append(f"{_escape_markdown(on_one_line(name))}{verb} {_escape_markdown(shown)}")
    first = "In the first row, " if english and result.row_count > 1 else ""
    return first + "; ".join(fields)


def _escape_markdown(text: str) -> str:
    return text.translate(_ESCAPED)
