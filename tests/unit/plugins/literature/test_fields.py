"""What has another type than it should is not there, and never something plausible."""

import pytest

from elcano.plugins.literature import fields


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("  a\n b\x00", "a b"),
        (7, "7"),
        (True, ""),
        (-1, ""),
        (10**30, ""),
        (1.5, ""),
        (None, ""),
        (["a"], ""),
        ({}, ""),
    ],
)
def test_texts(value: object, text: str) -> None:
    assert fields.coerce_text(value) == text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((0, 0), (7, 7), ("7", 7), (" 7 ", 7), ("٣", 3)),
        *(("7.5", None), ("9" * 5_000, None), (10**30, None), (-1, None)),
        *((True, None), (1.5, None), (None, None), ("", None), ([7], None)),
    ],
)
def test_numbers(value: object, number: int | None) -> None:
    assert fields.coerce_whole_number(value) == number


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ("2024", "2024"),
        (2024, "2024"),
        ("2024-5-7", "2024-05-07"),
        ("2024-05-17T12:00:00Z", "2024-05-17"),
        ("2024-13-01", "2024"),
        ("2024-02-99", "2024-02"),
        ("99999", ""),
        ("0999", ""),
        ("May 2024", ""),
        (None, ""),
    ],
)
def test_dates(value: object, date: str) -> None:
    assert fields.coerce_date(value) == date
    assert fields.parse_year(date) == (int(date[:4]) if date else None)


def test_objects_and_lists() -> None:
    assert fields.coerce_first_text(["", None, " a ", "b"]) == fields.coerce_first_text("a") == "a"
    assert fields.coerce_first_text({}) == fields.coerce_first_text([[]]) == ""
    assert fields.coerce_mapping([("a", 1)]) == {}
    assert list(fields.coerce_list("abc")) == list(fields.coerce_list({"a": 1})) == []
    assert fields.coerce_mappings([{}, None, {"a": 1}, "x"]) == [{}, {"a": 1}]
