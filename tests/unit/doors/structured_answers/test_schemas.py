"""Realistic schemas are honoured to the letter, hostile ones refused in a sentence; a bad leaf costs itself alone."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from elcano.doors.structured_answers.answer_assembly import AnswerField, Assembly
from elcano.doors.structured_answers.answer_form import build_answer_schema, choose_key
from elcano.doors.structured_answers.form_filler import (
    FormInput,
    choose_answer_model,
    find_unbased_values,
    load_form,
    resolve_fields,
)
from elcano.graphs.added_steps import find_answer_schema_faults
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import CheckedCitation
from elcano.text.support.quotes import QuoteIndex
from tests.unit.doors.structured_answers.schemas import HOSTILE, REALISTIC, TEXT, make_object
from tests.unit.doors.structured_answers.test_answers import with_null

IDS = {"e1": "doc:1", "e2": "doc:2"}
Script = Callable[[str, JsonObject], Json]
VALUES: tuple[Json, ...] = ("?", "", -1, 1e300, 10**30, True, [], {}, "x" * 60_000)
WRONG: tuple[Json, ...] = (
    *({"value": value} for value in VALUES),
    None,
    [],
    "?",
    7,
    {"value": {"value": 1}},
    {"value": "Bilbao", "citations": "e1"},
    {"citations": [{}]},
    {"value": "Bilbao", "citations": [{"evidence": "e1", "quote": "It is said in Bilbao"}]},
)
"""Leaves as no model should answer them."""


def say(value: Json, name: str) -> str:
    """The words of a passage that say a value."""
    return f"It is said of {name} that this is {value}."


def script_answer(value: Json, change: Script, passages: list[str], at: str = "", name: str = "it") -> Json:
    """A model's answer that has `value`, each leaf with a quote of a passage, as `change` leaves it."""
    if isinstance(value, dict):
        return {
            choose_key(key, number): script_answer(one, change, passages, f"{at}/{key}", key)
            for number, (key, one) in enumerate(value.items(), 1)
            if one is not None
        }
    if isinstance(value, list):
        return [script_answer(one, change, passages, f"{at}/{number}", name) for number, one in enumerate(value)]
    passages.append(say(value, name))
    return change(at, {"value": value, "citations": [{"evidence": "e1", "quote": passages[-1]}]})


def assemble(schema: JsonObject, said: Json, passages: list[str]) -> tuple[Json, list[AnswerField], list[str]]:
    """What becomes of a model's answer: the answer, its fields, and what the model was told of it."""
    given = FormInput(question="?", output_schema=schema)
    task = TaskEnvelope(kind="form_filler", question="?", given={"output_schema": schema})
    answer = choose_answer_model(task).model_validate_json(json.dumps({"answer": said}))
    filled = resolve_fields(answer, given, IDS)
    index = QuoteIndex.of("\n".join(passages))
    checked = {
        one: CheckedCitation(
            claim="",
            evidence=one.evidence,
            quote=one.quote,
            verdict="verified" if index.find(one.quote) and one.evidence == "doc:1" else "quote_not_found",
            number=1,
        )
        for field in filled.fields
        for one in field.citations
    }
    from elcano.doors.structured_answers.form_validation import FormValidation  # takes a second

    assembly = Assembly(filled.fields, checked, (), FormValidation(schema))
    return *assembly.assemble(load_form(schema)), find_unbased_values(answer, given, IDS)


@pytest.mark.parametrize("name", REALISTIC)
def test_a_realistic_schema_is_answered_in_its_form(name: str) -> None:
    schema, wanted = REALISTIC[name]
    assert find_answer_schema_faults(schema) == ()
    passages: list[str] = []
    said = script_answer(wanted, lambda _, leaf: leaf, passages)
    import jsonschema  # takes a second

    jsonschema.validate(said, build_answer_schema(load_form(schema)))
    answer, fields, faults = assemble(schema, said, passages)
    assert (answer, faults) == (wanted, [])
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    kind(schema if "recursion" not in name else loosen(schema), format_checker=kind.FORMAT_CHECKER).validate(answer)
    check_bases(answer, fields, passages)


def loosen(schema: Any) -> Any:
    """The schema in which what is not known may be null; of `oneOf` several may fit then."""
    return json.loads(json.dumps(with_null(schema)).replace('"oneOf"', '"anyOf"'))


def check_bases(answer: Json, fields: list[AnswerField], passages: list[str]) -> int:
    """Every value is quoted from a passage, everything else has a reason; returns the number of values."""
    assert len({one.pointer for one in fields}) == len(fields)
    for one in fields:
        here: Any = answer
        for part in one.pointer.split("/")[1:]:
            here = here[int(part)] if isinstance(here, list) else here[part.replace("~1", "/").replace("~0", "~")]
        assert here == one.value
        quotes = [cited.quote for cited in one.citations if cited.verdict == "verified"]
        assert all(any(quote in passage for passage in passages) for quote in quotes)
        assert quotes if one.value is not None else one.reason
    return sum(one.value is not None for one in fields)


@pytest.mark.parametrize("name", REALISTIC)
def test_whatever_a_model_errs_in_the_rest_is_kept_and_fits(name: str) -> None:
    schema, wanted = REALISTIC[name]
    import jsonschema  # takes a second

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    validator = kind(loosen(schema), format_checker=kind.FORMAT_CHECKER)
    known = 0
    for seed in range(10):
        random = Random(seed)

        def change(_: str, leaf: JsonObject, random: Random = random) -> Json:
            other: JsonObject = {**leaf, "value": random.choice([3, "zz", 0.001])}
            return random.choice([leaf, leaf, other, random.choice(WRONG)])

        passages: list[str] = []
        answer, fields, _ = assemble(schema, script_answer(wanted, change, passages), passages)
        if answer is None:
            assert [bool(one.reason) for one in fields] == [True]
            continue
        validator.validate(answer)
        known += check_bases(answer, fields, passages)
    assert known


@pytest.mark.parametrize("name", HOSTILE)
def test_a_schema_that_no_answer_can_have_is_refused_with_its_place(name: str) -> None:
    schema, pointer, said = HOSTILE[name]
    faults = find_answer_schema_faults(schema)
    assert any(said in str(one) for one in faults), faults
    assert pointer is None or [one.pointer for one in faults if said in str(one)][:1] == [pointer], faults
    assert len(faults) < 10


def test_one_leaf_that_does_not_fit_is_null_and_the_model_is_told_once() -> None:
    schema = make_object(
        drug=TEXT,
        begun={"type": "string", "format": "date"},
        trial={"type": "string", "pattern": "^NCT[0-9]+$"},
        people={"type": "integer", "minimum": 1},
    )
    wanted: JsonObject = {"drug": "metformin", "begun": "5 March", "trial": "ISRCTN1", "people": "many"}
    passages: list[str] = []
    answer, fields, faults = assemble(schema, script_answer(wanted, lambda _, leaf: leaf, passages), passages)
    assert answer == {"drug": "metformin", "begun": None, "trial": None, "people": None}
    reasons = {one.pointer: one.reason for one in fields}
    assert "is not a 'date'" in reasons["/begun"]
    assert "does not match '^NCT[0-9]+$'" in reasons["/trial"]
    assert "it is no integer" in reasons["/people"]
    assert [one.partition("`:")[0].split("`")[1] for one in faults] == ["/begun", "/trial", "/people"]


def test_a_pattern_that_backtracks_costs_a_second_and_its_values() -> None:
    schema = make_object(drug=TEXT, codes={"type": "array", "items": {"type": "string", "pattern": "^(a|aa)+$"}})
    assert find_answer_schema_faults(schema) == ()
    codes: list[Json] = [f"{'a' * 5_000}{number}!" for number in range(50)]
    passages: list[str] = []
    said = script_answer({"drug": "metformin", "codes": codes}, lambda _, leaf: leaf, passages)
    answer, fields, _ = assemble(schema, said, passages)
    assert answer == {"drug": "metformin", "codes": None}
    assert "takes over 1 s" in fields[1].reason


def test_a_name_that_the_schema_leaves_open_must_be_quoted_too() -> None:
    schema = make_object(people={"type": "object", "additionalProperties": {"type": "integer"}})
    leaf: Json = {"value": 400, "citations": [{"evidence": "e1", "quote": "400 in Spain"}]}
    people: Json = {"Spain": leaf, "Italy": leaf}
    said: Json = {"people": people}
    answer, _, _ = assemble(schema, said, ["There were 400 in Spain."])
    assert answer == {"people": {"Spain": 400}}


def test_a_demand_on_the_whole_that_is_not_met_makes_the_innermost_property_null() -> None:
    schema = make_object(drug=TEXT, range={**make_object(low=TEXT, high=TEXT), "minProperties": 3})
    passages: list[str] = []
    wanted: JsonObject = {"drug": "metformin", "range": {"low": "one", "high": "two"}}
    answer, fields, _ = assemble(schema, script_answer(wanted, lambda _, leaf: leaf, passages), passages)
    assert answer == {"drug": "metformin", "range": None}
    assert [(one.pointer, "does not fit the schema" in one.reason) for one in fields] == [
        ("/drug", False),
        ("/range", True),
    ]
