"""Reasons in the language of a report: kept in English, for models and programs, translated where they are shown."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from elcano.activities.phrases import ENGLISH, Phrases

_BETWEEN: Final = "; "
"""Between several reasons for one doubt."""
_WRITTEN_BY_CODE: Final = (
    "never_given",
    "not_there",
    "uncited",
    "figure_unquoted",
    "figure_otherwise",
    "figure_unquoted_around",
    "figure_otherwise_around",
    "figure_underived",
    "name_unquoted",
    "in_passage",
    "fact_uncited",
    "grounds_fail",
    "unsaid",
    "words_unquoted",
    "denied",
    "opposite",
)


_USED_UP: Final = frozenset({"time", "tokens", "cost", "iterations", "steps", "stalled"})
"""The kinds of early ends that say enough by themselves."""


def describe_early_end(kind: str, detail: str, words: Phrases) -> str:
    """Why a section ended early: in `words` where the kind of its end tells all, else the `detail` as it was told."""
    return detail if words is ENGLISH or kind not in _USED_UP else words.endings[kind]


def translate_reason(reason: str, words: Phrases) -> str:
    """`reason` in `words`, as far as code wrote it; what a reviewer wrote stays as it is."""
    if words is ENGLISH:
        return reason
    return _BETWEEN.join(_translate_one(one, words) for one in reason.split(_BETWEEN))


def _translate_one(reason: str, words: Phrases) -> str:
    for name, pattern in _compile_patterns().items():
        if found := pattern.fullmatch(reason):
            filled = {
                key: _translate_one(said, words) if key == "reason" else said for key, said in found.groupdict().items()
            }
            own: str = getattr(words, name)
            return own.format(**filled)
    return reason


@cache
def _compile_patterns() -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(getattr(ENGLISH, name))), re.DOTALL)
        for name in _WRITTEN_BY_CODE
    }
