"""How values and places of an evidence table read on the page."""

import json
from typing import Any

import pytest

from elcano.doors.page.quoted_claims import PagePlace
from elcano.doors.page.table_pages import format_value, list_pages, write_value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("It's 5 < 6", "It's 5 < 6"),
        (True, "yes"),
        (12.5, "12.5"),
        (["a", False], "a; no"),
        ([{"town": "Bilbao"}], '[{"town": "Bilbao"}]'),
    ],
)
def test_a_value_is_shown_in_words_and_typed_as_json(value: Any, shown: str) -> None:
    assert format_value(value) == shown
    typed = write_value(value)
    assert typed == value if isinstance(value, str) else json.loads(typed) == value


def test_a_quote_leads_to_each_of_its_pages_and_without_places_to_none() -> None:
    quote: dict[str, Any] = {"evidence": "a:b&c", "start": 3, "end": 9, "page": 4, "page_label": "iv"}
    marks = [[4, [0.1, 0.5, 0.9, 0.52]], [4, [0.1, 0.4, 0.9, 0.42]], [5, [0.1, 0.1, 0.9, 0.12]]]
    pages = list_pages({**quote, "marks": marks}, "run-1")
    assert [(one.name, len(one.marks)) for one in pages] == [("page 4 (iv)", 2), ("page 5", 1)]
    assert pages[0].path == "/v1/runs/run-1/pages/4?evidence=a%3Ab%26c&start=3&end=9"
    assert pages[0].picture == "/v1/runs/run-1/pages/4?evidence=a%3Ab%26c"
    assert list_pages({**quote, "marks": []}, "run-1") == [PagePlace("page iv")]
    assert list_pages({**quote, "marks": [], "page": None}, "run-1") == []
