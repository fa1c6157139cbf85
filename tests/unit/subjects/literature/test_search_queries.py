"""What is made of a query: words, or the syntax of a service."""

import pytest

from elcano.subjects.literature.search_queries import MOST_WORDS, plain_words, prepare_query


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("How do whales sing?", "whales sing"),
        ("IL-6 and CD4+ cells in COVID-19 (2020)", "IL-6 CD4+ cells COVID-19 2020"),
        ('a 12" whale', "12 whale"),
        ("uptake of [3H]thymidine and [Ca2+]i levels", "uptake 3H thymidine Ca2+ levels"),
        ("see https://example.org/a?b=c", "see https example.org b c"),
        ("whale/song [unclosed (brackets", "whale song unclosed brackets"),
        ("the of and", "the of and"),
        ("Cats, dogs:birds; who", "Cats dogs birds"),
        ("what does WHO say of AIDS in the US", "WHO say AIDS US"),
        ("WHAT DOES IT SAY", "SAY"),
        ("whale Whale WHALE", "whale"),
        ('"whale song" "krill', "whale song krill"),
        ("OR", "or"),
    ],
)
def test_plain_words(query: str, sent: str) -> None:
    words = sent.split()
    assert prepare_query(query) == (sent, " OR ".join(words) if len(words) > 1 else "", query, False)


def test_words_of_every_script_stay_whole() -> None:
    hindi = "\u0939\u093f\u0902\u0926\u0940"
    assert plain_words(f"na\u00efve \u9be8 {hindi} whale\u2019s") == ["na\u00efve", "\u9be8", hindi, "whale\u2019s"]


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ('"whale song"', '"whale song"'),
        ("asthma[mesh] child", "asthma[mesh] child"),
        ("asthma [tiab]", "asthma [tiab]"),
        ("AREA[Phase]PHASE3", "AREA[Phase]PHASE3"),
        ("PUB_YEAR:[2020 TO 2024]", "PUB_YEAR:[2020 TO 2024]"),
        ("(whale OR krill) NOT\n bread", "(whale OR krill) NOT bread"),
        ("((whale OR krill)", "whale OR krill"),
        ("whale) AND (krill", "whale AND krill"),
    ],
)
def test_a_syntax_passes_as_it_is_and_is_never_widened(query: str, sent: str) -> None:
    assert prepare_query(query)[:2] == (sent, "")


def test_nothing_and_far_too_much() -> None:
    assert prepare_query(" ?!\n\x00")[:2] == ("", "")
    assert prepare_query('"" []')[:2] == ("", "")
    assert prepare_query("whale")[:2] == ("whale", "")
    many = prepare_query(" ".join(f"word{at}" for at in range(500)))
    assert len(many.all_of.split()) == MOST_WORDS
    assert many.any_of.count(" OR ") == MOST_WORDS - 1
    assert prepare_query("(" * 1_000).all_of == ""
