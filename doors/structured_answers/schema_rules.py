"""Combines the keywords of several JSON Schemas that hold at one place, and names those that cannot be honoured.

Pure: workflows load it.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, Final, NamedTuple

from elcano.doors.structured_answers.answer_form import Scalar
from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.text import shorten_text

OPEN_TYPES: Final = ("string", "number", "integer", "boolean")
"""The types of single values."""
ASIDE: Final = frozenset({"then", "else", "dependentSchemas", "dependencies"})
"""Keywords with schemas that hold under a condition."""
_OF_TEXTS: Final = frozenset({"pattern", "minLength", "maxLength", "format", "contentEncoding", "contentMediaType"})
_OF_NUMBERS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_OF_LISTS: Final = frozenset({"items", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"})
_OF_OBJECTS: Final = frozenset(
    {
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
        *("maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"),
    }
)
_ANYWHERE: Final = frozenset(
    {
        *(
            "type",
            "enum",
            "const",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "$ref",
            "$defs",
            "definitions",
        ),
        *("$schema", "$id", "id", "$anchor", "$comment", "$vocabulary", "title", "description", "default", "examples"),
        *("example", "deprecated", "readOnly", "writeOnly", "nullable", "unevaluatedItems"),
    }
)
_KNOWN: Final = frozenset().union(_OF_TEXTS, _OF_NUMBERS, _OF_LISTS, _OF_OBJECTS, _ANYWHERE)
_NOT_HONOURED: Final[Mapping[str, str]] = {
    "prefixItems": "positions of a list are not told apart: write an object with a property for each",
    "additionalItems": "positions of a list are not told apart: write an object with a property for each",
    "$dynamicRef": "only `$ref` to a place of the same schema is followed",
    "$recursiveRef": "only `$ref` to a place of the same schema is followed",
}


class Rule(NamedTuple):
    """One schema that holds at a place."""

    schema: Any
    pointer: str
    """JSON pointer into the whole schema."""
    aside: bool = False
    """Whether it holds under a condition only: its properties are asked, and nothing else is concluded from it."""


def find_keyword_faults(rule: Rule) -> Iterator[Fault]:
    """Keywords that cannot be honoured, and those that are written wrong; others that are not known say nothing."""
    if rule.pointer and "$id" in rule.schema:
        yield Fault("only the whole schema may have an `$id`", rule.pointer + "/$id")
    if isinstance(rule.schema.get("items"), list):
        yield Fault(_NOT_HONOURED["prefixItems"], rule.pointer + "/items")
    if rule.schema.get("unevaluatedProperties", True) is not True and "patternProperties" in rule.schema:
        yield Fault("it cannot stand beside `patternProperties`", rule.pointer + "/unevaluatedProperties")
    for keyword in rule.schema:
        at = rule.pointer + build_json_pointer(keyword)
        if keyword in _NOT_HONOURED:
            yield Fault(_NOT_HONOURED[keyword], at)
        elif keyword not in _KNOWN and not keyword.startswith(("x-", "$")):
            near = next((one for one in _KNOWN if one.lower() == keyword.lower()), None)
            near = near or next(iter(get_close_matches(keyword[:50], _KNOWN, n=1, cutoff=0.85)), None)
            if near:
                yield Fault(f"{shorten_text(keyword, 50)!r} is no keyword; did you mean {near!r}?", at)


def list_parts(rule: Rule) -> Iterator[Rule]:
    """The schemas that `allOf` has, and those that hold under a condition."""
    for number, one in enumerate(rule.schema.get("allOf", ())):
        yield Rule(one, rule.pointer + build_json_pointer("allOf", number), rule.aside)
    for keyword in ASIDE & rule.schema.keys():
        at, found = rule.pointer + build_json_pointer(keyword), rule.schema[keyword]
        if keyword in ("then", "else"):
            yield Rule(found, at, aside=True)
        else:
            for name, one in found.items():
                if isinstance(one, Mapping):
                    yield Rule(one, at + build_json_pointer(name), aside=True)


def split_alternatives(rules: Sequence[Rule]) -> tuple[list[Rule], Rule, str] | None:
    """All rules without the first list of alternatives, the rule that has it, and its keyword; None: none has any."""
    for number, rule in enumerate(rules):
        for keyword in ("oneOf", "anyOf"):
            if keyword in rule.schema and not rule.aside:
                rest = Rule({key: one for key, one in rule.schema.items() if key != keyword}, rule.pointer)
                return [*rules[:number], rest, *rules[number + 1 :]], rule, keyword
    return None


def list_properties(rules: Sequence[Rule]) -> dict[str, list[Rule]]:
    """The schemas of each property; those that hold under a condition only where there are no others."""
    named: dict[str, list[Rule]] = {}
    for one in sorted(rules, key=lambda rule: rule.aside):
        for name, inner in one.schema.get("properties", {}).items():
            if not (one.aside and name in named):
                here = one.pointer + build_json_pointer("properties", name)
                named.setdefault(name, []).append(Rule(inner, here))
    return named


def join_entry_rules(rules: Sequence[Rule]) -> str:
    """The schema of an object with one name that is left open."""
    keywords = ("properties", "patternProperties", "additionalProperties", "propertyNames")
    return json.dumps({"allOf": [{key: one.schema[key] for key in keywords if key in one.schema} for one in rules]})


def find_description(rules: Sequence[Rule]) -> str:
    """The first description that rules have; empty if none has one."""
    descriptions: Iterator[Any] = (one.schema.get("description") for one in rules if not one.aside)
    return next((one for one in descriptions if isinstance(one, str) and one), "")


def forbids(rule: Rule, name: str) -> bool:
    """Whether a schema without additional properties does not know this one; patterns are applied to values later."""
    if rule.schema.get("additionalProperties") is not False or rule.schema.get("patternProperties"):
        return False
    return name not in rule.schema.get("properties", {})


def join_types(rules: Sequence[Rule]) -> frozenset[str] | None:
    """The types that all rules allow, without null; None: none of them says any."""
    found: frozenset[str] | None = None
    for one in rules:
        said = one.schema.get("type")
        if said is None or one.aside:
            continue
        names = frozenset([said] if isinstance(said, str) else said)
        names |= {"integer"} if "number" in names else frozenset()
        found = names if found is None else found & names
    if found is None:
        return None
    return found - {"integer"} if "number" in found else found


def infer_types(rules: Sequence[Rule], choices: Sequence[Scalar | None] | None) -> frozenset[str]:
    """The types that schemas without any must mean, by their other keywords; all single values if there are none."""
    if choices is not None:
        return frozenset(OPEN_TYPES)
    keywords = frozenset(keyword for one in rules for keyword in one.schema)
    found = {"object"} if keywords & _OF_OBJECTS else set[str]()
    found |= {"array"} if keywords & _OF_LISTS else set()
    found |= {"string"} if keywords & _OF_TEXTS else set()
    found |= {"number"} if keywords & _OF_NUMBERS else set()
    return frozenset(found or OPEN_TYPES)


def join_choices(rules: Sequence[Rule]) -> tuple[Scalar, ...] | None:
    """The values that all of `enum` and `const` allow, without null; None: there are none of these."""
    found: dict[str, Any] | None = None
    for one in rules:
        if one.aside:
            continue
        for said in ([one.schema["const"]] if "const" in one.schema else None, one.schema.get("enum")):
            if said is not None:
                values = {json.dumps(value): value for value in said}
                found = values if found is None else {key: found[key] for key in found.keys() & values.keys()}
                found = {key: values[key] for key in values if key in found}
    if found is None:
        return None
    return tuple(one for one in found.values() if isinstance(one, Scalar))


def read_bound(rules: Sequence[Rule], keyword: str, join: Callable[[list[Any]], Any]) -> int | float | None:
    """The tightest of a bound that rules set, by `max` or `min`; None: none sets it."""
    said = [one.schema.get(keyword) for one in rules if not one.aside]
    numbers = [one for one in said if isinstance(one, int | float) and not isinstance(one, bool)]
    return join(numbers) if numbers else None


def list_bound_faults(rules: Sequence[Rule]) -> Iterator[Fault]:
    """Bounds that no value can keep, each at the place of the lower one."""
    for low, high in (("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")):
        least, most = read_bound(rules, low, max), read_bound(rules, high, min)
        if least is not None and most is not None and least > most:
            yield Fault(f"{least} is more than `{high}`, {most}: no value fits", _find_place(rules, low))
    if not _is_number_possible(rules):
        yield Fault("no number lies within these bounds", _find_place(rules, None))


def _find_place(rules: Sequence[Rule], keyword: str | None) -> str:
    if keyword is None:
        return next(one.pointer for one in rules if not one.aside and _OF_NUMBERS & one.schema.keys())
    return next(f"{one.pointer}/{keyword}" for one in rules if keyword in one.schema)


def _is_number_possible(rules: Sequence[Rule]) -> bool:
    """Whether a number fits the bounds of all rules, and is a multiple as they demand."""
    lows = [(read_bound(rules, "minimum", max), False), (read_bound(rules, "exclusiveMinimum", max), True)]
    highs = [(read_bound(rules, "maximum", min), False), (read_bound(rules, "exclusiveMaximum", min), True)]
    low = max(((_exact(one), sharp) for one, sharp in lows if one is not None), default=None)
    high = min(((_exact(one), not sharp) for one, sharp in highs if one is not None), default=None)
    if low is None or high is None:
        return True
    if low[0] > high[0] or (low[0] == high[0] and (low[1] or not high[1])):
        return False
    step = _join_steps(rules)
    if step is None:
        return True
    first = math.floor(low[0] / step) + 1 if low[1] else math.ceil(low[0] / step)
    return first * step < high[0] or (high[1] and first * step == high[0])


def _join_steps(rules: Sequence[Rule]) -> Fraction | None:
    """The least number of which every value is a multiple; None: there is none."""
    steps = [_exact(one.schema["multipleOf"]) for one in rules if "multipleOf" in one.schema and not one.aside]
    if join_types(rules) == frozenset({"integer"}):
        steps.append(Fraction(1))
    joined: Fraction | None = None
    for one in steps:
        if joined is None:
            joined = one
        else:
            joined = Fraction(math.lcm(joined.numerator, one.numerator), math.gcd(joined.denominator, one.denominator))
    return joined


def _exact(number: int | float) -> Fraction:
    return Fraction(str(number))
