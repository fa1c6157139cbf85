"""Words that are painted over themselves, as to make them bold, to shade them, or where a program leaves both copies.

`chars` leaves out copies whose parts are those of the first one. Other copies are parted elsewhere: `Specifies` lies
over `S` and `ifi`.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from elcano.subjects.documents.pdf.words import Word

APART_SHARE: Final = 0.15
"""A copy is so little aside, as a share of the size, or of two mean letters if those are narrower: of `ll` in two
words, each letter has its own place."""
MOST_OVER: Final = 40
"""Words on one word that are compared with it: pages may hold thousands in one place."""


def drop_copies(words: Sequence[Word]) -> list[Word]:
    """The words without those that lie on a longer one which has their letters, or on the same one painted before.

    No one can read two words in one place, so nothing that is seen is lost.
    """
    copies: set[int] = set()
    for shift in (0.0, 0.5):  # so that the base lines of a word and its copy are the same number in one of them
        lines: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for number, word in enumerate(words):
            if word.turn % 90 == 0:
                lines[word.turn, int(word.base + shift)].append(number)
        for line in lines.values():
            copies.update(_find_copies(words, line))
    return [word for number, word in enumerate(words) if number not in copies] if copies else list(words)


def _find_copies(words: Sequence[Word], line: list[int]) -> set[int]:
    """The numbers of the copies among the words of a line."""
    spans = sorted((*_measure_span(words[number]), number) for number in line)
    copies: set[int] = set()
    for place, (_, end, number) in enumerate(spans):
        for begin, _, other in spans[place + 1 : place + 1 + MOST_OVER]:
            if begin >= end:
                break
            # Of two that are the same, the one that was painted later is the copy.
            shorter, longer = sorted((number, other), key=lambda one: (len(words[one].text), -one))
            if longer not in copies and _lies_on(words[shorter], words[longer]):
                copies.add(shorter)
    return copies


def _lies_on(word: Word, other: Word) -> bool:
    """Whether a word has letters of another and is in their place, by the mean width of its letters."""
    (left, right), (begin, end) = _measure_span(word), _measure_span(other)
    step = APART_SHARE * min(word.size, other.size, 2 * (right - left) / len(word.text))
    inside = begin - step <= left and right <= end + step and abs(word.base - other.base) <= step
    letter = (end - begin) / len(other.text)
    middle = (left + right) / 2 - begin
    return inside and any(
        abs((at + len(word.text) / 2) * letter - middle) <= 2 * letter
        for at in range(len(other.text) - len(word.text) + 1)
        if other.text.startswith(word.text, at)
    )


def _measure_span(word: Word) -> tuple[float, float]:
    """Where a word begins and ends along its line."""
    return (word.left, word.right) if word.turn in (0, 180) else (word.top, word.bottom)
