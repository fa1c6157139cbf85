"""Completes a follow-up question that cannot stand alone: searches for it include the words of the previous question.

By rules, for everybody who reads the question reads it so, a tool that searches as well. A question that can stand
alone stays as it is. Whose language is not known here stands alone too, unless it has hardly a word.
"""

import re
from collections.abc import Collection
from functools import cache
from typing import Final

from stop_words import AVAILABLE_LANGUAGES, get_stop_words

MOST_WORDS: Final = 12
"""Of the question before."""
WORD_CHARACTERS: Final = 60
_WORD: Final = re.compile(r"[^\W\d_](?:[\w-]|['\u2019](?=\w))*|\d[\w.,%-]*")


def _parse_word_list(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINKS: Final = _parse_word_list(
    "and or but also then so und oder auch dann et ou mais aussi puis y e o pero también ed ma anche en of maar ook "
    "och men også og i ale lub \u0438 \u0438\u043b\u0438 \u043d\u043e také ve peki de"
)
"""With what a question goes on that another one has begun."""
_OPENINGS: Final = ("what about ", "how about ", "was ist mit ", "wie ist es mit ", "qu'en est-il ", "y qué ", "e per ")
_MEANT: Final = _parse_word_list(
    "it its they them their theirs this these those that he him his she her er sie ihn ihm ihr ihre ihren ihrer diese "
    "dieser dieses diesem diesen davon dafür daran damit il elle ils elles celui celle ceux celles cela ça leur leurs "
    "ello ella ellos ellas eso esto esos estos esas estas su sus esso essa essi loro questo questa questi queste ele "
    "eles elas isso isto hij zij hun deze dit"
)
"""Words that stand for something that was named before."""
_ASKING: Final = _parse_word_list(
    "what which who whom whose when where why how much many about compare compared show tell list give find please "
    "was welche welcher welches wer wann wo warum wie viel viele zeige nenne quel quelle quels quelles qui quand où "
    "pourquoi comment combien qué cuál cuáles quién cuándo dónde cómo cuánto cuántos che quale quali chi quando dove "
    "perché come quanto quanti qual quais quem onde quantos wat welke wanneer waar waarom hoe hoeveel"
)


def in_context(question: str, earlier: str) -> str:
    """`question` with the telling words of `earlier` behind it, if it lacks a subject; else empty.

    A year, or another number, of the question takes the place of those that were asked about before.
    """
    own = _find_words(question)
    stop = _stop_words(f"{earlier} {question}")
    telling = [word for word in own if _is_content_word(word, stop)]
    if not _needs_context(question, own, telling):
        return ""
    known = {word.lower() for word in own}
    numbers = any(_is_number(word) for word in own)
    taken = [
        word[:WORD_CHARACTERS]
        for word in dict.fromkeys(_find_words(earlier))
        if word.lower() not in known and (not numbers if _is_number(word) else _is_content_word(word, stop))
    ][:MOST_WORDS]
    return f"{question} ({' '.join(taken)})" if taken else ""


def _needs_context(question: str, own: list[str], telling: list[str]) -> bool:
    if len(telling) < 2:
        return True
    first = own[0].lower()
    lowered = " ".join(question.lower().split())
    return first in _LINKS or lowered.startswith(_OPENINGS) or any(word.lower() in _MEANT for word in own)


def _find_words(text: str) -> list[str]:
    return [found.group().rstrip(".,-") for found in _WORD.finditer(text)]


def _is_number(word: str) -> bool:
    return word[0].isdigit()


def _is_content_word(word: str, stop: Collection[str]) -> bool:
    """Whether a word says what a question is about."""
    lowered = word.lower()
    return not _is_number(word) and lowered not in stop and lowered not in _ASKING and lowered not in _LINKS


def _stop_words(text: str) -> frozenset[str]:
    """Those of the language that most of the words of `text` are stop words of; of none if none is."""
    words = {word.lower() for word in _find_words(text)}
    best = max(_LANGUAGES, key=lambda language: len(words & _load_stop_words(language)))
    return _load_stop_words(best) if words & _load_stop_words(best) else frozenset()


_LANGUAGES: Final = ("en", *sorted(set(AVAILABLE_LANGUAGES) - {"en"}))
"""English first: it is taken where two fit as well."""


@cache
def _load_stop_words(language: str) -> frozenset[str]:
    return frozenset(get_stop_words(language))
