"""No expression, however hostile, takes or gives more than it may; the others give what JMESPath says."""

import tracemalloc

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from jmespath.exceptions import JMESPathError

from elcano.graphs.expressions.evaluation import Meter, Scale
from elcano.graphs.expressions.language import evaluate_expression, find_expression_fault
from elcano.graphs.frozen import JsonObject
from elcano.graphs.rules import get_rules
from tests.unit.graphs.texts import expressions, json_objects

MEBIBYTE = 1024 * 1024
LARGE: JsonObject = {
    "question": "why",
    "numbers": [1] * 20_000,
    "texts": ["a" * 2_000] * 300,
    "long": "a" * 300_000,
    "needle": "a" * 600,
    "digits": ["9" * 400] * 2_000,
    "rows": [{"id": f"r{number}", "text": "e" * 240, "tags": ["x", "y"]} for number in range(2_000)],
}
HOSTILE = {
    "doubling": "[@,@]" + " | [@,@][]" * 23,
    "doubling of what is large": "[rows,rows]" + " | [@,@][]" * 23,
    "joining": "'" + "x" * 16 + "'" + " | join(@,[@,@,@,@])" * 17,
    "writing": "to_string([@,@]" + "|[@,@]" * 22 + ")",
    "tens": "[@,@,@,@,@,@,@,@,@,@]" + " | [@[],@[],@[],@[],@[],@[],@[],@[]][]" * 8,
    "projections": "[@,@,@,@,@,@,@,@][]" + ".[@,@,@,@,@,@,@,@][]" * 6,
    "maps": "map(&map(&map(&length(to_string(@)), $), $), $)".replace("$", "[@,@,@,@,@,@,@,@][].[@,@,@,@][]"),
    "each with all": "rows[].{a: length(to_string(@)), b: sort(tags), c: contains(tags, @), d: @ == @}",
    "rows of rows": "rows[].[id, text] | [@, @, @, @][][].[@, @, @, @][]",
    "objects": "merge({a: @}, {b: @}) | merge({a: @}, {b: @}) | {c: @, d: @}" + " | {c: @, d: @}" * 20,
    "comparing": "rows == rows[:] && rows[:] == rows[:] && [rows, rows] == [rows[:], rows[:]]",
    "sorting": "sort_by(rows, &join(text, [id, text, text, text]))",
    "searching": "map(&contains(@, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'), texts) | [@, @, @][]",
    "reversing": "reverse(reverse(reverse(long)))" + " | join('', [@, @])" * 20,
    "numbers": "map(&to_number(@), digits) | map(&to_string(@), @)",
    "pairs of many": "pairs(numbers, numbers)",
    "pairs of pairs": "pairs(rows, [@])" + " | pairs(@, @)" * 6,
    "everything": "[@, *, values(@), keys(@)][]" + " | [@, @[]][]" * 12,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_expression_is_null_or_small(name: str) -> None:
    expression = HOSTILE[name]
    assert find_expression_fault(expression) is None
    meter = Meter(get_rules())
    tracemalloc.start()
    value = evaluate_expression(expression, LARGE, meter)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * MEBIBYTE
    assert meter.used <= get_rules().evaluation_work
    assert value.json is None or not value.refused
    assert Scale(get_rules().result_bytes).weigh(value.json).bytes <= get_rules().result_bytes
    again = Meter(get_rules())
    assert (evaluate_expression(expression, LARGE, again), again.used) == (value, meter.used)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("doubling", "it weighs over"),
        ("joining", "it weighs over"),
        ("writing", "it weighs over"),
        ("each with all", "it takes more work"),
        ("numbers", "it holds a number of"),
    ],
)
def test_it_says_why_it_is_null(name: str, why: str) -> None:
    value = evaluate_expression(HOSTILE[name], LARGE, Meter(get_rules()))
    assert value.json is None
    assert f"it {value.refused}".startswith(why)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("`1e999`", "not finite"),
        ("to_number('nan')", "not finite"),
        ('`"\\ud800"`', "surrogate"),
        ("[" * 30 + "`" + "[" * 40 + "]" * 40 + "`" + "]" * 30, "levels"),
    ],
)
def test_what_could_not_be_written_down_is_null(expression: str, why: str) -> None:
    assert find_expression_fault(expression) is None
    assert why in evaluate_expression(expression, {}, Meter(get_rules())).refused


@pytest.mark.parametrize(
    "expression",
    [
        "rows[?id == 'r7'].text",
        "sort_by(rows, &id)[0].id",
        "length(rows)",
        "rows[].{id: id, text: text}",
        "sum(numbers)",
    ],
)
def test_ordinary_questions_about_much_are_answered(expression: str) -> None:
    value = evaluate_expression(expression, LARGE, Meter(get_rules()))
    assert value == (jmespath.search(expression, LARGE), "")


def test_the_expressions_of_one_step_share_their_work() -> None:
    meter = Meter(get_rules())
    asked = [evaluate_expression("rows[?id == 'r7'].text", LARGE, meter) for _ in range(20)]
    assert not asked[0].refused
    assert "together" in asked[-1].refused
    assert meter.used <= get_rules().step_work


def test_the_expressions_of_one_step_share_what_they_give() -> None:
    meter = Meter(get_rules())
    assert not evaluate_expression("rows", LARGE, meter).refused
    assert "give" in [evaluate_expression("long", LARGE, meter).refused for _ in range(40)][-1]


_steps = st.sampled_from(
    [
        *("[@, @]", "[@, @][]", "[]", "[@[], @]", "{a: @, b: @}", "*", "[*].[@, @]", "to_string(@)", "reverse(@)"),
        *("join('x', [@, @])", "map(&[@, @], @)", "merge(@, {c: @})", "sort_by(@, &to_string(@))", "values(@)"),
        *("[?@ == @]", "[?contains(@, 'x')]", "to_array(@)", "[::2]", "sort(@)", "not_null(@, @)", "[@ == @, @]"),
        *("max_by(@, &length(@))", "keys(@)", "length(@)", "a", "[0]"),
    ]
)


def piped(most: int) -> SearchStrategy[str]:
    """An expression of the random ones, and up to so many steps after it."""
    return st.builds(lambda first, more: " | ".join([first, *more]), expressions, st.lists(_steps, max_size=most))


@given(piped(20), json_objects)
def test_whatever_is_asked_is_bounded(expression: str, view: JsonObject) -> None:
    meter = Meter(get_rules())
    value = evaluate_expression(expression, view, meter)
    assert meter.used <= get_rules().evaluation_work
    assert Scale(get_rules().result_bytes).weigh(value.json).bytes <= get_rules().result_bytes


@given(
    st.builds(lambda first, more: " | ".join([first, *more]), expressions, st.lists(_steps, max_size=4)), json_objects
)
def test_what_is_not_refused_is_what_jmespath_says(expression: str, view: JsonObject) -> None:
    value = evaluate_expression(expression, view, Meter(get_rules()))
    try:
        said = jmespath.search(expression, view)
    except (JMESPathError, ArithmeticError, TypeError, ValueError):
        said = None
    assert value.refused or value.json == said
