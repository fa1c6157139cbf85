"""The subset of JSON Schema: what is taken is held to the letter, what is not is refused by name and place."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from elcano.graphs.schemas.schema_parser import MAX_CHARACTERS, MAX_PROPERTIES, parse_schema
from elcano.graphs.schemas.shape import least_of, model_of

Json = dict[str, Any]


def of(**properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


KEYWORDS = ("type", "properties", "items", "enum", "$ref", "anyOf", "$defs", "minItems", "required")
TEXT: Json = {"type": "string"}


def many(items: Json) -> Json:
    return {"type": "array", "minItems": 900, "items": items}


names = st.from_regex(r"[a-z][a-zA-Z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in ("copy", "json", "dict")
)


@st.composite
def bounded(draw: st.DrawFn, low: str, high: str, most: int) -> Json:
    ends = sorted(draw(st.tuples(st.integers(0, most), st.integers(0, most))))
    return {**({low: ends[0]} if draw(st.booleans()) else {}), **({high: ends[1]} if draw(st.booleans()) else {})}


leaves = st.one_of(
    bounded("minLength", "maxLength", 20).map(lambda bounds: {"type": "string", **bounds}),
    bounded("minimum", "maximum", 50).map(lambda bounds: {"type": "integer", **bounds}),
    bounded("minimum", "maximum", 50).map(lambda bounds: {"type": ["number", "null"], **bounds}),
    st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True).map(lambda values: {"enum": values}),
    st.just({"type": "boolean"}),
    st.just({"anyOf": [{"type": "string"}, {"type": "null"}]}),
)


def objects(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    fields = st.dictionaries(names, inner, min_size=1, max_size=4)
    return fields.flatmap(
        lambda made: st.sets(st.sampled_from(sorted(made))).map(
            lambda needed: {"type": "object", "properties": made, "required": sorted(needed)}
        )
    )


def lists(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    bounds = bounded("minItems", "maxItems", 3)
    return st.tuples(inner, bounds).map(lambda made: {"type": "array", "items": made[0], **made[1]})


schemas = objects(st.recursive(leaves, lambda inner: st.one_of(objects(inner), lists(inner)), max_leaves=6))


def nulled(schema: Json) -> Json:
    """The schema as it is kept: what is not required may be null."""
    if schema.get("type") == "object":
        needed = schema.get("required", [])
        fields = {
            name: nulled(one) if name in needed else {"anyOf": [nulled(one), {"type": "null"}]}
            for name, one in schema["properties"].items()
        }
        return {**schema, "properties": fields, "required": list(fields), "additionalProperties": False}
    if schema.get("type") == "array":
        return {**schema, "items": nulled(schema["items"])}
    return schema


def assert_fits(answer: Any, schema: Json) -> None:
    from jsonschema import Draft202012Validator  # takes a second

    Draft202012Validator(nulled(schema)).validate(answer)


@given(schemas)
def test_the_least_answer_of_a_schema_fits_it(schema: Json) -> None:
    shape, faults = parse_schema(schema)
    assert faults == ()
    assert shape is not None
    answer = least_of(shape)
    assert_fits(answer, schema)
    assert model_of(shape, "Answer").model_validate(answer).model_dump(mode="json") == answer


@given(schemas, st.data())
def test_what_is_taken_from_a_model_fits_the_schema(schema: Json, data: st.DataObject) -> None:
    """Whatever is said: it is refused, or what is kept of it fits."""
    shape, _ = parse_schema(schema)
    assert shape is not None
    anything = st.recursive(
        st.none() | st.booleans() | st.integers(-5, 60) | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=4,
    )
    said = {
        **least_of(shape),
        **{name: data.draw(anything) for name in data.draw(st.sets(st.sampled_from(sorted(schema["properties"]))))},
    }
    try:
        kept = model_of(shape, "Answer").model_validate(said).model_dump(mode="json")
    except ValidationError:
        return
    assert_fits(json.loads(json.dumps(kept)), schema)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYWORDS) | st.text(), inner),
        max_leaves=20,
    )
)
def test_nothing_that_is_sent_breaks_the_reading(schema: Any) -> None:
    shape, faults = parse_schema({"type": "object", "properties": {"a": schema}})
    assert (shape is None) == bool(faults)
    shape, faults = parse_schema(schema if isinstance(schema, dict) else {"type": schema})
    assert (shape is None) == bool(faults)


@pytest.mark.parametrize(
    ("schema", "pointer", "said"),
    [
        ({}, "", "has no `type`"),
        ({"type": "object"}, "/properties", "needs properties"),
        ({"type": "object", "properties": {}}, "/properties", "needs properties"),
        ({"type": "array", "items": TEXT}, "/type", "must be an object"),
        (of(a={"type": "strin"}), "/properties/a/type", "did you mean 'string'?"),
        (of(a={"$ref": "http://example.org/a.json"}), "/properties/a/$ref", "is not taken"),
        (of(a={"$ref": "#/$defs/Wrk"}) | {"$defs": {"Work": TEXT}}, "/properties/a/$ref", "did you mean 'Work'?"),
        (
            of(a={"$ref": "#/$defs/A"}) | {"$defs": {"A": of(b={"$ref": "#/$defs/A"})}},
            "/$defs/A/properties/b/$ref",
            "itself",
        ),
        (of(a={"type": "string", "pattern": "a+"}), "/properties/a/pattern", "'pattern' is not taken"),
        (of(a={"type": "string", "format": "date"}), "/properties/a/format", "'date' is not taken"),
        (of(a={"type": "string", "format": "evidence"}), "/properties/a/format", "`items` of a list only"),
        (of(a={"oneOf": [TEXT]}), "/properties/a/oneOf", "'oneOf' is not taken"),
        (of(a={"anyOf": [TEXT, {"type": "integer"}]}), "/properties/a/anyOf", '"or null" alone'),
        (of(a={"type": "string", "maxlength": 3}), "/properties/a/maxlength", "did you mean 'maxLength'?"),
        (of(a={"type": "string", "minimum": 3}), "/properties/a/minimum", "says nothing of a schema of type 'string'"),
        (of(a={"type": "string", "minLength": -1}), "/properties/a/minLength", "whole number"),
        (of(a={"type": "string", "minLength": 5, "maxLength": 3}), "/properties/a/minLength", "more than `maxLength`"),
        (of(a={"type": "integer", "minimum": 1.2, "maximum": 1.8}), "/properties/a", "no integer lies"),
        (of(a={"type": "number", "minimum": 1e300}), "/properties/a/minimum", "must be a number between"),
        (of(a={"type": "array"}), "/properties/a", "needs `items`"),
        (of(a={"enum": [1, "a"]}), "/properties/a", "has no `type`"),
        (of(a={"type": "string", "enum": []}), "/properties/a/enum", "1 to 100 values"),
        (of(a=TEXT) | {"required": ["b"]}, "/required/0", "there is no property 'b'"),
        (of(a=TEXT) | {"additionalProperties": True}, "/additionalProperties", "can only be false"),
        (of(**{f"p{number}": TEXT for number in range(500)}), "/properties", f"more than {MAX_PROPERTIES}"),
        (of(**{"größe": TEXT}), "/properties/größe", "cannot be a field's name"),
        (of(**{"a/b~c": TEXT}), "/properties/a~1b~0c", "cannot be a field's name"),
        (of(copy=TEXT), "/properties/copy", "take another name"),
        (of(a=TEXT) | {"description": "x" * MAX_CHARACTERS}, "", "characters as JSON are more"),
        (of(a=many(many(TEXT))), "", "least answer"),
    ],
)
def test_what_is_not_taken_is_refused_by_name_and_place(schema: Json, pointer: str, said: str) -> None:
    found = parse_schema(schema).faults
    assert [one.pointer for one in found if said in str(one)] == [pointer], found


def test_all_faults_are_told_at_once() -> None:
    found = parse_schema(of(a={"type": "strin"}, b={"type": "array"}, c={"type": "string", "pattern": "x"})).faults
    assert {one.pointer for one in found} == {"/properties/a/type", "/properties/b", "/properties/c/pattern"}


def test_definitions_in_one_another_do_not_multiply_the_work() -> None:
    """A billion places by thirty definitions: broken off, and said."""
    defs = {
        f"D{number}": of(a={"$ref": f"#/$defs/D{number + 1}"}, b={"$ref": f"#/$defs/D{number + 1}"})
        for number in range(30)
    }
    found = parse_schema({**of(a={"$ref": "#/$defs/D0"}), "$defs": {**defs, "D30": TEXT}}).faults
    assert found
    nested: Json = TEXT
    for _ in range(200):
        nested = of(a=nested)
    assert any("nested deeper" in str(one) for one in parse_schema(nested).faults)
    chain: Json = {f"D{number}": {"$ref": f"#/$defs/D{number + 1}"} for number in range(300)}
    assert parse_schema({**of(a={"$ref": "#/$defs/D0"}), "$defs": chain}).faults


def test_a_definition_may_be_used_twice() -> None:
    shape, faults = parse_schema(
        {**of(a={"$ref": "#/$defs/A"}, b={"$ref": "#/$defs/A", "description": "B"}), "$defs": {"A": TEXT}}
    )
    assert faults == ()
    assert shape is not None
    assert [one.shape.description for one in shape.properties] == ["", "B"]
