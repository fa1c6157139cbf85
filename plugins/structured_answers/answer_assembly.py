"""Makes the answer out of filled-in fields: a value stays only if its quotes hold, and confidence follows a rule.

No model has a say here. A value is dropped, with the reason, if none of its citations holds, or if a figure in it, or a
name in a free text, stands in none of its quotes; a list if fewer items are left than its schema wants. Every field may
be null, whatever the schema says: unknown is never invented. Confidence is high if two independent sources (numbered
references that were not retracted) have the value in so many words; medium if one has, or if two are cited for it; low
otherwise, as of a conclusion from one source.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from elcano.activities.report.checked_draft import REASONS
from elcano.activities.support.missing_facts import Statement, figures_unquoted, find_missing_facts
from elcano.activities.support.quotes import QuoteIndex
from elcano.graphs.errors import build_json_pointer
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.report.report import Citation
from elcano.graphs.report.statements import CheckedCitation
from elcano.graphs.schemas.shape import Shape
from elcano.graphs.text import format_count, shorten_text
from elcano.plugins.structured_answers.form_filler import FilledField

Confidence: TypeAlias = Literal["high", "medium", "low"]
SHOWN_CHARACTERS: Final = 100
"""Of a dropped value, in the reason."""
NOT_SAID: Final = "no passage that was found says it"


class AnswerField(Frozen):
    """One field of an answer with its basis."""

    pointer: str
    """Its place in `answer`, as a JSON pointer; of a list without items that of the list."""
    value: Json = None
    """None: it is not known."""
    confidence: Confidence | None = None
    """None: it has no value."""
    reason: str = ""
    """Why it is not known; of a value what its agent noted on it."""
    citations: tuple[CheckedCitation, ...] = ()
    """Each with its quote, verdict, place in the stored text and number of the reference. Of a value, one at least is
    verified."""


class StructuredAnswer(Frozen):
    """The answer in the schema of the asker, and what each field rests on."""

    output_schema: JsonObject
    answer: JsonObject | None
    """Fits the schema, but that each field may be null; None: the form was not filled in."""
    fields: tuple[AnswerField, ...] = ()
    """Every field, in the order of the schema."""
    reason: str = ""
    """Why there is no answer."""


class Assembly:
    """Assembles one answer; `fields` are collected in their order."""

    def __init__(
        self, filled: Iterable[FilledField], checked: Mapping[Citation, CheckedCitation], doubtful: Iterable[int]
    ) -> None:
        """`checked`: what became of each citation; `doubtful`: numbers of references that do not stand."""
        self._filled = {one.pointer: one for one in filled}
        self._checked = checked
        self._doubtful = frozenset(doubtful)

    def assemble(self, shape: Shape, at: str = "", to: str = "") -> tuple[Json, list[AnswerField]]:
        """The value of a place of the schema and the fields within it.

        Args:
            shape: What may stand there.
            at: Its pointer among the filled-in fields.
            to: Its pointer in the answer, in which items that nothing is known of are left out.
        """
        if shape.kind == "object":
            value: JsonObject = {}
            fields: list[AnswerField] = []
            for one in shape.properties:
                name = build_json_pointer(one.name)
                value[one.name], more = self.assemble(one.shape, at + name, to + name)
                fields += more
            return value, fields
        if shape.items is not None:
            return self._assemble_list(shape, shape.items, at, to)
        field = self._judge(self._filled.get(at, FilledField(pointer=at)), shape, to)
        return field.value, [field]

    def _assemble_list(self, shape: Shape, items: Shape, at: str, to: str) -> tuple[Json, list[AnswerField]]:
        values: list[Json] = []
        fields: list[AnswerField] = []
        dropped: list[AnswerField] = []
        number = 0
        while any(one == f"{at}/{number}" or one.startswith(f"{at}/{number}/") for one in self._filled):
            value, more = self.assemble(items, f"{at}/{number}", f"{to}/{len(values)}")
            if any(one.value is not None for one in more):
                values.append(value)
                fields += more
            else:
                dropped += more
            number += 1
        least = max(1, int(shape.bounds.least or 0))
        if len(values) >= least:
            return values, fields
        reason = next((one.reason for one in dropped if one.reason), NOT_SAID)
        if values:
            reason = f"{format_count(len(values), 'item')} of at least {least} can be based on a passage"
        return None, [AnswerField(pointer=to, reason=reason)]

    def _judge(self, filled: FilledField, shape: Shape, to: str) -> AnswerField:
        """One field; its value is None if that has no basis."""
        citations = tuple(self._checked[one] for one in dict.fromkeys(filled.citations))
        held = tuple(one for one in citations if one.verdict == "verified")
        value, reason = filled.value, filled.reason
        if value in (None, ""):
            return AnswerField(pointer=to, reason=reason or NOT_SAID, citations=citations)
        if not held:
            why = REASONS[citations[0].verdict if citations else "no_citation"]
        else:
            why = "; ".join(_list_missing_facts(value, shape, held))
        if why:
            dropped = f"{shorten_text(_write_value(value), SHOWN_CHARACTERS)!r} was dropped: {why}"
            return AnswerField(pointer=to, reason=dropped, citations=citations)
        confidence = self._rate(value, held)
        return AnswerField(pointer=to, value=value, confidence=confidence, reason=reason, citations=citations)

    def _rate(self, value: Json, held: Iterable[CheckedCitation]) -> Confidence:
        """By how many sources have the value in so many words, and how many are cited for it."""
        sound = [one for one in held if one.number not in self._doubtful]
        stated = {one.number for one in sound if _stands_in(value, one.quote)}
        cited = {one.number for one in sound}
        return "high" if len(stated) > 1 else "medium" if stated or len(cited) > 1 else "low"


def _list_missing_facts(value: Json, shape: Shape, held: Iterable[CheckedCitation]) -> tuple[str, ...]:
    """Figures, and names in free texts, that stand in no quote; of what is chosen from a list or is true, nothing."""
    if isinstance(value, bool) or shape.choices:
        return ()
    said = Statement(_write_value(value), tuple(one.quote for one in held))
    return find_missing_facts(said).reasons if isinstance(value, str) else figures_unquoted(said)


def _stands_in(value: Json, quote: str) -> bool:
    """Whether a quote has the value in so many words, or a number in figures of any form."""
    if isinstance(value, str):
        return QuoteIndex.of(quote).find(value) is not None
    return not isinstance(value, bool) and not figures_unquoted(Statement(_write_value(value), (quote,)))


def _write_value(value: Json) -> str:
    """A value as a sentence has it: `12`, not `12.0`."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)
