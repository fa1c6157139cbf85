"""What has another type than it should is not there, and never something plausible."""

from typing import Any

import pytest
from pydantic import Field

from elcano.graphs.errors import SourceUnavailable
from elcano.subjects.literature.service_answers import LARGEST_COUNT, ServiceData, parse_readable_items, validate_shape
from elcano.subjects.literature.service_fields import format_date, parse_iso_date, parse_year


class Author(ServiceData):
    name: str = ""


class Paper(ServiceData):
    id: str
    title: str = ""
    count: int | None = Field(None, ge=0, le=LARGEST_COUNT)
    author: Author = Author()
    authors: list[Author] = []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"title": "a"}, "a"),
        ({"title": 7}, "7"),
        ({"title": "a\x00\ud800é"}, "a é"),
        ({"title": True}, ""),
        ({"title": None}, ""),
        ({"title": ["a"]}, ""),
        ({}, ""),
    ],
)
def test_texts(given: dict[str, Any], kept: str) -> None:
    assert Paper.model_validate({"id": "x", **given}).title == kept


@pytest.mark.parametrize(("given", "kept"), [(0, 0), ("7", 7), (-1, None), (10**30, None), (1.5, None), ([7], None)])
def test_counts(given: object, kept: int | None) -> None:
    assert Paper.model_validate({"id": "x", "count": given}).count == kept


def test_one_wrong_part_or_item_costs_no_other() -> None:
    paper = Paper.model_validate({"id": "x", "author": [], "authors": [{"name": "a"}, None, "b", {"name": []}]})
    assert (paper.author, [one.name for one in paper.authors]) == (Author(), ["a", ""])
    assert Paper.model_validate({"id": "x", "authors": "abc"}).authors == []


def test_what_makes_an_answer_one_has_to_be_there() -> None:
    with pytest.raises(SourceUnavailable, match=r"papers: the answer has another shape \(id: "):
        validate_shape("papers", Paper, {"id": []})
    papers, unread = parse_readable_items(Paper, [{"id": "x"}, {}, None, "x"])
    assert ([one.id for one in papers], unread) == (["x"], 3)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024", "2024"),
        ("2024-5-7", "2024-05-07"),
        ("2024-05-17T12:00:00Z", "2024-05-17"),
        ("2024-13-01", "2024"),
        ("2024-02-99", "2024-02"),
        ("99999", ""),
        ("0999", ""),
        ("May 2024", ""),
        ("", ""),
    ],
)
def test_dates(text: str, date: str) -> None:
    assert parse_iso_date(text) == date
    assert parse_year(date) == (int(date[:4]) if date else None)


def test_dates_of_parts() -> None:
    assert format_date(2021, 3, 4) == format_date("2021", "Mar", "4") == "2021-03-04"
    assert format_date("2023 Nov-2024 Jan") == "2023"
    assert format_date(None, 3) == format_date(99999) == ""
