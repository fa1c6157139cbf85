"""Words of any script, the same for searches, weights and comparisons; and what each part of the stop list is for."""

import sqlite3
from contextlib import closing

import pytest

from elcano.activities.passages.search import build_fts_expression, search_words
from elcano.text.languages import STOP_WORDS, WEIGHTLESS
from elcano.text.stems import content_words, list_stems
from elcano.text.words import flatten_exponents, split_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Whale, a mammal.", "the whale a mammal"),
        ("Parkinson's disease and James' law", "parkinson disease and james law"),
        ("It isn't what we\u2019ll see", "it isn't what we'll see"),
        ("O'Brien l'homme rock'n'roll f'errors'", "o brien l homme rock n roll f errors"),
        ("snake_case, kebab-case & T-cells", "snake case kebab case t cells"),
        ("10\u00b2 H\u2082O 3.5", "10 2 h2o 3 5"),
        ("cafe\u0301 STRASSE stra\u00dfe", "caf\u00e9 strasse stra\u00dfe"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e", "हिन्दी भाषा"),
        ("\u041c\u041e\u0421\u041a\u0412\u0410 \u5317\u4eac", "москва 北京"),
        ("'s 't \u2026 \u0301 _", "s t"),
        ("", ""),
    ],
)
def test_a_text_in_words(text: str, expected: str) -> None:
    assert split_words(text) == expected.split()


def test_a_search_keeps_the_words_that_a_question_may_be_about() -> None:
    assert STOP_WORDS < WEIGHTLESS
    assert search_words("How are data types used?") == ["data", "types"]
    assert content_words("How are data types used?") == ("data",)


def test_contractions_tell_nothing_and_names_with_an_apostrophe_do() -> None:
    assert list_stems("It doesn't matter what they're doing, isn't it? Let's see O'Brien's.") == ["see", "o", "brien"]
    assert search_words("isn't it?") == ["isn't", "it"], "there is nothing else"


@pytest.mark.parametrize("text", ["It isn't so", "l'homme qui rit", "हिन्दी भाषा", "10² metres", "Ünïcode's café"])
def test_every_word_is_found_where_it_was_taken_from(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE words USING fts5 (body, tokenize='porter unicode61')")
        database.execute("INSERT INTO words VALUES (?)", (flatten_exponents(text),))  # as indexes do
        for word in split_words(text):
            found = database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (build_fts_expression(word),))
            assert found.fetchone() == (1,), word
