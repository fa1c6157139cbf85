"""Whether two questions are the same but for politeness, articles and plural endings, and what a follow-up may ask.

Nothing is guessed: every word that tells something must be in both, in the same order. In English, articles and the
words with which one asks tell nothing; in every other language each word counts. What is before the first comma
may as well stand at the end.
"""

import re
import unicodedata
from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.text.languages import ENGLISH, language_of
from elcano.text.stems import root_in
from elcano.text.words import split_words

_TOKEN: Final = re.compile(r"\w+(?:[.'\u2019]\w+)*|[^\w\s]")
_MARKS: Final = frozenset("?!.,;:\"'()\u201c\u201d\u2019\u00bf\u00a1")
"""They tell nothing. Other signs do: `<`, `-` and `%` change what is asked."""
_ARTICLES: Final = frozenset({"a", "an", "the"})
_ASKING: Final = re.compile(
    r"^\W*(?:please,? )?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:(?:show|give|tell)(?: me| us)? |list (?=the |all )|what(?: is| are| was| were|['\u2019]s) "
    r"|which (?:is|are|was|were) )?",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(r"[\s,]*\bplease\W*$", re.IGNORECASE)
_PLURAL: Final = frozenset({"", "s", "es", "ies", "y"})
"""Endings of forms of one English word. A stem alone is too little: `paid` is not `paying`, though both come of `pay`,
and `internal` and `international` share a stem."""
_MOST_ENDING: Final = 2
"""Letters by which forms of one word may differ in other languages."""


def is_same_question(asked: str, saved: str) -> bool:
    """Whether `asked` asks what `saved` asks, word by word, in the language of `saved`."""
    language = language_of(saved)
    wanted = _telling_words(saved, language)
    front, comma, rest = asked.partition(", ")
    orders = (asked, f"{rest} {front}") if comma else (asked,)
    return bool(wanted) and any(_are_same(_telling_words(one, language), wanted, language) for one in orders)


def _telling_words(question: str, language: str) -> list[str]:
    """The words of a question that tell something, in their order."""
    plain = " ".join(unicodedata.normalize("NFC", question).replace("\u2019", "'").split())
    if language != ENGLISH:
        return [one.casefold() for one in _TOKEN.findall(plain) if one not in _MARKS]
    plain = _POLITE.sub("", _ASKING.sub("", plain))
    found = (one for one in _TOKEN.findall(plain) if one not in _MARKS)
    words = [one.lower() for one in found if one not in _ARTICLES | {"The", "An"}]
    return ["which" if one == "what" else one.removesuffix("'s") for one in words]


def _are_same(asked: list[str], saved: list[str], language: str) -> bool:
    return len(asked) == len(saved) and all(
        _is_same_word(one, other, language) for one, other in zip(asked, saved, strict=True)
    )


def _is_same_word(one: str, other: str, language: str) -> bool:
    """Whether two words are forms of one."""
    if one == other:
        return True
    if not (one.isalpha() and other.isalpha()):
        return False
    if root_in(language, one) != root_in(language, other):
        return False
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    ends = (one[shared:], other[shared:])
    return all(end in _PLURAL if language == ENGLISH else len(end) <= _MOST_ENDING for end in ends)


_IN_CONTEXT: Final = re.compile(r"^(?P<own>.+?) \((?P<context>[^()]*)\)$", re.DOTALL)
"""A question with telling words of the one before it behind it, as the API hands it over."""
_GOES_ON: Final = re.compile(r"^\W*(?:(?:and|but|then|also|now|so|what about|how about)\b[\s,:]*)+", re.IGNORECASE)
"""Beginning of a question that needs the one before it."""


def list_readings(task: TaskEnvelope) -> tuple[str, ...]:
    """Return the readings of a task's question: itself; if it continues another one, both combined.

    “And by year?” after “What is the total revenue?” is “What is the total revenue by year?”.
    """
    if not task.history or not _GOES_ON.match(task.question):
        return (task.question,)
    own = " ".join(task.question.split())
    known = set(split_words(" ".join(entry.question for entry in task.history)))
    found = _IN_CONTEXT.match(own)
    if found and known.issuperset(split_words(found["context"])):
        own = found["own"]
    return (f"{task.history[-1].question.strip().rstrip('?!. ')} {_GOES_ON.sub('', own).strip()}", task.question)
