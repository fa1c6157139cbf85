"""Of whom a sentence speaks: what a note says of one name is no answer to a short question about another.

A note tells of several in one paragraph: who asks who owns Aldermoor, and reads who owns Kettlewright because the note
has both names, is led astray.
"""

from typing import Final

from elcano.activities.text.stems import find_word_stem, list_stems
from elcano.plugins.quoting.language import in_english
from elcano.plugins.quoting.passages import Passage
from elcano.plugins.quoting.planning import proper_names
from elcano.plugins.quoting.sentences import Sentence
from elcano.plugins.quoting.terms import Terms

SHORT: Final = 3
"""Telling words of a question that a sentence on somebody else holds most of."""


def names_asked(question: str, terms: Terms) -> frozenset[str]:
    """The stems of the names that a short question has after its first word; none of a longer one."""
    if not in_english() or len(terms.weights) > SHORT:
        return frozenset()
    return frozenset(terms.weights).intersection(find_word_stem(name) for name in proper_names(question))


def is_on_another(names: frozenset[str], sentence: Sentence, passage: Passage) -> bool:
    """Whether a sentence names somebody, and neither it nor what stands above and beside it has one of `names`."""
    if not names or not proper_names(sentence.text) or names & passage.above:
        return False
    place = passage.sentences.index(sentence)
    beside = passage.sentences[max(0, place - 1) : place + 2]
    return names.isdisjoint(list_stems(passage.item.text[beside[0].start : beside[-1].end]))
