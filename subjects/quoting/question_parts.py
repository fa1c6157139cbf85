"""The parts of a question, each to be answered by itself, which can be, and the word that says what it is about.

A part is answered if one document holds enough of its words. Without this gate a question on medicine finds words in a
programming manual.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from elcano.subjects.quoting.passages import COMPOUNDING, Material, Terms, is_english
from elcano.text.languages import get_current_language
from elcano.text.stems import content_words, find_word_stem

MOST_PARTS: Final = 10
ANSWERABLE: Final = 0.512
FEWER_WORDS: Final = 0.3
"""The best single document must hold the first share and, of a question of n telling words, an nth of the second."""
COMPOUNDED: Final = 0.88
"""Factor for languages that write several words as one."""
NAME_SHARE: Final = 0.4
"""A proper name says what a question is about if its weight is this share of the highest weight."""


def _build_boundary(conjunctions: str, asking: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?:\s*[,;]\s*|\s+)(?:{conjunctions})\s+|\s*[,;]\s+)(?=\u00bf?(?:{asking})\b)", re.IGNORECASE
    )


JOINTS: Final[Mapping[str, re.Pattern[str]]] = {
    "en": _build_boundary(
        "and|or|but",
        "how|what|when|where|which|who|whom|whose|why|is|are|was|were|does|do|did|can|could|should|will",
    ),
    "de": _build_boundary("und|oder|aber", "wie|was|wann|wo|wer|wen|wem|warum|weshalb|wieso|wozu|welche[rsnm]?"),
    "es": _build_boundary("y|o|pero", r"qué|quién\w*|cómo|cuándo|dónde|cuál\w*|por qué|cuánt\w+"),
    "fr": _build_boundary("et|ou|mais", r"qui|que|quoi|comment|quand|où|pourquoi|quel\w*|combien"),
    "zh": re.compile("[\uff0c\uff1b](?=.*(?:什么|多少|怎么|如何|谁|哪))"),
}
"""Points at which a question splits into independent parts; other languages split only at question marks."""
_ASKED: Final = re.compile("(?<![^?\uff1f\u061f])[^?\uff1f\u061f]++[?\uff1f\u061f]")
"""Begins where a question can, so that what no mark ends is read once and not from each of its letters on."""
_EDGES: Final = " ?.,;\uff1f\u061f\u00bf\uff0c\u3002"
_COMPARED: Final = re.compile(
    r"\b(?:differ\w*|distin\w+|choos\w+|choices?|decid\w+|comparisons?|trade-?offs?|similarit\w+|contrasts?)\b"
    r"[^?]*?\bbetween\s+(.+)|\bcompare\s+(.+)",
    re.IGNORECASE,
)
"""Only after a word of comparison: a line between two servers compares nothing."""
_VERSUS: Final = re.compile(r"\s+(?:vs\.?|versus)\s+", re.IGNORECASE)
_ENUMERATION: Final = re.compile(r"\s*[,;]\s*(?:and\s+|or\s+)?|\s+(?:and|or|with|to)\s+", re.IGNORECASE)
_TAIL: Final = re.compile(r"\s+(?:in|for|when|while|on|of|as|if|under|at|by|regarding|concerning)\s.*$", re.IGNORECASE)
_AFTER_COLON: Final = re.compile(r":\s+([^:?]+)\??\s*$")
_NAME: Final = re.compile(r"\b[A-Z][\w-]*\b")
_CODE_NAME: Final = re.compile(r"\b[^\W_]+(?:_[^\W_]+)+\b")
"""A name of code, `when_exhausted`: texts with its words, but not with it, are about something else."""


def split_into_parts(question: str) -> tuple[str, ...]:
    """The parts of a question; one with a single part is its own part."""
    joint = JOINTS.get(get_current_language())
    asked = _ASKED.findall(question) or [question]
    parts = [part.strip(_EDGES) for whole in asked for part in (joint.split(whole) if joint else [whole])]
    parts = [part for part in parts if content_words(part)]
    if len(parts) == 1:
        parts = list_compared(parts[0]) or parts
    return tuple(dict.fromkeys(parts))[:MOST_PARTS] or (question.strip(),)


def list_answerable_parts(question: str, given: Material) -> tuple[str, ...]:
    """The parts of a question of which one document holds enough to be quoted for it."""
    return tuple(
        part
        for part in split_into_parts(question)
        if _is_held(given.terms.of(part), given) and _has_code_names(part, given)
    )


def list_compared(question: str) -> list[str]:
    """The things that a question sets side by side."""
    match = _COMPARED.search(question)
    if not is_english() or (match is None and not _VERSUS.search(question)):
        return []
    things = _ENUMERATION.split(match[1] or match[2]) if match is not None else _VERSUS.split(question)
    return _list_things(_TAIL.sub("", thing) for thing in things)


def list_enumerated(question: str) -> list[str]:
    """The things listed after a colon at the end of a question: `...: workflows, retries and tools?`."""
    match = _AFTER_COLON.search(question)
    return _list_things(_ENUMERATION.split(match[1])) if match else []


def list_names(text: str) -> list[str]:
    """The words that `text` writes as names: with a capital, not at its beginning; none in German."""
    return [match[0] for match in _NAME.finditer(text) if match.start() > 0 and get_current_language() != "de"]


def find_subject(text: str, given: Material) -> str | None:
    """The stem of the word that says what `text` is about: telling, and present in much of what was found.

    A proper name with enough weight takes precedence over other words.
    """
    weights = given.terms.of(text).weights
    least = NAME_SHARE * max(given.terms.weights.values(), default=0.0)
    present = {one: presence for one in weights if (presence := _compute_presence(one, given)) > 0}
    for names in ([name for name in list_names(text) if not name.isupper()], _NAME.findall(text)):
        stems = {find_word_stem(name.lower()) for name in names if get_current_language() != "de"}
        if named := [one for one in present if one in stems and weights[one] >= least]:
            return max(named, key=lambda one: present[one])
    return max(present, key=lambda one: present[one], default=None)


def _list_things(found: Iterable[str]) -> list[str]:
    things = [thing.strip(_EDGES) for thing in found]
    things = [thing for thing in things if content_words(thing)]
    return things if len(things) > 1 else []


def _compute_presence(one: str, given: Material) -> float:
    """Compute how specific a word is, times the share of the passages that hold it; without passages all do."""
    passages = given.passages
    share = sum(one in passage.found for passage in passages) / len(passages) if passages else 1.0
    return given.terms.weights[one] * share


def _has_code_names(part: str, given: Material) -> bool:
    """Whether each name of code in a part is in a passage as it is written."""
    names = {name.lower() for name in _CODE_NAME.findall(part)}
    return all(any(name in passage.lower for passage in given.passages) for name in names)


def _is_held(terms: Terms, given: Material) -> bool:
    needed = ANSWERABLE + FEWER_WORDS / max(1, len(terms.weights))
    needed *= COMPOUNDED if get_current_language() in COMPOUNDING else 1.0
    return given.best_document_coverage(terms) >= min(1.0, needed)
