"""Validation against a JSON Schema that someone sent."""

import json

import pytest

from elcano.activities.schema_validation import build_validator


@pytest.mark.parametrize(
    ("number", "step"),
    [
        *(("19.99", "0.01"), ("4.35", "0.01"), ("0.3", "0.1"), ("1.15", "0.05"), ("1.005", "0.001"), ("-0.7", "0.1")),
        *(("1e-7", "1e-8"), ("12391239123", "1e-8"), ("0", "0.01"), ("7.0", "1"), ("1e308", "0.5"), ("750", "250")),
        (str(10**400), "0.01"),
    ],
)
def test_multiples_are_those_of_the_numbers_as_they_are_written(number: str, step: str) -> None:
    assert build_validator({"multipleOf": json.loads(step)}).is_valid(json.loads(number))


@pytest.mark.parametrize(
    ("number", "step"),
    [
        *(("19.995", "0.01"), ("4.351", "0.01"), ("0.30000000000000004", "0.1"), ("0.35", "0.1"), ("1e-9", "1e-8")),
        *(("7.5", "1"), ("800", "250"), ("5e-324", "0.5"), ("NaN", "0.1"), ("Infinity", "0.1")),
        (str(10**400), "7"),
    ],
)
def test_what_is_no_multiple_is_told(number: str, step: str) -> None:
    (fault,) = build_validator({"multipleOf": json.loads(step)}).iter_errors(json.loads(number))
    assert fault.message == f"{json.loads(number)!r} is not a multiple of {json.loads(step)!r}"


def test_multiples_are_asked_of_numbers_alone() -> None:
    assert build_validator({"multipleOf": 2}).is_valid("three")
    assert build_validator({"multipleOf": 2}).is_valid(True)
