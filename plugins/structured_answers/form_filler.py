"""The agent that fills in the asker's schema: for each value its quotes, or why it is not known.

A model is asked for the schema's own tree with an object of value, citations and reason at each leaf, so that nothing
can be answered without saying what it rests on. The state holds the leaves, each with its JSON pointer. Whether the
quotes hold is decided later, by code (`answer_assembly`).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from pydantic import create_model
from pydantic.json_schema import SkipJsonSchema

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.answer_form import FORM_FILLER
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.errors import build_json_pointer
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.report.report import Citation
from elcano.graphs.schemas.schema_parser import parse_schema
from elcano.graphs.schemas.shape import Bounds, Property, Shape, model_of
from elcano.graphs.state.plan import SectionResult
from elcano.graphs.state.state import DraftRef
from elcano.graphs.text import ensure_list, format_count

QUOTE_CHARACTERS: Final = 2_000
"""As of citations in reports."""
MOST_CITATIONS: Final = 8
"""Citations of one value."""


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
- Lists have only items that passages name; an item of which nothing is known is left out.
- Passages that contradict one another: give the value that is better supported, and say so in `reason`.
"""


def read_shape(schema: JsonObject) -> Shape:
    """The shape of a schema without faults.

    Raises:
        ValueError: it has faults.
    """
    parsed = parse_schema(schema)
    if parsed.shape is None:
        raise ValueError(f"the schema has faults: {'; '.join(map(str, parsed.faults))}")
    return parsed.shape


_CITED: Final = Shape(
    kind="object",
    properties=(
        Property("evidence", Shape("string", "The key of a passage."), True),
        Property("quote", Shape("string", "Literal words of it.", bounds=Bounds(1, QUOTE_CHARACTERS)), True),
    ),
)


def ask_for_basis(shape: Shape) -> Shape:
    """The shape that a model fills in: an object of value, citations and reason in place of each leaf."""
    if shape.kind == "object":
        asked = (Property(one.name, ask_for_basis(one.shape), required=False) for one in shape.properties)
        return replace(shape, properties=tuple(asked))
    if shape.items is not None:
        return replace(shape, items=ask_for_basis(shape.items), bounds=replace(shape.bounds, least=None))
    citations = Shape("array", items=_CITED, bounds=Bounds(most=MOST_CITATIONS))
    return Shape(
        kind="object",
        description=shape.description,
        properties=(
            Property("value", replace(shape, nullable=True), required=False),
            Property("citations", citations, required=False),
            Property("reason", Shape("string", "Why the value is not known, in a sentence."), required=False),
        ),
    )


@lru_cache(maxsize=64)
def _build_answer_model(schema: str) -> type[FilledForm]:
    answer: Any = model_of(ask_for_basis(read_shape(json.loads(schema))), "Form")
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


def list_filled_fields(shape: Shape, said: Json, at: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Yield each leaf of an answer with its pointer; a leaf that the answer omits is empty."""
    if shape.kind == "object":
        given = said if isinstance(said, dict) else {}
        for one in shape.properties:
            yield from list_filled_fields(one.shape, given.get(one.name), at + build_json_pointer(one.name))
    elif shape.items is not None:
        for number, item in enumerate(ensure_list(said)):
            yield from list_filled_fields(shape.items, item, f"{at}/{number}")
    else:
        yield at, said if isinstance(said, dict) else {}


def resolve_fields(said: FilledForm, given: FormInput, ids: Mapping[str, str]) -> FilledForm:
    """The leaves of a model's answer, citing passages by their ids."""
    answer = said.model_dump(mode="json").get("answer")
    leaves = list_filled_fields(read_shape(given.output_schema), answer)
    return FilledForm(
        fields=tuple(
            FilledField.model_validate({**leaf, **_cite_by_ids(leaf, ids), "pointer": at}) for at, leaf in leaves
        )
    )


def _cite_by_ids(leaf: JsonObject, ids: Mapping[str, str]) -> JsonObject:
    cited = [one for one in ensure_list(leaf.get("citations")) if isinstance(one, dict)]
    citations: list[Json] = [
        {**one, "evidence": ids.get(str(one.get("evidence")), one.get("evidence"))} for one in cited
    ]
    return {"citations": citations, "reason": leaf.get("reason") or ""}


def find_unbased_values(said: FilledForm, given: FormInput, ids: Mapping[str, str]) -> list[str]:
    """Values that cite nothing, or passages that were not shown, in sentences for the model."""
    found = []
    for one in resolve_fields(said, given, ids).fields:
        known = [cited for cited in one.citations if cited.evidence in ids.values()]
        if one.value is not None and not known:
            cites = "cites no passage that you were shown" if one.citations else "has no citation"
            found.append(f"`{one.pointer}` {cites}: quote a passage that says it, or leave its `value` null.")
    return found[:20]


def describe_start(given: JsonObject) -> str:
    """How many passages the form is filled in from."""
    return f"fills in the form from {format_count(len(ensure_list(given.get('evidence'))), 'passage')}"


def describe_form(output: JsonObject) -> tuple[str, JsonObject]:
    """How many fields have a value."""
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
    begins=describe_start,
    summary=describe_form,
)
