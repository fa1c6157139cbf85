"""Proper names of a statement or a quote.

Names are capitalised words, acronyms, identifiers and code, as far as they differ from other words. A capital at the
beginning of a sentence tells nothing, nor does one in German, where every noun has one, nor in a heading where every
word has. What is no name here is not asked for; what is asked for is a name.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from elcano.text.languages import STOP_WORDS, possible_languages
from elcano.text.number_words import list_ordinals, number_word, parse_roman_numeral
from elcano.text.words import split_words
from elcano.text.written_dates import DATE_WORDS

_CODE: Final = re.compile(r"`([^`\n]{1,200})`")
_TOKEN: Final = re.compile(r"[^\W_]+(?:[._\-\u2010\u2011/][^\W_]+|_+[^\W_]*)*|_+[^\W_]+(?:_+[^\W_]*)*")
_BEGINS: Final = re.compile(r"(?:^|[.!?:;\u2026\u3002|]|^\s*(?:[-*+]|\d+[.)]))[\s\"'\u201c\u2018\u00ab(\[*_>#-]*$")
_HEADINGS: Final = "table figure fig section chapter appendix results conclusion background methods ci sd se iqr"
_NO_NAMES: Final = DATE_WORDS | frozenset(_HEADINGS.split()) | {"i"}  # English writes this pronoun with a capital
_FORMULA_LETTER: Final = re.compile(r"\$([a-z]{1,3})\$(?=[^\W\d_])|(?<=[^\W\d_])\$([a-z]{1,3})\$")
"""Small letters of a name set as a formula: `$k$NN-LM`; others are variables and numbers."""
_ACRONYM: Final = re.compile(r"\b[A-Z](?:\.?[A-Z]){1,5}\b")
_LONGEST_ACRONYM: Final = 6
_SUFFIXES: Final = frozenset(("s", "es", "n", "an", "ian", "ans", "ians", "ish", "ese", "ic", "y"))


def extract_names(text: str, languages: Collection[str] | None = None) -> list[str]:
    """Return the names in `text`, each once, in order, as written; `languages`: those it may be in, if known."""
    code = [found[1].strip() for found in _CODE.finditer(text)]
    plain = _CODE.sub(lambda found: " " * len(found[0]), text)
    tokens = [(found[0], found.start()) for found in _TOKEN.finditer(plain)]
    capitals = not ("de" in (possible_languages(text) if languages is None else languages) or _is_title_case(tokens))
    found = [*code, *_find_name_runs(plain, tokens, capitals=capitals)]
    return list(dict.fromkeys(name for name in found if name and name.casefold() not in _NO_NAMES))


def named_in(name: str, known: "KnownNames") -> bool:
    """Return whether every word of a name is among the words in `known`, or its initials are."""
    parts = _list_telling_parts(name)
    missing = [not known.has(part) for part in parts]
    if not any(missing) or known.has(_strip_separators(name)):
        return True
    if not any(_find_unabbreviated_parts(parts, missing, known)):
        return True
    initials = "".join(part[0] for part in re.split(r"[\s-]+", name) if part[:1].isupper()).casefold()
    if len(initials) > 1 and known.has(initials):
        return True
    return name.isupper() and name.replace(".", "").isalpha() and _strip_separators(name) in known.initials


def _find_unabbreviated_parts(parts: Sequence[str], missing: Sequence[bool], known: "KnownNames") -> list[bool]:
    """Return the missing parts of a name, after runs of parts whose initials were found are taken out."""
    left = list(missing)
    for start in range(len(parts)):
        for end in range(start + 2, min(len(parts), start + _LONGEST_ACRONYM) + 1):
            if "".join(part[0] for part in parts[start:end]) in known.acronyms:
                left[start:end] = [False] * (end - start)
    return left


def _strip_separators(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


class KnownNames:
    """The words of quoted and known texts, in which names are looked up."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = {part for text in texts for part in _split_name_parts(text)}
        plain = (_FORMULA_LETTER.sub(r"\1\2", text) for text in texts)
        self._joined = {_strip_separators(token[0]) for text in plain for token in _TOKEN.finditer(text)}
        self.acronyms = {_strip_separators(found[0]) for text in texts for found in _ACRONYM.finditer(text)}
        self.initials = {one for text in texts for one in _list_initials(text)}

    def lacks(self, name: str) -> int:
        """Return how many words of a name do not occur."""
        return sum(not self.has(part) for part in _list_telling_parts(name))

    def has(self, word: str) -> bool:
        """Return whether a word occurs, in any of its forms."""
        if word in self._words or word in self._joined or word.replace("-", "") in self._joined:
            return True
        if (number := parse_roman_numeral(word.upper())) and not list_ordinals(number).isdisjoint(self._words):
            return True
        if len(word) < 3 or not word.isalpha():
            return False
        near = [one for one in self._words if one[:3] == word[:3] and abs(len(one) - len(word)) < 5]
        return any(_is_shorter_form(word, one) or _is_shorter_form(one, word) for one in near)


def _is_shorter_form(word: str, longer: str) -> bool:
    """Whether a word is `longer` without its ending: `Texas` of `Texan`, `Canada` of `Canadian`."""
    stem = re.sub(r"[aeosy]s?$", "", word) if len(word) > 4 else word
    return any(longer.startswith(one) and longer[len(one) :] in _SUFFIXES for one in {word, stem})


def _find_name_runs(text: str, tokens: Sequence[tuple[str, int]], *, capitals: bool) -> Iterator[str]:
    """Acronyms and identifiers, and runs of words in capitals."""
    run: list[str] = []
    end = -1
    for token, start in tokens:
        first = bool(_BEGINS.search(text[max(0, start - 12) : start])) if start else True
        if _is_identifier(token):
            if run:
                yield from _join_name_run(run)
                run = []
            yield token
            continue
        capital = capitals and token[0].isupper() and number_word(token.lower()) is None
        joins = run and text[end:start].strip(" \u00a0") in ("", "&") and "\n" not in text[end:start]
        if run and not (capital and joins):
            yield from _join_name_run(run)
            run = []
        if capital and not (first and token.lower() in STOP_WORDS):
            run.append(f"\0{token}" if first else token)
        end = start + len(token)
    yield from _join_name_run(run)


def _join_name_run(run: Sequence[str]) -> Iterator[str]:
    """A run as one name; the first word of a sentence alone is none, for it may be any word."""
    if not run or (len(run) == 1 and run[0].startswith("\0")):
        return
    yield " ".join(run).replace("\0", "")


def _is_identifier(token: str) -> bool:
    if re.fullmatch(r"\d.*", token) and not re.search(r"[A-Z]", token):
        return False
    letters = re.sub(r"[^A-Za-z]", "", token)
    if sum(one.isupper() for one in token) > 1 and (token.isupper() or re.search(r"[a-z][A-Z]|[A-Z]{2}", token)):
        return len(letters) > 1
    if re.search(r"\d", token) and re.search(r"[^\W\d_]", token):
        return bool(re.search(r"[A-Z]|_|^[a-z]{2,}\d", token)) and not re.fullmatch(r"\d+(?:st|nd|rd|th|s|er|e)", token)
    return "_" in token.strip("_") or (token.startswith("_") and len(token) > 2)


def _split_name_parts(text: str) -> list[str]:
    return split_words(re.sub(r"[_\-\u2010\u2011/.]+", " ", re.sub(r"'s\b|\u2019s\b", "", text)))


def _list_telling_parts(name: str) -> list[str]:
    parts = _split_name_parts(name)
    return [part for part in parts if part not in STOP_WORDS] or parts


def _list_initials(text: str) -> Iterator[str]:
    """The first letters of each run of words that may be called by them."""
    tokens = [one for one in re.findall(r"[^\W\d_]+", text) if one.lower() not in STOP_WORDS]
    letters = "".join(one[0] for one in tokens).casefold()
    for size in range(2, _LONGEST_ACRONYM + 1):
        for at in range(len(letters) - size + 1):
            yield letters[at : at + size]


def _is_title_case(tokens: Sequence[tuple[str, int]]) -> bool:
    """Whether nearly every word has a capital, so that none tells anything."""
    long = [token for token, _ in tokens if len(token) > 3 and token[0].isalpha()]
    return len(long) > 3 and sum(token[0].isupper() for token in long) > 0.7 * len(long)
