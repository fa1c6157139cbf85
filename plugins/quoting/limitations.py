"""What a report of quotations says of itself: which words nothing mentions, which parts are not answered or not quoted.

Every sentence here can be checked against the passages, and is written so that it holds literally. A word is only said
to be missing if neither it nor a form of it is in any passage, titles and headings included; words that tell little
are not spoken of. Of a question of several parts each part is looked at by itself, over everything that was quoted.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from elcano.activities.phrases import english, get_phrases
from elcano.activities.phrases.wording import Phrases
from elcano.activities.text.language_detection import languages_of
from elcano.activities.text.languages import get_current_language, is_known
from elcano.activities.text.stems import list_stems
from elcano.activities.text.words import is_unspaced, rejoin_pairs
from elcano.plugins.quoting.passages import Material
from elcano.plugins.quoting.terms import Terms

UNANSWERED: Final = english.PHRASES.nothing_holds
"""In English; in other languages the sentences are those of their own phrases."""
TELLING: Final = 0.35
"""A word is spoken of if it tells this much of what the question's most telling word does."""
QUOTED_PART: Final = 0.6
"""A part counts as quoted if the quotations hold this share of its telling words."""
REPEATED: Final = 0.9
"""Of a part whose words one quotation holds to this share it is not said that nothing holds them."""
MOST_WORDS: Final = 8
"""Words that one sentence names."""
LEAST_SIGNS: Final = 3
"""Of what is said not to be mentioned where words have no spaces: fewer may be the end of one word and the next."""


def unanswered(given: Material) -> tuple[str, ...]:
    """What a report without an answer says; if no passage is in the question's language, that it cannot be told."""
    words = _own()
    found = languages_of([passage.item.text for passage in given.passages])
    if found and get_current_language() not in found:
        return (words.other_language, *silent(given))
    return (words.nothing_holds, *_unread(), *silent(given))


def silent(given: Material) -> tuple[str, ...]:
    """The telling words of the question that nothing mentions, if any."""
    if not given.passages:
        return (_own().nothing_found,)
    return told(_own().silent, unmentioned(given))


def told(before: str, words: Sequence[str]) -> tuple[str, ...]:
    """A sentence that lists `words`, in the language that is spoken; none without words."""
    own = _own()
    return (f"{before}{own.comma.join(words)}{own.stop}",) if words else ()


def _unread() -> tuple[str, ...]:
    """That words were compared as they are written, where nothing is known of the language."""
    return () if is_known(get_current_language()) else (_own().unknown_language,)


def unmentioned(given: Material) -> tuple[str, ...]:
    """Telling words that neither themselves nor by their stem are anywhere in the passages, the most telling first."""
    least = TELLING * max(given.terms.weights.values(), default=0.0)
    missing = [one for one in given.terms.absent(given.found) if given.terms.weights[one] >= least]
    words = [given.terms.written[one] for one in missing if not _written(given.terms.written[one], given)]
    if any(map(is_unspaced, words)):
        in_order = [word for word in given.terms.written.values() if word in words]
        words = [one for one in rejoin_pairs(in_order) if not is_unspaced(one) or len(one) >= LEAST_SIGNS]
    return tuple(words[:MOST_WORDS])


def left_open(parts: Sequence[str], spoken: Sequence[str], quotes: Iterable[str], given: Material) -> tuple[str, ...]:
    """A sentence for each of several `parts` that nothing speaks to, or that is `spoken` to and not quoted."""
    said = [frozenset(list_stems(quote)) for quote in quotes]
    held = frozenset().union(*said)
    own = _own()
    sentences: list[str] = []
    for part in parts if len(parts) > 1 else ():
        terms = given.terms.of(part)
        if part not in spoken or not _is_found(part, given):
            if _is_repeated(part, said):
                continue
            sentences += told(own.unspoken_part, [part])
        elif not _is_quoted(terms, held):
            sentences += told(own.unquoted_part, [part])
    return tuple(sentences)


def _own() -> Phrases:
    return get_phrases(get_current_language())


def _is_quoted(terms: Terms, held: Iterable[str]) -> bool:
    return terms.coverage(set(held)) >= QUOTED_PART


def _is_repeated(part: str, quotes: Iterable[Collection[str]]) -> bool:
    """Whether one of the `quotes`, given as stems, holds nearly all words of a part."""
    words = set(list_stems(part))
    return bool(words) and any(len(words.intersection(one)) >= REPEATED * len(words) for one in quotes)


def _is_found(part: str, given: Material) -> bool:
    """Whether a passage holds half of a part's words, whatever they tell: else it cannot be said to be on that part."""
    words = set(list_stems(part))
    return any(2 * len(words & passage.found) >= len(words) for passage in given.passages)


def _written(word: str, given: Material) -> bool:
    """Whether `word` stands in a passage as it is written, be it within another word."""
    return any(word in passage.lower for passage in given.passages)
