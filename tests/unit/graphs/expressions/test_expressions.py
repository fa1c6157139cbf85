"""Reading the state never fails; what could not be read is a fault beforehand."""

import pytest

from elcano.graphs.expressions.evaluation import Meter
from elcano.graphs.expressions.language import (
    MAX_DEPTH,
    Value,
    evaluate_expression,
    find_expression_fault,
    find_read_names,
    node_read,
    root_names,
)
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.rules import get_rules

VIEW: JsonObject = {"a": {"b": [1, 2]}, "text": "abc", "items": [{"n": 1}, {"n": "x"}], "zero": 0}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a.b[1]", 2),
        ("a.b[-1]", 2),
        ("items[].n", [1, "x"]),
        ("items[?n == `1`] | [0].n", 1),
        ("{first: a.b[0], text: text}", {"first": 1, "text": "abc"}),
        ("nowhere.at.all", None),
        ("pairs(a.b, ['x', 'y'])", [[1, "x"], [2, "x"], [1, "y"], [2, "y"]]),
        ("pairs(a.b, nowhere || [text])", [[1, "abc"], [2, "abc"]]),
        ("pairs(a.b, `[]`)", []),
        ("pairs(a.b, text)", None),
        ("text.b", None),
        ("length(nowhere)", None),
        ("sort_by(items, &n)", None),
        ("contains(text, `1`)", None),
        ("a.b[::0]", None),
        ("ceil(`1e999`)", None),
        ("floor(to_number('nan'))", None),
        ("abs(text, text)", None),
    ],
)
def test_evaluate(expression: str, value: Json) -> None:
    assert find_expression_fault(expression) is None
    assert evaluate_expression(expression, VIEW, Meter(get_rules())) == Value(value)


@pytest.mark.parametrize("expression", ["nowhere", "zero", "`[]`", "`{}`", "''", "`false`", "`null`"])
def test_what_does_not_hold(expression: str) -> None:
    assert not evaluate_expression(expression, VIEW, Meter(get_rules())).json
    negated = evaluate_expression(f"!({expression})", VIEW, Meter(get_rules())).json
    assert negated is True or expression == "zero"  # JMESPath itself counts 0 as true


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("", "empty"),
        ("a.", "Expecting"),
        ("a ||", "Incomplete"),
        ("'open", "Unclosed"),
        ("lenght(a)", "did you mean 'length'?"),
        ("a[?frobnicate(@)]", "known: abs"),
        ("&a", "`&` is only for arguments of map"),
        ("{x: &a}", "`&` is only for"),
        ("to_string(&a)", "`&` is only for"),
        ("!a.b", "write `!(a.b)`"),
        ("zero || !a.b.c", "write `!(a.b)`"),
        ("items[?!n.x]", "write `!(a.b)`"),
        ("!items[0].n", "write `!(a.b)`"),
        ("(" * 499, "nested deeper"),
        ("!" * 499 + "a", "nested deeper"),
        ("!" * MAX_DEPTH + "a", "nested deeper"),
    ],
)
def test_fault(expression: str, part: str) -> None:
    found = find_expression_fault(expression)
    assert found is not None
    assert part in found
    assert "\n" not in found


@pytest.mark.parametrize("expression", ["!(a.b)", "!a", "a.b && !zero", "items[?!n]", "items[?!(n.x)].n"])
def test_what_is_negated_may_stand_alone_or_in_brackets(expression: str) -> None:
    assert find_expression_fault(expression) is None


def test_long_paths_are_not_deep() -> None:
    assert find_expression_fault(".".join(["a"] * 250)) is None
    assert find_expression_fault("!" * (MAX_DEPTH - 1) + "a") is None


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("a", ("a",)),
        ("a.b.c", ("a",)),
        ("a[].b", ("a",)),
        ("a[-1].b", ("a",)),
        ("a[?b == c].d", ("a",)),
        ("a.*.b", ("a",)),
        ("a | b", ("a",)),
        ("a || b && !c", ("a", "b", "c")),
        ("{x: a, y: b.c}", ("a", "b")),
        ("length(a) > `2`", ("a",)),
        ("sort_by(a, &b)", ("a",)),
        ("a == a", ("a",)),
        ("budget.exceeded == true", ("budget", "true")),
        ("@.a", ()),
        ("`1`", ()),
    ],
)
def test_root_names(expression: str, names: tuple[str, ...]) -> None:
    assert root_names(expression) == names


@pytest.mark.parametrize("expression", ["@", "*", "keys(@)", "a || @", "[@.a]", "map(&a, @)", "length(@) > a", "[0]"])
def test_what_reads_the_view_as_a_whole(expression: str) -> None:
    assert find_read_names(expression) is None


@pytest.mark.parametrize("expression", ["a[]", "a[?@ == b]", "a | @", "a.*", "sort_by(a, &@)", "[a][0]"])
def test_what_reads_names_alone(expression: str) -> None:
    assert find_read_names(expression) == frozenset({"a"})


@pytest.mark.parametrize(
    ("expression", "read"),
    [
        ("outputs.judge.missing", ("judge", "missing")),
        ("outputs.judge", ("judge", None)),
        ("outputs", None),
        ("evidence.judge", None),
        ("outputs.judge.missing[0]", None),
    ],
)
def test_node_read(expression: str, read: tuple[str, str | None] | None) -> None:
    assert node_read(expression) == read
