"""Makes the answer out of filled-in fields: a value stays only if its quotes hold, and confidence follows a rule.

No model has a say here. A value is dropped, with the reason, if it does not fit the schema, if none of its citations
holds, or if a figure in it, or a name in a free text, is in none of its quotes. Every field may be null, whatever
the schema says: unknown is never invented. What else the schema demands is checked of the whole: the innermost property
that does not fit is null. Confidence is high if two independent sources (numbered
references that were not retracted) have the value in so many words; medium if one has, or if two are cited for it; low
otherwise, as of a conclusion from one source.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from elcano.activities.report.checked_draft import REASONS
from elcano.doors.structured_answers.answer_form import Place
from elcano.doors.structured_answers.form_filler import FilledField
from elcano.graphs.errors import build_json_pointer
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.report.report import CheckedCitation, Citation
from elcano.graphs.text import shorten_text
from elcano.text.support.missing_facts import Statement, figures_unquoted, find_missing_facts
from elcano.text.support.quotes import QuoteIndex

if TYPE_CHECKING:  # the API starts without what validates
    from elcano.doors.structured_answers.form_validation import FormValidation

Confidence: TypeAlias = Literal["high", "medium", "low"]
SHOWN_CHARACTERS: Final = 100
"""Maximum characters of a dropped value in the reason."""
NOT_SAID: Final = "no passage found states it"


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
        self,
        filled: Iterable[FilledField],
        checked: Mapping[Citation, CheckedCitation],
        doubtful: Iterable[int],
        validation: "FormValidation",
    ) -> None:
        """`checked`: what became of each citation; `doubtful`: numbers of references that are retracted or doubted."""
        self._filled = {one.pointer: one for one in filled}
        self._checked = checked
        self._doubtful = frozenset(doubtful)
        self._validation = validation

    def assemble(self, form: Place) -> tuple[Json, list[AnswerField]]:
        """The answer, which fits its schema but for nulls, and its fields; null if no answer to the whole fits."""
        value, fields = self._assemble(form, "", "")
        while (misfit := self._validation.find_misfit(value)) is not None:
            path, reason = misfit
            while path and isinstance(path[-1], int):
                path = path[:-1]
            at = build_json_pointer(*path)
            dropped = AnswerField(pointer=at, reason=f"what was found does not fit the schema: {reason}")
            if not path:
                return None, [dropped]
            _set_null(value, path)
            within = [one.pointer == at or one.pointer.startswith(f"{at}/") for one in fields]
            first = within.index(True) if True in within else len(fields)
            kept = [one for one, inside in zip(fields, within, strict=True) if not inside]
            fields = [*kept[:first], dropped, *kept[first:]]
        return value, fields

    def _assemble(self, place: Place, at: str, to: str) -> tuple[Json, list[AnswerField]]:
        """The value of a place and the fields within it.

        Args:
            place: The place in the form.
            at: Its pointer among the filled-in fields.
            to: Its pointer in the answer, in which items that nothing is known of are left out.
        """
        if place.kind == "object":
            return self._assemble_object(place, at, to)
        if place.items is not None:
            return self._assemble_list(place, place.items, at, to)
        if place.either:
            return max((self._assemble(one, at, to) for one in place.either), key=lambda found: _count_known(found[1]))
        field = self._judge(self._filled.get(at, FilledField(pointer=at)), place, to)
        return field.value, [field]

    def _assemble_object(self, place: Place, at: str, to: str) -> tuple[Json, list[AnswerField]]:
        value: JsonObject = {}
        fields: list[AnswerField] = []
        for one in place.fields:
            name = build_json_pointer(one.name)
            value[one.name], more = self._assemble(one.place, at + name, to + name)
            fields += more
        if place.entries is None:
            return value, fields
        known = {build_json_pointer(one.name) for one in place.fields}
        inner = [one[len(at) :] for one in self._filled if one.startswith(f"{at}/")]
        for pointer in dict.fromkeys("/" + one.split("/")[1] for one in inner):
            name = pointer[1:].replace("~1", "/").replace("~0", "~")
            found, more = self._assemble(place.entries, at + pointer, to + pointer)
            if pointer in known or not self._has_basis(name, more):
                continue
            if not self._validation.explain_misfit((place.entry_rules,), {name: found}):
                value[name] = found
                fields += more
        if fields:
            return value, fields
        return None, [AnswerField(pointer=to, reason=NOT_SAID)]

    def _has_basis(self, name: str, fields: Iterable[AnswerField]) -> bool:
        """Whether a name that the schema does not give is in a quote of a value that is known under it."""
        known = [one for one in fields if one.value is not None]
        quotes = (cited.quote for one in known for cited in one.citations if cited.verdict == "verified")
        words = name.replace("_", " ")
        return any(_stands_in(name, quote) or _stands_in(words, quote) for quote in quotes)

    def _assemble_list(self, place: Place, items: Place, at: str, to: str) -> tuple[Json, list[AnswerField]]:
        values: list[Json] = []
        fields: list[AnswerField] = []
        dropped: list[AnswerField] = []
        seen: set[str] = set()
        inner = [one[len(at) + 1 :] for one in self._filled if one.startswith(f"{at}/")]
        for number in dict.fromkeys(one.partition("/")[0] for one in inner):
            value, more = self._assemble(items, f"{at}/{number}", f"{to}/{len(values)}")
            written = json.dumps(value, sort_keys=True)
            if not _count_known(more):
                dropped += more
            elif len(values) < place.most and not (place.unique and written in seen):
                values.append(value)
                fields += more
                seen.add(written)
        if values:
            return values, fields
        reason = next((one.reason for one in dropped if one.reason), NOT_SAID)
        return None, [AnswerField(pointer=to, reason=reason)]

    def _judge(self, filled: FilledField, leaf: Place, to: str) -> AnswerField:
        """One field; its value is None if that has no basis."""
        citations = tuple(self._checked[one] for one in dict.fromkeys(filled.citations))
        held = tuple(one for one in citations if one.verdict == "verified")
        value, reason = filled.value, filled.reason
        if value in (None, ""):
            return AnswerField(pointer=to, reason=reason or NOT_SAID, citations=citations)
        if misfit := self._validation.explain_misfit(leaf.schemas, value):
            why = f"it does not fit the schema: {misfit}"
        elif not held:
            why = REASONS[citations[0].verdict if citations else "no_citation"]
        else:
            why = "; ".join(_list_missing_facts(value, leaf, held))
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


def _list_missing_facts(value: Json, leaf: Place, held: Iterable[CheckedCitation]) -> tuple[str, ...]:
    """Figures, and names in free texts, that are in no quote; of what is chosen from a list or is true, nothing."""
    if isinstance(value, bool) or leaf.choices:
        return ()
    said = Statement(_write_value(value), tuple(one.quote for one in held))
    return find_missing_facts(said).reasons if isinstance(value, str) else figures_unquoted(said)


def _count_known(fields: Iterable[AnswerField]) -> int:
    return sum(one.value is not None for one in fields)


def _set_null(answer: Json, path: Sequence[str | int]) -> None:
    here: Any = answer
    for part in path[:-1]:
        here = here[part]
    here[path[-1]] = None


def _stands_in(value: Json, quote: str) -> bool:
    """Whether a quote has the value in so many words, or a number in figures of any form."""
    if isinstance(value, str):
        return QuoteIndex.of(quote).find(value) is not None
    return not isinstance(value, bool) and not figures_unquoted(Statement(_write_value(value), (quote,)))


def _write_value(value: Json) -> str:
    """A value as a sentence has it: `12`, not `12.0`."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)
