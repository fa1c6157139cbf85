"""Whatever is filled in, an answer fits its schema but for nulls, and every value has a basis."""

from random import Random
from typing import Any

from elcano.doors.structured_answers.answer_assembly import Assembly
from elcano.doors.structured_answers.answer_form import list_filled_fields
from elcano.doors.structured_answers.form_filler import FilledField, load_form
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import CheckedCitation, Citation
from tests.unit.doors.structured_answers.test_answers import with_null

QUOTES = ("Metformin was given to 400 people.", "The trial took 2.5 years in Bilbao.", "Nothing of it.")
SOUND = {
    Citation(evidence=f"doc:{number}", quote=quote): CheckedCitation(
        claim=quote, evidence=f"doc:{number}", quote=quote, verdict="verified", number=number
    )
    for number, quote in enumerate(QUOTES, 1)
}
INVENTED = {
    Citation(evidence="doc:1", quote="400 mg"): CheckedCitation(
        claim="", evidence="doc:1", quote="400 mg", verdict="quote_not_found"
    )
}
CHECKED = {**SOUND, **INVENTED}
LEAVES: tuple[tuple[JsonObject, tuple[Json, ...]], ...] = (
    ({"type": "string"}, ("Metformin", "Bilbao", "Madrid", "")),
    ({"type": "string", "enum": ["yes", "no"]}, ("yes", "no")),
    ({"type": "integer", "minimum": 0}, (400, 12, 0)),
    ({"type": ["number", "null"]}, (2.5, 1e300, -1.0)),
    ({"type": "boolean"}, (True, False)),
)


def make_schema(random: Random, depth: int = 0) -> JsonObject:
    kind = random.choice(["leaf", "leaf", "list", "object"]) if depth else "object"
    if depth > 3 or kind == "leaf":
        return dict(random.choice(LEAVES)[0])
    if kind == "list":
        return {"type": "array", "minItems": random.randrange(3), "items": make_schema(random, depth + 1)}
    names = [f"f{number}" for number in range(random.randrange(1, 5))]
    return {
        "type": "object",
        "properties": {name: make_schema(random, depth + 1) for name in names},
        "required": [*names],
    }


def fill(random: Random, schema: Any) -> Json:
    """What a model may answer within the form that it is asked for."""
    if random.random() < 0.1:
        return None
    if schema["type"] == "object":
        return {name: fill(random, one) for name, one in schema["properties"].items() if random.random() < 0.9}
    if schema["type"] == "array":
        return [fill(random, schema["items"]) for _ in range(random.randrange(4))]
    values = next(values for leaf, values in LEAVES if leaf == schema)
    citations: list[Json] = [one.model_dump() for one in random.sample([*CHECKED], random.randrange(3))]
    return {"value": random.choice(values), "citations": citations}


def find_at(answer: Json, pointer: str) -> Json:
    for part in filter(None, pointer.split("/")):
        answer = answer[int(part)] if isinstance(answer, list) else answer[part] if isinstance(answer, dict) else None
    return answer


def test_answers_to_twenty_schemas_fit_and_every_value_has_a_basis() -> None:
    known = sum(check_schema(Random(seed)) for seed in range(20))
    assert known > 200


def check_schema(random: Random) -> int:
    """Twenty answers to one schema; returns how many values have a basis."""
    import jsonschema  # takes a second, as what imports it does

    from elcano.doors.structured_answers.form_validation import FormValidation

    schema = make_schema(random)
    form = load_form(schema)
    validator = jsonschema.Draft202012Validator(with_null(schema))
    known = 0
    for _ in range(20):
        leaves = list_filled_fields(form, fill(random, schema))
        filled = [FilledField.model_validate({**leaf, "pointer": at}) for at, _, leaf in leaves]
        answer, fields = Assembly(filled, CHECKED, {3}, FormValidation(schema)).assemble(form)
        validator.validate(answer)
        assert len({one.pointer for one in fields}) == len(fields)
        for one in fields:
            assert find_at(answer, one.pointer) == one.value
            assert (one.value is None) == (one.confidence is None)
            held = [cited for cited in one.citations if cited.verdict == "verified"]
            assert held if one.value is not None else one.reason
            assert one.value not in (12, -1.0, 1e300, "")
            known += one.value is not None
    return known
