"""What a value weighs: its tree, counted, and never what could not be written down."""

import json

import pytest
from hypothesis import given

from elcano.graphs.expressions.evaluation import (
    CONTAINER_BYTES,
    CONTAINER_PARTS,
    MAX_BITS,
    MAX_LEVELS,
    VALUE_BYTES,
    Scale,
    ValueTooLarge,
)
from elcano.graphs.frozen import Json
from elcano.graphs.state.state import IterationData
from tests.unit.graphs.texts import json_values

MOST = 1_000_000


def nested(levels: int) -> Json:
    value: Json = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, VALUE_BYTES),
        (True, VALUE_BYTES),
        (7, VALUE_BYTES),
        (0.5, VALUE_BYTES),
        ("abc", VALUE_BYTES + 3),
        ("año", VALUE_BYTES + 4),
        ([], CONTAINER_BYTES),
        ([1, 2], CONTAINER_BYTES + 2 * VALUE_BYTES),
        ({"ab": 1}, CONTAINER_BYTES + 2 * VALUE_BYTES + 2),
    ],
)
def test_what_values_weigh(value: Json, found: int) -> None:
    assert Scale(MOST).weigh(value).bytes == found


def test_the_parts_of_a_value_are_counted() -> None:
    assert Scale(MOST).weigh(7).parts == 1
    assert Scale(MOST).weigh([7, {"a": [8]}]).parts == 2 + 3 * CONTAINER_PARTS


def test_a_model_weighs_what_its_fields_weigh() -> None:
    turn = IterationData(number=1, thought="why")
    assert Scale(MOST).weigh(turn).bytes == Scale(MOST).weigh(turn.model_dump()).bytes


def test_what_hangs_in_a_value_twice_counts_twice_and_is_looked_at_once() -> None:
    looked: list[int] = []
    value: list[object] = [1]
    for _ in range(12):
        value = [value, value]
    weight = Scale(10 * MOST, looked.append).weigh(value)
    assert weight.bytes == Scale(10 * MOST).weigh(json.loads(json.dumps(value))).bytes
    assert len(looked) == 13
    with pytest.raises(ValueTooLarge, match="over 1,000,000 bytes"):
        Scale(MOST).weigh(value)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (float("inf"), "not finite"),
        ([float("nan")], "not finite"),
        ("\ud800", "surrogate"),
        ({"\ud800": 1}, "surrogate"),
        (1 << MAX_BITS, "bits"),
        (nested(MAX_LEVELS + 1), "levels"),
        (nested(5_000), "levels"),
        ({1, 2}, "set, which is not JSON"),
        ("x" * MOST, "over 1,000,000 bytes"),
    ],
)
def test_what_cannot_be_kept(value: object, why: str) -> None:
    with pytest.raises(ValueTooLarge, match=why):
        Scale(MOST).weigh(value)


def test_as_many_levels_as_may_be() -> None:
    assert Scale(MOST).weigh(nested(MAX_LEVELS)).levels == MAX_LEVELS


@given(json_values)
def test_a_value_weighs_at_least_what_it_takes_written_down(value: Json) -> None:
    assert Scale(MOST).weigh(value).bytes >= len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
