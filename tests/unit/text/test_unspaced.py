"""Texts without spaces in pairs of signs, and what of a question may tell something."""

import pytest

from elcano.text.languages import get_current_language, use_language
from elcano.text.stems import content_words, list_stems
from elcano.text.words import asked_words, list_sign_pairs, rejoin_pairs, space_out_pairs, split_words


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("北京大学", ["北京", "京大", "大学"]),
        ("SQLite的WAL模式", ["sqlite", "的", "wal", "模式"]),
        ("308分", ["308", "分"]),
        ("タワー", ["タワ", "ワー"]),
        ("대한민국", ["대한", "한민", "민국"]),
        ("ที่นี่", ["ที่นี่"]),
        ("한", ["한"]),
        ("𠮷野家", ["𠮷野", "野家"]),
    ],
)
def test_a_text_in_pairs(text: str, parted: list[str]) -> None:
    assert split_words(text) == parted


def test_a_question_is_cut_at_what_tells_nothing() -> None:
    assert asked_words("黑豹队的防守丢了多少分？") == ["黑豹", "豹队", "防守", "守丢"]
    assert asked_words("東京タワーはいつ建てられましたか？") == ["東京", "京タ", "タワ", "ワー"]
    assert asked_words("서울은 어디에 있습니까?") == ["서울"]
    assert asked_words("什么？") == []


def test_the_pairs_of_a_question_stand_in_the_text_that_answers_it() -> None:
    for question, text in (
        ("黑豹队的防守丢了多少分？", "黑豹队的防守只丢了308分。"),
        ("เมืองหลวงของประเทศไทยคืออะไร", "กรุงเทพเป็นเมืองหลวงของประเทศไทย"),
        ("서울의 인구는 얼마입니까?", "서울의 인구는 약 940만 명이다."),
    ):
        asked = content_words(question)
        held = set(list_stems(text))
        assert len([one for one in asked if one in held]) >= 0.6 * len(asked) > 0


def test_pairs_that_follow_one_another_are_one_word_to_a_reader() -> None:
    assert rejoin_pairs(["黑豹", "豹队", "sqlite", "防守"]) == ["黑豹队", "sqlite", "防守"]
    assert rejoin_pairs(list_sign_pairs("เมืองหลวง")) == ["เมืองหลวง"]
    assert rejoin_pairs([]) == []


def test_other_scripts_stay_as_they_are_for_the_index() -> None:
    assert space_out_pairs("Größe, naïve café") == "Größe, naïve café"
    assert space_out_pairs("Die 北京大学!") == "Die  北京 京大 大学 !"


def test_stems_are_those_of_the_language_that_is_spoken() -> None:
    assert get_current_language() == "en"
    with use_language("de"):
        assert list_stems("die Häuser") == list_stems("das Haus") == ["haus"]
        with use_language("fr"):
            assert list_stems("les chevaux") == list_stems("le cheval")
        assert get_current_language() == "de"
    with use_language("vi"):
        assert list_stems("tokio") == ["tokio"], "its words are their own stems"
    with use_language("zh"):
        assert list_stems("handlers") == ["handler"], "terms in Chinese texts mostly are English"
    assert get_current_language() == "en"
