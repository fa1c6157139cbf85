"""Answers of bounded size: what is too large is named, never cut in silence."""

from elcano.api.steps.routes import limit_json_size
from elcano.graphs.frozen import Json

STATE: dict[str, Json] = {"question": "q", "outputs": {"small": 1, "large": "x" * 5_000}, "evidence": ["e" * 2_000]}


def test_what_fits_is_whole() -> None:
    assert limit_json_size("before", STATE, 10_000) == (STATE, [])
    assert limit_json_size("before", STATE, None) == (STATE, [])
    assert limit_json_size("after", None, 10) == (None, [])


def test_the_largest_parts_are_left_out_first() -> None:
    value, missing = limit_json_size("before", STATE, 3_000)
    assert value == {**STATE, "outputs": {"small": 1}}
    assert [(one.where, one.size) for one in missing] == [("before.outputs.large", 5_002)]
    value, missing = limit_json_size("before", STATE, 100)
    assert value == {"question": "q", "outputs": {"small": 1}}
    assert [one.where for one in missing] == ["before.outputs.large", "before.evidence"]


def test_what_has_no_parts_is_left_out_as_a_whole() -> None:
    value, missing = limit_json_size("input", ["x" * 5_000], 1_000)
    assert value is None
    assert [(one.where, one.size) for one in missing] == [("input", 5_004)]
