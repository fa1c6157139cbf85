"""The answer in the asker's schema as a part of the report: as data, and as a table of fields."""

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from elcano.activities.report.additions import AddedText, ReportAddition
from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.markdown import escape_markdown, render_number, render_table
from elcano.doors.structured_answers.answer_assembly import AnswerField, Assembly, StructuredAnswer
from elcano.doors.structured_answers.form_filler import FilledForm, load_form
from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.report.report import Citation
from elcano.graphs.text import shorten_text
from elcano.text.phrases import Phrases

CELL_CHARACTERS: Final = 300
MOST_ROWS: Final = 200
NOT_FILLED: Final = "the form was not filled in"


class AnswerAddition(ReportAddition):
    """The answer of a run that was asked for one in a schema; nothing of others."""

    name = ATTACHED

    @cached_property
    def _filled(self) -> FilledForm | None:
        appended = self.material.call.appended
        return None if appended is None or not self.material.call.output_schema else FilledForm.model_validate(appended)

    @property
    def citations(self) -> tuple[Citation, ...]:  # type: ignore[override]
        """Return the evidence of the values, looked up with the citations of the draft."""
        return () if self._filled is None else tuple(cited for one in self._filled.fields for cited in one.citations)

    def render(self, checked: CheckedDraft | None, words: Phrases) -> AddedText:
        """The answer as data, and a table of its fields."""
        schema = self.material.call.output_schema
        if not schema:
            return AddedText()
        if checked is None or self._filled is None:
            ending = self.material.call.ending
            reason = f"{NOT_FILLED}: {ending.detail or ending.kind}" if ending else NOT_FILLED
            answer = StructuredAnswer(output_schema=schema, answer=None, reason=reason)
            return AddedText(data=answer.model_dump(mode="json"))
        looked_up = {(one.evidence, one.quote): one for one in checked.beside}
        found = {one: looked_up[one.evidence, one.quote] for one in self.citations}
        # A worker starts without it: few runs are asked for an answer in a schema.
        from elcano.doors.structured_answers.form_validation import FormValidation

        assembly = Assembly(self._filled.fields, found, checked.marks, FormValidation(schema))
        value, fields = assembly.assemble(load_form(schema))
        if not isinstance(value, dict):
            reason = "; ".join(one.reason for one in fields)
            answer = StructuredAnswer(output_schema=schema, answer=None, fields=tuple(fields), reason=reason)
            return AddedText(data=answer.model_dump(mode="json"))
        answer = StructuredAnswer(output_schema=schema, answer=value, fields=tuple(fields))
        return AddedText(data=answer.model_dump(mode="json"), closing=list(_render_fields(fields, checked)))


def _render_fields(fields: list[AnswerField], checked: CheckedDraft) -> Iterator[str]:
    yield "## Answer in the requested form"
    rows = []
    for one in fields[:MOST_ROWS]:
        numbers = dict.fromkeys(cited.number for cited in one.citations if cited.number is not None)
        marks = "".join(render_number(number, checked.marks) for number in numbers) if one.value is not None else ""
        said = "unknown" if one.value is None else str(one.value)
        rows.append(
            (
                escape_markdown(one.pointer.removeprefix("/")),
                escape_markdown(shorten_text(said, CELL_CHARACTERS)),
                one.confidence or "—",
                " ".join(filter(None, (marks, escape_markdown(shorten_text(one.reason, CELL_CHARACTERS))))) or "—",
            )
        )
    yield render_table(("Field", "Value", "Confidence", "Basis"), rows)
    if len(fields) > MOST_ROWS:
        yield f"The first {MOST_ROWS} of {len(fields)} fields."
