"""What a report of quotations says of itself: which words nothing mentions, which parts are not answered or not quoted.

Every sentence here can be checked against the passages, and is written so that it holds literally. A word is only said
to be missing if neither it nor a form of it is in any passage, titles and headings included; words that tell little
are not spoken of. Of a question of several parts each part is looked at by itself, over everything that was quoted.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.activities.offline.passages import Material
from elcano.activities.offline.terms import Terms
from elcano.activities.text.stems import stems

UNANSWERED: Final = "Nothing that was found holds enough of the question to be quoted as its answer."
NOTHING_FOUND: Final = "Nothing was found in the sources that were searched."
SILENT: Final = "No passage that was found mentions: "
UNSPOKEN_PART: Final = "No passage that was found holds enough of this part of the question to answer it: "
UNQUOTED_PART: Final = "Passages on this part of the question were found, but nothing in them is quoted as its answer: "
TELLING: Final = 0.35
"""A word is spoken of if it tells this much of what the question's most telling word does."""
QUOTED_PART: Final = 0.6
"""A part counts as quoted if the quotations hold this share of its telling words."""
MOST_WORDS: Final = 8
"""Words that one sentence names."""


def unanswered(given: Material) -> tuple[str, ...]:
    """What a report without an answer says."""
    return (UNANSWERED, *silent(given))


def silent(given: Material) -> tuple[str, ...]:
    """The telling words of the question that nothing mentions, if any."""
    if not given.passages:
        return (NOTHING_FOUND,)
    words = unmentioned(given)
    return (f"{SILENT}{', '.join(words)}.",) if words else ()


def unmentioned(given: Material) -> tuple[str, ...]:
    """Telling words that neither themselves nor by their stem are anywhere in the passages, the most telling first."""
    least = TELLING * max(given.terms.weights.values(), default=0.0)
    missing = [one for one in given.terms.absent(given.found) if given.terms.weights[one] >= least]
    return tuple(given.terms.written[one] for one in missing if not _written(given.terms.written[one], given))[
        :MOST_WORDS
    ]


def left_open(parts: Sequence[str], spoken: Sequence[str], quotes: Iterable[str], given: Material) -> tuple[str, ...]:
    """A sentence for each of several `parts` that nothing speaks to, or that is `spoken` to and not quoted."""
    held = {one for quote in quotes for one in stems(quote)}
    told = []
    for part in parts if len(parts) > 1 else ():
        terms = given.terms.of(part)
        if part not in spoken:
            told.append(f"{UNSPOKEN_PART}{part}.")
        elif not _is_quoted(terms, held):
            told.append(f"{UNQUOTED_PART}{part}.")
    return tuple(told)


def _is_quoted(terms: Terms, held: Iterable[str]) -> bool:
    return terms.coverage(set(held)) >= QUOTED_PART


def _written(word: str, given: Material) -> bool:
    """Whether `word` stands in a passage as it is written, be it within another word."""
    return any(word in passage.lower for passage in given.passages)
