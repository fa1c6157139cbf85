"""All forms of a verb are one word, and words that only look like one are their own."""

import sqlite3
from contextlib import closing

import pytest

from elcano.activities.passages.search import build_fts_expression
from elcano.subjects.quoting.passages import weigh_terms
from elcano.text.languages import use_language
from elcano.text.stems import (
    BASE,
    content_words,
    find_word_stem,
    list_stems,
    list_synonyms,
    list_verb_forms,
    past_forms,
)


@pytest.mark.parametrize(
    "written", ["pay pays paying paid", "lose loses losing lost", "write wrote written writing", "choose chosen chose"]
)
def test_the_forms_of_a_verb_are_one(written: str) -> None:
    assert len({find_word_stem(word) for word in written.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("find", "found"), ("leave", "left"), ("see", "saw"), ("rise", "rose"), ("mean", "meant"), ("lead", "led")],
)
def test_a_form_that_is_another_word_is_not_led_back(one: str, other: str) -> None:
    assert find_word_stem(one) != find_word_stem(other)


def test_no_form_belongs_to_two_verbs() -> None:
    assert all(form in past_forms(base) for form, base in BASE.items())
    assert not BASE.keys() & set(BASE.values())


def test_forms_are_those_that_a_search_does_not_find() -> None:
    assert list_verb_forms("pays") == ("paid",)
    assert list_verb_forms("paid") == ("pay",)
    assert list_verb_forms("kettle") == list_verb_forms("") == ()
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE words USING fts5 (body, tokenize='porter unicode61')")
        for form, base in BASE.items():
            database.execute("DELETE FROM words")
            database.execute("INSERT INTO words VALUES (?)", (form,))
            (found,) = database.execute(
                "SELECT count(*) FROM words WHERE words MATCH ?", (build_fts_expression(base),)
            ).fetchone()
            assert (form in list_verb_forms(base)) == (not found), form


def test_forms_are_of_english_alone() -> None:
    with use_language("de"):
        assert list_verb_forms("pay") == ()
        assert find_word_stem("paid") == "paid"


def test_a_verb_in_several_forms_keeps_its_weight() -> None:
    assert list_synonyms("pay") == ()
    terms = weigh_terms("Who paid the toll and the bill?", {"paid": 5.0, "toll": 2.0, "bill": 2.0}, [])
    assert terms.weights["pay"] == 5.0


def test_who_owns_something_is_told_and_whose_own_it_is_is_not() -> None:
    assert "own" in list_stems("Two sisters own Kettlewright.")
    assert content_words("Which mills does Aldermoor own?") == ("mills", "aldermoor", "owns")
    assert find_word_stem("owner") == find_word_stem("owns") == find_word_stem("ownership")
    for text in ("in its own file", "Aldermoor\u2019s own mill", "my very own desk", "the sisters' own desk"):
        assert "own" not in list_stems(text)
