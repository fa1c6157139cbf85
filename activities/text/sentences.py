"""Where the sentences of a text end, in the language that it is in or, if that is not known, by its script."""

from typing import Final

from sentencex import segment

from elcano.activities.text.language_detection import detect_script_language
from elcano.activities.text.languages import ENGLISH
from elcano.graphs.text import shorten_text

PIECE_CHARACTERS: Final = 10_000
"""Sentences are looked for in pieces of this size: the library takes the square of what it is given at once. A longer
paragraph is cut at a white space, where a sentence may then end too early."""


def sentence_ends(text: str, language: str = "") -> list[int]:
    """Where each sentence of `text` ends, in characters, the white space behind it included; the last is its length.

    Args:
        text: words on one line or several.
        language: its code, as `de` or `zh-Hans`; empty if it is not known.
    """
    code = language.partition("-")[0].lower() or detect_script_language(text) or ENGLISH
    ends: list[int] = []
    begin = 0
    while begin < len(text):
        until = _find_piece_end(text, begin)
        ends += (begin + end for end in _segment_sentence_ends(code, text[begin:until]))
        begin = until
    return ends or [len(text)]


def _find_piece_end(text: str, begin: int) -> int:
    """Where the piece that begins there ends: at a white space if there is one."""
    until = min(len(text), begin + PIECE_CHARACTERS)
    if until == len(text):
        return until
    space = max(text.rfind(one, begin + 1, until) for one in " \n")
    return space + 1 if space > begin else until


def _segment_sentence_ends(code: str, text: str) -> list[int]:
    ends: list[int] = []
    place = 0
    for sentence in segment(code, text):
        found = text.find(sentence.strip(), place)
        if not sentence.strip() or found < 0:
            continue
        place = found + len(sentence.strip())
        while place < len(text) and text[place].isspace():
            place += 1
        ends.append(place)
    if ends:
        ends[-1] = len(text)
    return ends or [len(text)]


def first_sentences(text: str, most: int) -> str:
    """The first whole sentences of `text` on one line, in at most `most` characters; of a longer one its beginning."""
    line = " ".join(text.split())
    fitting = [end for end in sentence_ends(line) if len(line[:end].rstrip()) <= most]
    return line[: fitting[-1]].rstrip() if fitting else shorten_text(line, most)
