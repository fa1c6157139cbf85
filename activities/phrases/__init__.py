"""The words of a report that code writes, in the language of its question: one file a language, English for all others.

What a language lacks is said in English, never left out; that is so of warnings and of what services answer.
"""

from collections.abc import Mapping
from typing import Final

from elcano.activities.phrases import (
    chinese,
    dutch,
    english,
    french,
    german,
    italian,
    japanese,
    korean,
    portuguese,
    spanish,
    thai,
)
from elcano.activities.phrases.wording import Phrases

_BY_LANGUAGE: Final[Mapping[str, Phrases]] = {
    "de": german.PHRASES,
    "en": english.PHRASES,
    "es": spanish.PHRASES,
    "fr": french.PHRASES,
    "it": italian.PHRASES,
    "ja": japanese.PHRASES,
    "ko": korean.PHRASES,
    "nl": dutch.PHRASES,
    "pt": portuguese.PHRASES,
    "th": thai.PHRASES,
    "zh": chinese.PHRASES,
}


def get_phrases(language: str) -> Phrases:
    """The fixed words of reports in `language`, by its ISO 639-1 code; the English ones where there are no others."""
    return _BY_LANGUAGE.get(language, english.PHRASES)
