"""Names that differ by one word are of two things; names that differ in form alone are of one."""

import pytest
from pydantic import ValidationError

from elcano.subjects.analysis.analysis import Analysis, Group, Measurement
from elcano.subjects.analysis.statistics.outcome_names import NameReader
from tests.unit.subjects.analysis.name_pairs import OTHERS, SAME, list_pairs
from tests.unit.subjects.analysis.trials import counts, of


def pool_outcomes(*names: str) -> Analysis:
    return of([counts(str(at), 12, 45, 20, 44).model_copy(update={"outcome": name}) for at, name in enumerate(names)])


def pool_groups(*names: str) -> Analysis:
    treated = Group(events=12, size=45)
    return of(
        [
            counts(str(at), 12, 45, 20, 44).model_copy(update={"first": treated.model_copy(update={"name": name})})
            for at, name in enumerate(names)
        ]
    )


def test_no_word_is_lost() -> None:
    pairs = list_pairs(OTHERS)
    assert len(pairs) >= 100
    assert not [pair for pair in pairs if len(pool_outcomes(*pair).pools) != 2]
    assert not [pair for pair in pairs if len(pool_groups(*pair).pools) != 2]


def test_form_makes_no_difference() -> None:
    pairs = list_pairs(SAME)
    assert len(pairs) >= 100
    assert not [pair for pair in pairs if len(pool_outcomes(*pair).pools) != 1]
    assert not [pair for pair in pairs if len(pool_groups(*pair).pools) != 1]


def test_no_word_is_lost_among_many_names() -> None:
    names = NameReader(name for pair in list_pairs(OTHERS + SAME) for name in pair)
    assert not [pair for pair in list_pairs(OTHERS) if names.words_of(pair[0]) == names.words_of(pair[1])]


def test_names_are_the_same_whatever_other_names_there_are() -> None:
    pairs = list_pairs(SAME)
    names = NameReader(name for pair in list_pairs(OTHERS + SAME) for name in pair)
    apart = [pair for pair in pairs if names.words_of(pair[0]) != names.words_of(pair[1])]
    assert len(apart) <= 0.05 * len(pairs), apart


@pytest.mark.parametrize("outcome", ["", " ", "the", "of the", "no", "without", "not at", "-", "?!"])
def test_an_outcome_of_words_that_name_nothing_is_left_out(outcome: str) -> None:
    (left,) = pool_outcomes(outcome).left_out
    assert left.reason == "it does not say which outcome its numbers are for"


@pytest.mark.parametrize(("first", "second"), [("drug", "the drug"), ("Drugs", "drug"), ("vitamin A", "Vitamin A")])
def test_a_group_is_not_compared_with_itself(first: str, second: str) -> None:
    one = counts("x", 12, 45, 20, 44)
    groups = {"first": Group(name=first, events=12, size=45), "second": Group(name=second, events=20, size=44)}
    (left,) = of([one.model_copy(update=groups)]).left_out
    assert left.reason == "both of its groups have the same name"


def test_groups_may_be_named_by_words_that_name_no_outcome() -> None:
    groups = {"first": Group(name="on", events=12, size=45), "second": Group(name="off", events=20, size=44)}
    (pool,) = of([counts(name, 12, 45, 20, 44).model_copy(update=groups) for name in "ab"]).pools
    assert (pool.first, pool.second, pool.count) == ("on", "off", 2)


def test_a_name_that_is_too_long_is_refused_with_its_place() -> None:
    with pytest.raises(ValidationError, match=r"outcome\n.*at most 200 characters"):
        Measurement(evidence="x", outcome="a" * 10_000, reports="counts", quote="x")


@pytest.mark.parametrize(
    "name",
    ["a-" * 5_000, "no " * 3_000, "a" * 10_000, "1" * 10_000, "(" * 10_000, "β" * 10_000, "的" * 10_000, "IV " * 3_000],
)
def test_a_name_of_ten_thousand_characters_is_read(name: str) -> None:
    names = NameReader([name, f"{name} b"])
    assert names.words_of(name) != names.words_of(f"{name} b")


def test_of_ten_longer_names_five_are_named() -> None:
    found = pool_outcomes("pain", *(f"pain {letter}" for letter in "bcdefghijk"))
    (told,) = (line for line in found.apart if line.startswith("pain: "))
    assert (
        told
        == "pain: not pooled with pain b, pain c, pain d, pain e, pain f and 5 more, which may be a different outcome"
    )
