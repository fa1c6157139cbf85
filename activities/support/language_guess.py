"""Which language a sentence is in, as far as its smallest words tell.

That is enough to know what a capital means, and whether a sentence and its quote can be compared by their words. Where
languages share the small words that stand there, as German and Dutch do `die`, it may be in each of them.
"""

import re
from typing import Final

from elcano.activities.text.words import split_words

_SMALL_WORDS: Final = {
    "en": "the and of is are was were with for that by this from it as be have has not to in at on which their",
    "de": "der die das und ist nicht mit von für auf ein eine einer eines dem den des im zu bei wird auch als sind",
    "fr": "le la les des et est une dans pour que qui sur par avec ne pas plus du au sont ce cette",
    "es": "el los las del y es con por para una que en lo más se su fue como no al",
    "it": "il lo gli della di che per non una con è sono dei nel alla più come si",
    "pt": "o os do da dos das em um uma não com para mais por são foi ao que na no",
    "nl": "het een van en zijn niet met voor op dat die werd worden ook bij aan naar",
}
_TELLING: Final = {
    language: frozenset(told.split())
    for language, told in _SMALL_WORDS.items()
}  # fmt: skip
_SCRIPTS: Final = (
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
)
SPACELESS: Final = frozenset(("zh", "ja", "th"))


def guess_languages(text: str) -> frozenset[str]:
    """The ISO 639-1 codes of the languages that it may be in, or of one in the same script; none if nothing tells."""
    letters = sum(one.isalpha() for one in text)
    scripts = {name: len(script.findall(text)) for name, script in _SCRIPTS}
    if scripts["ja"] > 0.1 * letters > 0:
        return frozenset(("ja",))
    name, most = max(scripts.items(), key=lambda one: one[1])
    if most > 0.3 * letters > 0:
        return frozenset((name,))
    found = split_words(text)
    counts = {name: sum(one in small for one in found) for name, small in _TELLING.items()}
    most = max(counts.values())
    return frozenset(name for name, count in counts.items() if count == most > 0)
