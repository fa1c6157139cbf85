"""The limitations of a report of quotations: words that nothing mentions, parts that are not answered or not quoted.

Every sentence here can be checked against the passages, and is worded so that it holds literally. A word is reported
missing only if neither it nor a form of it is in any passage, titles and headings included; uninformative words are not
mentioned. If a question has several parts, each is checked separately, over everything that was quoted.
"""

from collections.abc import Sequence
from typing import Final

from elcano.activities.phrases import get_phrases
from elcano.activities.text.language_detection import languages_of
from elcano.activities.text.languages import get_current_language, is_known
from elcano.activities.text.stems import list_stems
from elcano.activities.text.words import is_unspaced, rejoin_pairs
from elcano.plugins.quoting.passages import Material

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


def explain_refusal(given: Material) -> tuple[str, ...]:
    """Explain a report without an answer; if no passage is in the question's language, say that it cannot tell."""
    language, phrases = get_current_language(), get_phrases(get_current_language())
    found = languages_of([passage.item.text for passage in given.passages])
    if found and language not in found:
        return (phrases.other_language, *list_silence(given))
    unread = () if is_known(language) else (phrases.unknown_language,)
    return (phrases.nothing_holds, *unread, *list_silence(given))


def list_silence(given: Material) -> tuple[str, ...]:
    """The telling words of the question that nothing mentions, if any."""
    phrases = get_phrases(get_current_language())
    if not given.passages:
        return (phrases.nothing_found,)
    words = _list_unmentioned(given)
    return (phrases.silent.format(words=phrases.comma.join(words)),) if words else ()


def list_open_parts(
    parts: Sequence[str], spoken: Sequence[str], quotes: Sequence[str], given: Material
) -> tuple[str, ...]:
    """A sentence for each of several `parts` that nothing speaks to, or that is `spoken` to and not quoted."""
    phrases = get_phrases(get_current_language())
    said = [frozenset(list_stems(quote)) for quote in quotes]
    sentences: list[str] = []
    for part in parts if len(parts) > 1 else ():
        words = set(list_stems(part))
        # Only of what holds half of a part's words, whatever they tell, can it be said that it is on that part.
        found = any(2 * len(words & passage.found) >= len(words) for passage in given.passages)
        if part in spoken and found:
            if given.terms.of(part).coverage(frozenset().union(*said)) < QUOTED_PART:
                sentences.append(phrases.unquoted_part.format(part=part))
        elif not words or all(len(words & one) < REPEATED * len(words) for one in said):
            sentences.append(phrases.unspoken_part.format(part=part))
    return tuple(sentences)


def _list_unmentioned(given: Material) -> Sequence[str]:
    """Telling words that neither themselves nor by their stem are anywhere in the passages, the most telling first."""
    least = TELLING * max(given.terms.weights.values(), default=0.0)
    missing = [given.terms.written[one] for one in given.terms.absent(given.found) if given.terms.weights[one] >= least]
    words = [word for word in missing if not any(word in passage.lower for passage in given.passages)]
    if any(map(is_unspaced, words)):
        in_order = [word for word in given.terms.written.values() if word in words]
        words = [one for one in rejoin_pairs(in_order) if not is_unspaced(one) or len(one) >= LEAST_SIGNS]
    return words[:MOST_WORDS]
