"""Schemas as askers have them, each with an answer that fits: by name."""

from typing import Any, Final

Schema = dict[str, Any]


def make_object(**properties: Any) -> Schema:
    return {"type": "object", "properties": properties}


TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "number"}
WHOLE: Final = {"type": "integer"}
PERSON: Final = make_object(name=TEXT, born={"type": "string", "format": "date"})

REALISTIC: Final[dict[str, tuple[Schema, Any]]] = {
    "plain": (
        {
            **make_object(drug=TEXT, people=WHOLE, dose=NUMBER, works={"type": "boolean"}),
            "required": ["drug", "people"],
        },
        {"drug": "metformin", "people": 400, "dose": 2.5, "works": True},
    ),
    "choices": (
        make_object(phase={"enum": [1, 2, 3]}, blinding={"type": "string", "enum": ["single", "double"]}),
        {"phase": 3, "blinding": "double"},
    ),
    "format date": (make_object(begun={"type": "string", "format": "date"}), {"begun": "2021-03-05"}),
    "format date-time": (
        make_object(at={"type": "string", "format": "date-time"}),
        {"at": "2021-03-05T10:00:00Z"},
    ),
    "format uri and email": (
        make_object(home={"type": "string", "format": "uri"}, mail={"type": "string", "format": "email"}),
        {"home": "https://example.org/trial", "mail": "info@example.org"},
    ),
    "pattern": (make_object(trial={"type": "string", "pattern": "^NCT[0-9]{8}$"}), {"trial": "NCT01234567"}),
    "pattern with a look ahead": (
        make_object(code={"type": "string", "pattern": "^(?=.*[0-9])[a-z0-9]+$"}),
        {"code": "rs429358"},
    ),
    "oneOf of objects": (
        make_object(
            outcome={
                "oneOf": [
                    {**make_object(kind={"const": "number"}, amount=NUMBER), "required": ["kind", "amount"]},
                    {**make_object(kind={"const": "words"}, words=TEXT), "required": ["kind", "words"]},
                ]
            }
        ),
        {"outcome": {"kind": "words", "words": "no difference"}},
    ),
    "anyOf of values": (make_object(age={"anyOf": [WHOLE, TEXT, {"type": "null"}]}), {"age": "over 65"}),
    "anyOf of a value and a list": (
        make_object(sites={"anyOf": [TEXT, {"type": "array", "items": TEXT}]}),
        {"sites": ["Bilbao", "Madrid"]},
    ),
    "types of several kinds": (make_object(size={"type": ["string", "number", "null"]}), {"size": 12}),
    "allOf": (
        {
            "allOf": [
                {"$ref": "#/definitions/base"},
                {**make_object(year={"type": "integer", "maximum": 2030}), "required": ["year"]},
            ],
            "definitions": {"base": make_object(title=TEXT, year={"type": "integer", "minimum": 1900})},
        },
        {"title": "A trial of metformin", "year": 2021},
    ),
    "allOf with a definition that another property uses": (
        {
            "allOf": [{"$ref": "#/$defs/a"}, make_object(child={"$ref": "#/$defs/a"})],
            "$defs": {"a": make_object(name=TEXT)},
        },
        {"name": "Ana", "child": {"name": "Jon"}},
    ),
    "multipleOf": (
        make_object(dose={"type": "integer", "multipleOf": 250}, share={"type": "number", "multipleOf": 0.01}),
        {"dose": 850 - 100, "share": 0.25},
    ),
    "uniqueItems": (
        make_object(harms={"type": "array", "items": TEXT, "uniqueItems": True, "minItems": 2, "maxItems": 5}),
        {"harms": ["nausea", "headache"]},
    ),
    "open names": (
        make_object(people={"type": "object", "additionalProperties": WHOLE}),
        {"people": {"Spain": 400, "France": 1200}},
    ),
    "additional properties allowed": (
        {**make_object(drug=TEXT), "additionalProperties": True},
        {"drug": "metformin"},
    ),
    "names of a pattern": (
        make_object(codes={"type": "object", "patternProperties": {"^[A-Z]{2}$": TEXT}, "additionalProperties": False}),
        {"codes": {"ES": "Spain"}},
    ),
    "an object without properties": (make_object(facts={"type": "object"}), {"facts": {"dose": 500, "drug": "statin"}}),
    "$defs used twice": (
        {**make_object(first={"$ref": "#/$defs/person"}, last={"$ref": "#/$defs/person"}), "$defs": {"person": PERSON}},
        {
            "first": {"name": "Ana Ruiz", "born": "1960-01-02"},
            "last": {"name": "Jon Aldai", "born": "1971-11-30"},
        },
    ),
    "definitions of draft 7": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$id": "https://example.org/people.json",
            **make_object(people={"type": "array", "items": {"$ref": "#/definitions/person"}}),
            "definitions": {"person": PERSON},
        },
        {"people": [{"name": "Ana Ruiz", "born": "1960-01-02"}]},
    ),
    "bounds of draft 4": (
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            **make_object(share={"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1}),
        },
        {"share": 0.4},
    ),
    "default and examples": (
        make_object(drug={"type": "string", "default": "none", "examples": ["aspirin"], "title": "Drug"}),
        {"drug": "statin"},
    ),
    "not": (make_object(drug={"type": "string", "not": {"enum": ["placebo"]}}), {"drug": "statin"}),
    "at least one of two": (
        {**make_object(doi=TEXT, title=TEXT), "anyOf": [{"required": ["doi"]}, {"required": ["title"]}]},
        {"doi": "10.1000/182", "title": "A trial"},
    ),
    "names in other signs": (
        make_object(**{"größe in cm": WHOLE, "first-name": TEXT, "copy": TEXT}),
        {"größe in cm": 180, "first-name": "Ana", "copy": "second"},
    ),
    "keywords of others": (
        {**make_object(drug={"type": "string", "x-order": 1}), "propertyOrdering": ["drug"]},
        {"drug": "statin"},
    ),
    "lists in lists": (
        make_object(rows={"type": "array", "items": {"type": "array", "items": WHOLE}}),
        {"rows": [[11, 12], [21, 22]]},
    ),
}


def nest(levels: int) -> Schema:
    schema: Schema = TEXT
    for _ in range(levels):
        schema = make_object(inner=schema)
    return schema


DOUBLING: Final = {
    f"d{number}": make_object(a={"$ref": f"#/$defs/d{number + 1}"}, b={"$ref": f"#/$defs/d{number + 1}"})
    for number in range(30)
}
HOSTILE: Final[dict[str, tuple[Any, str | None, str]]] = {
    "recursion": (
        {
            **make_object(tree={"$ref": "#/$defs/node"}),
            "$defs": {"node": make_object(name=TEXT, parts={"type": "array", "items": {"$ref": "#/$defs/node"}})},
        },
        "/$defs/node/properties/parts/items/$ref",
        "recursion is not supported: #/$defs/node -> #/$defs/node",
    ),
    "recursion to the whole": (
        make_object(name=TEXT, parent={"anyOf": [{"$ref": "#"}, {"type": "null"}]}),
        "/properties/parent/anyOf/0/$ref",
        "recursion is not supported",
    ),
    "recursion through three": (
        {
            **make_object(a={"$ref": "#/$defs/a"}),
            "$defs": {
                "a": {"allOf": [{"$ref": "#/$defs/b"}]},
                "b": {"$ref": "#/$defs/c"},
                "c": {"allOf": [{"$ref": "#/$defs/a"}]},
            },
        },
        "/$defs/c/allOf/0/$ref",
        "recursion is not supported",
    ),
    "a condition": (
        {
            **make_object(status={"enum": ["done", "open"]}),
            "if": {"properties": {"status": {"const": "done"}}},
            "then": {"properties": {"ended": TEXT}, "required": ["ended"]},
        },
        "/if",
        "`if`: conditions are not supported",
    ),
    "properties that need each other": (
        {**make_object(low=NUMBER, high=NUMBER), "dependentRequired": {"low": ["high"]}},
        "/dependentRequired",
        "`dependentRequired`: conditions are not supported",
    ),
    "contains": (
        make_object(sites={"type": "array", "items": TEXT, "contains": {"const": "Bilbao"}}),
        "/properties/sites/contains",
        "`contains`: it is not supported",
    ),
    "a keyword that two parts say": (
        make_object(a={"allOf": [TEXT, WHOLE]}),
        "/properties/a/allOf/1/type",
        "`type` is said twice",
    ),
    "joining by doubling": (
        {
            **make_object(a={"$ref": "#/$defs/d0"}),
            "$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)} | {"d30": TEXT},
        },
        None,
        "more than 1,500 places",
    ),
    "500 fields": (make_object(**{f"f{number}": TEXT for number in range(500)}), "/properties/f200", "200 fields"),
    "500 fields by doubling": (
        {**make_object(a={"$ref": "#/$defs/d0"}), "$defs": {**DOUBLING, "d30": TEXT}},
        None,
        "deeper than",
    ),
    "nested 50 deep": (nest(50), None, "nested deeper than 12 levels"),
    "nested 3000 deep": (nest(3_000), "", "too deep"),
    "a pattern without end": (
        make_object(a={"type": "string", "pattern": "(((a{1000}){1000}){1000})"}),
        "/properties/a/pattern",
        "repeats",
    ),
    "no pattern": (make_object(a={"type": "string", "pattern": "("}), "/properties/a/pattern", "cannot be applied"),
    "bounds that cross": (
        make_object(a={"type": "integer", "minimum": 5, "maximum": 1}),
        "/properties/a/minimum",
        "no value fits",
    ),
    "lengths that cross": (
        make_object(a={"type": "string", "minLength": 5, "maxLength": 1}),
        "/properties/a/minLength",
        "no value fits",
    ),
    "choices that exclude each other": (
        make_object(a={"enum": ["x", "y"], "const": "z"}),
        "/properties/a",
        "none of its values fits",
    ),
    "choices of another type": (make_object(a={"type": "integer", "enum": ["x"]}), "/properties/a", "'x'"),
    "required and forbidden": (
        {**make_object(a=TEXT), "required": ["b"], "additionalProperties": False},
        "/required",
        "no property 'b'",
    ),
    "a reference to elsewhere": (
        make_object(a={"$ref": "file:///etc/passwd"}),
        "/properties/a/$ref",
        "no place of this schema",
    ),
    "a reference to nothing": (
        {**make_object(a={"$ref": "#/$defs/Wrk"}), "$defs": {"Work": TEXT}},
        "/properties/a/$ref",
        "did you mean 'Work'?",
    ),
    "positions": (
        make_object(a={"type": "array", "prefixItems": [TEXT, WHOLE]}),
        "/properties/a/prefixItems",
        "write an object",
    ),
    "a keyword written wrong": (
        make_object(a={"type": "string", "maxlength": 3}),
        "/properties/a/maxlength",
        "did you mean 'maxLength'?",
    ),
    "an unknown type": (make_object(a={"type": "strin"}), "/properties/a/type", "did you mean 'string'?"),
    "a list": ({"type": "array", "items": TEXT}, "/type", "must be an object"),
    "nothing": ({}, "", "must be an object"),
    "a draft that is none": ({"$schema": ["x"], **make_object(a=TEXT)}, "/$schema", "address of a draft"),
    "too long": ({**make_object(a=TEXT), "description": "x" * 50_000}, "", "characters as JSON"),
}
