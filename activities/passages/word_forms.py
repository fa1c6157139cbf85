"""The form in which words of a document are indexed: English as written, other languages as stems of their own.

The index parts words at what is no letter, digit or mark, leaves accents out, and stems what it gets by Porter's
English rules. So English texts go in as they are, which is fastest. A text of another language goes in as the stems of
its words, which Porter's rules then shorten once more, in the text and in the query alike. All languages share one
space of words: a name is found in documents of any language, and how rare a word is, is counted over all of them.
"""

from typing import Final

from elcano.activities.text.exponents import flatten_exponents
from elcano.activities.text.languages import ENGLISH, UNSPACED, stemmer_of
from elcano.activities.text.stems import root_in
from elcano.activities.text.words import space_out_pairs, split_words

TOKENIZER: Final = "porter unicode61 categories 'L* N* Co Mn Mc'"
"""The signs of Hindi, Tamil or Thai are letters and marks; without the marks their words would fall apart."""


def format_index_text(text: str, language: str) -> str:
    """What the index is given for `text`, a text in `language`."""
    if not _is_stemmed(language):
        return space_out_pairs(flatten_exponents(text))
    return " ".join([root_in(language, word) for word in split_words(text)])


def format_index_word(word: str, language: str) -> str:
    """What the index was given for one of `words` in texts in `language`."""
    return root_in(language, word) if _is_stemmed(language) else word


def _is_stemmed(language: str) -> bool:
    return language != ENGLISH and language not in UNSPACED and bool(stemmer_of(language))
