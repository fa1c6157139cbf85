"""Languages by their ISO 639-1 code, such as `de`: what is known of each, and which one words are read in now.

A task is read in one language from its first word to its last: that of its question, in which what was found is
compared with it. So it is said once, where the task begins (`use_language`), and holds for what that does, also in
other threads; tasks side by side do not see each other. It is English unless someone says otherwise.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Final

import snowballstemmer

ENGLISH: Final = "en"
_NAMES: Final = {
    **{"ar": "arabic", "bg": "bulgarian", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german"},
    **{"el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque"},
    **{"fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "gu": "gujarati", "he": "hebrew"},
    **{"hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "ja": "japanese"},
    **{"ko": "korean", "lt": "lithuanian"},
    **{"ms": "malaysian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese"},
    **{"ro": "romanian", "ru": "russian", "sk": "slovak", "sr": "serbian", "sv": "swedish", "ta": "tamil"},
    **{"tr": "turkish", "uk": "ukrainian", "vi": "vietnamese", "yi": "yiddish", "zh": "chinese"},
}
"""By code what snowballstemmer and stop-words call it; either may lack it."""
UNSPACED: Final = frozenset({"zh", "ja", "ko", "th", "lo", "km", "my"})
"""Languages whose words are taken apart by `unspaced`; Korean has spaces, and particles that cling to its words."""


@cache
def stemmer_of(language: str) -> str:
    """What snowballstemmer calls the language's stemmer; empty if there is none."""
    name = _NAMES.get(language, "")
    return name if name in snowballstemmer.algorithms() else ""


def name_of(language: str) -> str:
    """What libraries call the language, an English word in lower case; empty if nothing is known of it."""
    return _NAMES.get(language, "")


def is_known(language: str) -> bool:
    """Whether forms of a word, or words without spaces, are recognised in it."""
    return bool(stemmer_of(language)) or language in UNSPACED


_SPOKEN: Final[ContextVar[str]] = ContextVar("spoken", default=ENGLISH)


def get_current_language() -> str:
    """The code of the language, as `de`."""
    return _SPOKEN.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Reads words in `language` within."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)
