"""Numbers in words, in seven languages: `twelve`, `zw\u00f6lf`, `1.2 million`, `threefold`."""

import re
from functools import cache
from typing import Final

_LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
_OTHER_WORDS: Final = "once sei due elf neuf cent dos acht mille onze six tien ten neun vier sete sette"
_AMBIGUOUS: Final = frozenset(_OTHER_WORDS.split())
"""Number words that are other words in another language: they count in a quote, and are not asked of one."""
_POWERS: Final = {
    3: "thousand tausend mil mila mille duizend k \u5343",
    4: "\u4e07 \u842c",
    5: "lakh",
    6: "million millions millionen mio mill\u00f3n millones milione milioni milh\u00e3o milh\u00f5es miljoen mn m",
    7: "crore",
    8: "\u4ebf \u5104 \uc5b5",
    9: "billion billions bn milliard milliards milliarde milliarden mrd miliardo miliardi miljard bilh\u00e3o",
    12: "trillion trillions billionen bill\u00f3n billones",
}
_SCALES: Final = {word: power for power, listed in _POWERS.items() for word in listed.split()}
_FOLD: Final = re.compile(r"^(.{2,}?)(?:-?fold|fach|voudig)$")
_MULTIPLES: Final = {"double": 2, "doubled": 2, "twice": 2, "doubling": 2, "triple": 3, "tripled": 3, "quadrupled": 4}


def parse_scale_word(word: str) -> int:
    """The power of ten that a word such as `million` multiplies by; 0 if it is none."""
    return _SCALES.get(word.lower(), 0)


def number_word(word: str) -> int | None:
    """The number that a lower-case word names, from 2 to 100; None if it names none."""
    return _number_words().get(word)


def parse_multiple_word(word: str) -> int | None:
    """How many times more a lower-case word such as `threefold` or `doubled` says; None if it does not."""
    fold = _FOLD.match(word)
    return number_word(fold[1]) if fold else _MULTIPLES.get(word)


def is_ambiguous(word: str) -> bool:
    """Whether a number word is also another word."""
    return word.lower() in _AMBIGUOUS


@cache
def _number_words() -> dict[str, int]:
    from num2words import num2words

    known: dict[str, int] = {}
    for language in _LANGUAGES:
        for number in range(100, 1, -1):
            known[num2words(number, lang=language).removeprefix("one ")] = number
    return known | {"dozen": 12, "hundred": 100, "hundert": 100}
