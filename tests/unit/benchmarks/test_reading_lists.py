"""Lists are compared field by field with two other readers."""

import pytest

from benchmarks.reading_lists import compare_list, compare_values, fold_field
from elcano.graphs.report.works import Work


@pytest.mark.parametrize(
    ("values", "difference"),
    [
        (("a", "a", "b"), ""),
        (("", "a", "a"), "lost"),
        (("", "a", "b"), "lost"),
        (("a", "", ""), "only here"),
        (("a", "b", "b"), "against two"),
        (("a", "b", "c"), "three ways"),
    ],
)
def test_a_field_differs_where_both_peers_have_something_else(values: tuple[str, str, str], difference: str) -> None:
    assert compare_values(*values) == difference


def test_forms_of_one_value_are_the_same() -> None:
    assert fold_field("doi", "https://doi.org/10.1000/AB") == fold_field("doi", "10.1000/ab")
    assert fold_field("page", "pp. 12-19") == fold_field("page", "12")
    assert fold_field("year", "2019 Mar 5") == "2019"
    assert fold_field("title", "CO<sub>2</sub> &amp; heat") == fold_field("title", "CO2 & Heat")
    assert fold_field("authors", ["Müller", "O\u2019Neill"]) == fold_field("authors", ["MÜLLER", "O'Neill"])


def test_works_are_compared_by_their_titles() -> None:
    own = [Work(title="Ladders", authors=("Doe, Jane",), year=2019)]
    peer = {"title": "Ladders", "authors": ["Doe"], "year": "2018"}
    lost = {"title": "Stairs", "authors": [], "year": ""}
    found = {(name, how) for name, how, _ in compare_list(own, [[peer, lost], [peer, lost]]) if how}
    assert found == {("work", "lost"), ("year", "against two")}
