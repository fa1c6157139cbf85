"""The agent that fills in the asker's schema: for each value its quotes, or why it is not known.

A model is asked for the schema's own tree with an object of value, citations and reason at each leaf, so that nothing
can be answered without saying what it rests on. The state holds the leaves, each with its JSON pointer. A leaf that is
no value of its types is dropped here; whether values fit the schema and their quotes hold is decided later, by code
(`answer_assembly`). The model learns once, before, what does not.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import JsonValue, WithJsonSchema, create_model
from pydantic.json_schema import SkipJsonSchema

from elcano.doors.structured_answers.answer_form import (
    Place,
    build_answer_schema,
    coerce_value,
    explain_uncoercible,
    list_filled_fields,
)
from elcano.doors.structured_answers.schema_reader import read_form
from elcano.graphs.added_steps import FORM_FILLER
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.plugin import import_object
from elcano.graphs.report.report import Citation
from elcano.graphs.state.plan import SectionResult
from elcano.graphs.state.state import DraftRef
from elcano.graphs.text import ensure_list, format_count, shorten_text

QUOTE_CHARACTERS: Final = 2_000
"""As of citations in reports."""
MOST_CITATIONS: Final = 8
"""Citations of one value; more are left out."""
SHOWN_CHARACTERS: Final = 100
"""Maximum characters of a dropped value in the reason."""


class FormInput(AgentInput):
    """The form to fill in, and the passages to fill it from."""

    output_schema: JsonObject = {}
    draft: DraftRef | None = None
    """The draft of the report; None: none was written."""
    evidence: tuple[str, ...] = ()


class FilledField(Frozen):
    """One leaf of the schema as the agent filled it in, before its quotes were looked up."""

    pointer: str
    """Its place in the answer as a JSON pointer: `/sizes/0/name`."""
    value: Json = None
    citations: tuple[Citation, ...] = ()
    """By the ids of passages; of keys that no shown passage has, the keys."""
    reason: str = ""
    """Why it is not known, in the agent's words."""


class FilledForm(Frozen):
    """Every leaf that was filled in; those of a list are counted from 0."""

    fields: SkipJsonSchema[tuple[FilledField, ...]] = ()


INSTRUCTIONS: Final = """\
You fill in a form from the passages that were found for a question. `given.output_schema` is the form; the \
descriptions in it say what is wanted. `sections` has the report on the question as claims with their citations.

- For each field give `value`, and in `citations` the words that it rests on: `evidence` is the key of a passage, \
`quote` literal words of that passage, nothing added and nothing left out. Cite every passage that says it, not one.
- Every figure and name of a value must stand in its quotes, a text in their words as far as possible. Do not convert, \
add up or estimate.
- What no passage says is not known, however sure you are: leave `value` null, and say in `reason` what is missing.
- Values fit the form: its types, choices, formats and patterns.
- Lists have only items that passages name; an item of which nothing is known is left out.
- Passages that contradict one another: give the value that is better supported, and say so in `reason`.
"""


VALIDATION: Final = "elcano.doors.structured_answers.form_validation:FormValidation"
"""Imported where values are checked: workflows load this module, and not what validates."""


def load_form(schema: JsonObject) -> Place:
    """The form of a schema without faults.

    Raises:
        ValueError: it has faults.
    """
    form, faults = read_form(schema)
    if form is None:
        raise ValueError(f"the schema has faults: {'; '.join(map(str, faults))}")
    return form


@lru_cache(maxsize=64)
def _build_answer_model(schema: str) -> type[FilledForm]:
    """The answer is any object of the form; what does not fit of it is left out leaf by leaf, not the whole."""
    form = WithJsonSchema(build_answer_schema(load_form(json.loads(schema))))
    answer: Any = Annotated[dict[str, JsonValue], form]
    made: type[FilledForm] = create_model("Answer", __base__=FilledForm, __module__=__name__, answer=(answer, ...))
    return made


def choose_answer_model(task: TaskEnvelope) -> type[FilledForm]:
    """The model of the answer to a task: the schema with the basis of each leaf."""
    return _build_answer_model(json.dumps(task.given["output_schema"]))


def build_task(given: FormInput, loaded: Loaded) -> TaskEnvelope:
    """The form, the report and the passages."""
    return loaded.envelope(FORM_FILLER, given).model_copy(
        update={"given": {"output_schema": given.output_schema}, "sections": loaded.drafts.sections}
    )


def needs_of(given: FormInput) -> Needs:
    """The draft, and the passages, those that it cites first."""
    draft = given.draft
    if draft is None:
        return Needs(evidence=given.evidence)
    result = SectionResult(title=draft.title, key_question=given.question, draft=draft.artifact)
    return Needs(evidence=given.evidence, first=draft.evidence, sections=(result,))


def resolve_fields(said: FilledForm, given: FormInput, ids: Mapping[str, str]) -> FilledForm:
    """The leaves of a model's answer, citing passages by their ids."""
    leaves = list_filled_fields(load_form(given.output_schema), said.model_dump(mode="json").get("answer"))
    return FilledForm(fields=tuple(_resolve_field(at, leaf, found, ids) for at, leaf, found in leaves))


def _resolve_field(at: str, leaf: Place, said: JsonObject, ids: Mapping[str, str]) -> FilledField:
    value, reason = said.get("value"), said.get("reason")
    explanation = reason if isinstance(reason, str) else ""
    if value is not None and (found := coerce_value(leaf, value)) is None:
        shown = shorten_text(json.dumps(value, ensure_ascii=False), SHOWN_CHARACTERS)
        value, explanation = None, f"{shown} was dropped: {explain_uncoercible(leaf, value)}"
    elif value is not None:
        value = found
    citations = (one for one in ensure_list(said.get("citations")) if isinstance(one, dict))
    cited = [
        Citation(evidence=ids.get(evidence, evidence), quote=quote)
        for one in citations
        if isinstance(evidence := one.get("evidence"), str)
        and isinstance(quote := one.get("quote"), str)
        and 0 < len(quote) <= QUOTE_CHARACTERS
    ]
    return FilledField(pointer=at, value=value, citations=tuple(cited[:MOST_CITATIONS]), reason=explanation)


def find_unbased_values(said: FilledForm, given: FormInput, ids: Mapping[str, str]) -> list[str]:
    """Values that do not fit, cite nothing, or passages that were not shown, in sentences for the model."""
    leaves = list_filled_fields(load_form(given.output_schema), said.model_dump(mode="json").get("answer"))
    validation = import_object(VALIDATION, "the agent `form_filler`")(given.output_schema)
    found = []
    for at, leaf, filled in leaves:
        one = _resolve_field(at, leaf, filled, ids)
        known = [cited for cited in one.citations if cited.evidence in ids.values()]
        if one.value is None and filled.get("value") is not None:
            found.append(f"`{at}`: {one.reason}.")
        elif one.value is not None and (why := validation.explain_misfit(leaf.schemas, one.value)):
            found.append(f"`{at}` does not fit the schema: {why}. Give a value that does, or leave it null.")
        elif one.value is not None and not known:
            cites = "cites no passage that you were shown" if one.citations else "has no citation"
            found.append(f"`{at}` {cites}: quote a passage that says it, or leave its `value` null.")
    return found[:20]


def describe_form(output: JsonObject) -> tuple[str, JsonObject]:
    """Describe how many fields have a value."""
    fields = [one for one in ensure_list(output.get("fields")) if isinstance(one, dict)]
    known = sum(one.get("value") is not None for one in fields)
    return f"Filled in {known} of {format_count(len(fields), 'field')}", {"fields": len(fields), "filled": known}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name=FORM_FILLER,
    description="Fills in the answer in the schema of the asker.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Fill in the form in this task envelope.",
        answer=FilledForm,
        shown=build_task,
        answers=choose_answer_model,
    ),
    input=FormInput,
    output=FilledForm,
    starts="analyzing",
    completes="analysis_complete",
    output_tokens=3_000,
    evidence_tokens=16_000,
    needs=needs_of,
    faults=find_unbased_values,
    settled=resolve_fields,
    begins=lambda given: f"filling in the form from {format_count(len(ensure_list(given.get('evidence'))), 'passage')}",
    summary=describe_form,
)
