"""Every language says everything, in its own words, with what is filled in; a report is written in its question's."""

from dataclasses import fields
from string import Formatter

import pytest

from elcano.text.phrases import ENGLISH, Phrases, get_phrases

LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "ko", "nl", "pt", "th", "zh")
SENTENCES = [one.name for one in fields(Phrases) if one.name not in ("endings", "verdicts", "comma")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_filled_in_is_the_same_in_every_language(language: str) -> None:
    own = get_phrases(language)
    assert [name for name in SENTENCES if not getattr(own, name).strip()] == []
    filled = {name: _filled(getattr(own, name)) for name in SENTENCES}
    assert filled == {name: _filled(getattr(ENGLISH, name)) for name in SENTENCES}


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_nothing_is_left_in_english(language: str) -> None:
    same = [one for one in SENTENCES if getattr(get_phrases(language), one) == getattr(ENGLISH, one)]
    assert not set(same) - {"conclusion"}, "French and English share that word"
    assert get_phrases(language).endings.keys() == ENGLISH.endings.keys()
    assert get_phrases(language).verdicts.keys() == ENGLISH.verdicts.keys()
    assert set(get_phrases(language).verdicts.values()).isdisjoint(ENGLISH.verdicts.values())


def test_another_language_is_written_in_english() -> None:
    assert get_phrases("vi") is get_phrases("") is ENGLISH


def _filled(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}
