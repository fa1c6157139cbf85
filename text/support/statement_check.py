"""Judges a statement that was not reviewed, as where there is no model: figures decide, names and words are weighed.

A figure that no quote has decides alone. A year, a name or a word may be left out of a quote that says the rest, so
these are weighed together, words by stem, long and rare-looking ones counting more: a long sentence with one name more
is let pass, a short one is not. Where a clause of a quote says nearly the same with another year or name in the place
of the missing one, or denies it, or turns it round, that decides. It cannot tell a right sentence from a wrong one that
uses the same words: it finds sentences that cite quotes on something else.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from elcano.graphs.report.report import Support
from elcano.text.languages import STOP_WORDS, UNSPACED, possible_languages
from elcano.text.number_words import number_word
from elcano.text.phrases import ENGLISH
from elcano.text.stems import find_word_root
from elcano.text.support.figures import extract_figures
from elcano.text.support.missing_facts import MissingFacts, Statement, find_missing_facts, is_foreign_language
from elcano.text.support.names import KnownNames, extract_names, named_in
from elcano.text.support.opposites import count_opposites, find_meaning, is_negated
from elcano.text.words import split_words
from elcano.text.written_dates import parse_month_name

CLOSE: Final = 0.6
"""A clause with this share of a statement's words that has no more than the rest of its own says the same."""
LEAST_STEM: Final = 5
"""Letters by which two words are taken for kin, as `analysis` and `analytic`."""
KIN: Final = 0.7
MOST_WORDS: Final = 20_000

_GROUPED: Final = re.compile(r"(?<=\d)[,.'\u00a0\u202f](?=\d{3}(?!\d))")
_SENTENCE: Final = re.compile(
    r"[^.!?\u3002\n]+(?:(?:[.!?](?=\d)|(?:(?<=\D\d)|(?<=\D\d\d))\.(?=\s[^\W\d_]))[^.!?\u3002\n]*)*"
)
"""A point behind one or two digits may be an ordinal's: `31. Januar 2024`."""
_CLAUSE: Final = re.compile(r"[^,;:\uff0c]+(?:[,:](?=\d)[^,;:\uff0c]*)*")


@dataclass(frozen=True)
class WordOverlap:
    """Overlap of the words of a statement and its quotes."""

    share: float
    """Share of the weight of its telling words, 0 to 1; 1 for a statement without any."""
    against: tuple[str, ...] = ()
    """Objections, in words."""
    unspoken: str = ""
    """Which words are missing, in words; empty: none is."""
    clauses: tuple[str, ...] = ()
    """The quotes, sentence by sentence and clause by clause."""
    comparable: bool = True
    """False: it is in another language than its quotes, and nothing can be said."""


def measure_word_overlap(statement: Statement) -> WordOverlap:
    """Measure how far the words of a statement are those of its quotes."""
    if is_foreign_language(statement):
        return WordOverlap(share=0.0, comparable=False)
    said = _weigh_telling_words(statement.text)
    if not said:
        return WordOverlap(share=1.0)
    sentences = [found[0] for quote in statement.quotes for found in _SENTENCE.finditer(quote)]
    parts = [part[0] for one in sentences for part in _CLAUSE.finditer(one)]
    clauses = tuple(dict.fromkeys((*sentences, *parts)))
    # figures are asked for as figures: `6.20 m` quotes `620 cm`
    figures = [one.written for one in extract_figures(statement.text) if not _YEAR.fullmatch(one.written)]
    quoted = _all_terms((*statement.quotes, *figures))
    known = _all_terms(statement.known) - quoted
    asked = {term: weight for term, weight in said.items() if term not in known} or said
    begun = {term[:LEAST_STEM] for term in quoted if len(term) >= LEAST_STEM}
    missing = {term for term in asked if term not in quoted and term[:LEAST_STEM] not in begun}
    named = dict.fromkeys(word for word in _list_telling_words(statement.text) if _normalize_term(word) in missing)
    words = ", ".join([*named][:4])
    unspoken = ENGLISH.words_unquoted.format(words=words) if missing else ""
    return WordOverlap(
        _compute_weight_share(asked, quoted), tuple(_find_contradictions(statement, sentences)), unspoken, clauses
    )


def find_similar_clauses(statement: Statement, clauses: Sequence[str]) -> list[str]:
    """Clauses that say what `statement` says and little else, figures aside."""
    said = _weigh_non_figure_words(statement.text)
    return [
        one
        for one in clauses
        if _compute_weight_share(said, own := _weigh_non_figure_words(one)) >= CLOSE
        and _compute_weight_share(own, said) >= CLOSE
    ]


def _weigh_non_figure_words(text: str) -> dict[str, float]:
    """The weights of its telling words without its figures."""
    weights = _weigh_telling_words(text)
    found: dict[str, float] = {}
    for word in _list_telling_words(text):
        term, meaning = _normalize_term(word), find_meaning(word)
        if not term.isdigit() and not term.startswith("month ") and meaning != "":
            found.setdefault(meaning or term, weights[term])
    return found


def _find_contradictions(statement: Statement, sentences: Sequence[str]) -> list[str]:
    """Find contradictions: every clause of the quotes that says the same says the opposite.

    Words that exclude one another are looked for in the clause's sentence if that says the same as a whole; what is
    denied there may be something else.
    """
    whole = set(find_similar_clauses(statement, sentences))
    parts = {part[0]: one for one in sentences for part in _CLAUSE.finditer(one)}
    close = find_similar_clauses(statement, list(parts))
    if not close:
        return []
    denied = [is_negated(one) != is_negated(statement.text) for one in close]
    for one, no in zip(close, denied, strict=True):
        sentence = parts[one] if parts[one] in whole else one
        opposites, turns = count_opposites(statement.text, sentence), no + _is_swapped(statement.text, one)
        if opposites + turns == 0 or (turns == 1 and opposites == 1):  # `not safe` is `unsafe`, `A above B` `B below A`
            return []
    return [ENGLISH.denied] if all(denied) else [ENGLISH.opposite]


def _is_swapped(text: str, other: str) -> bool:
    """Whether both compare the same two things in one way, each with the other first: `A than B`, `B than A`."""
    pivots = [found.group().casefold() for one in (text, other) if (found := _COMPARING.search(one))]
    if len(pivots) < 2 or pivots[0][:5] != pivots[1][:5]:
        return False
    (first, then), (other_first, other_then) = (
        [_collect_terms(part) for part in _COMPARING.split(one, maxsplit=1)] for one in (text, other)
    )
    return bool((first - other_first) & other_then and (then - other_then) & other_first)


_COMPARING: Final = re.compile(
    r"(?<!\w)(?:than|exceed\w*|outnumber\w*|surpass\w*|als|übert(?:raf|rifft|reffen)|que|qu['\u2019]|dépass\w*|supera\w*|superó"
    r"|dan)(?!\w)",
    re.IGNORECASE,
)


def _weigh_telling_words(text: str) -> dict[str, float]:
    """The weight of each telling word of a text: long words and words with capitals or digits tell more."""
    capital = {one.casefold() for one in re.findall(r"(?<=\s)[^\W\d_][^\W_]*", text) if one[0].isupper()}
    weights: dict[str, float] = {}
    for word in _list_telling_words(text):
        weight = 1.5 if word in capital or any(map(str.isdigit, word)) else min(1.0, 0.4 + 0.1 * len(word))
        weights.setdefault(_normalize_term(word), weight)
    return weights


def _list_telling_words(text: str) -> list[str]:
    """The words of a text that tell something; of a script without spaces pairs of characters."""
    if possible_languages(text) & UNSPACED:
        letters = [one for one in text if one.isalnum()][:MOST_WORDS]
        return ["".join(pair) for pair in pairwise(letters)]
    found = split_words(_GROUPED.sub("", text))[:MOST_WORDS]
    return [word for word in found if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())]


def _normalize_term(word: str) -> str:
    number = number_word(word)
    if number is None and (month := parse_month_name(word)):
        return f"month {month}"
    return str(number) if number is not None else find_word_root(word)


def _collect_terms(text: str) -> set[str]:
    return set(map(_normalize_term, _list_telling_words(text)))


def _all_terms(texts: Sequence[str]) -> set[str]:
    return {term for text in texts for term in _collect_terms(text)}


def _compute_weight_share(said: dict[str, float], quoted: Collection[str]) -> float:
    """The share of the weight of `said` that is among `quoted`; kin counts less."""
    by_start = {term[:LEAST_STEM] for term in quoted if len(term) >= LEAST_STEM}
    found = sum(
        weight if term in quoted else weight * KIN if term[:LEAST_STEM] in by_start else 0.0
        for term, weight in said.items()
    )
    return found / sum(said.values()) if said else 1.0


LEAST_SAID: Final = 0.42
"""The share of a statement's weight that its quotes must have."""
FOR_A_KIND: Final = 0.15
"""The reduction of the share for a missing year, and for a missing name."""
FOR_A_WORD: Final = 0.05
"""Additional reduction for each missing word of names."""
_YEAR: Final = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


@dataclass(frozen=True)
class StatementFinding:
    """Finding of code about a statement."""

    support: Support
    """`unchecked`: nothing speaks against it, or it cannot be compared."""
    reasons: tuple[str, ...] = ()


def judge_statement(statement: Statement) -> StatementFinding:
    """Judge `statement` by its figures, names and words."""
    lacking = find_missing_facts(statement)
    if lacking.amounts:
        return StatementFinding("not_supported", lacking.reasons)
    overlap = measure_word_overlap(statement)
    if not overlap.comparable:
        return StatementFinding("partly", lacking.reasons) if lacking.names else StatementFinding("unchecked")
    if overlap.against:
        return StatementFinding("not_supported", overlap.against)
    share = overlap.share - FOR_A_KIND * (bool(lacking.years) + bool(lacking.names)) - FOR_A_WORD * lacking.words
    if overlap.share < LEAST_SAID:
        return StatementFinding("not_supported", (overlap.unspoken, *lacking.reasons))
    if lacking.reasons and (share < LEAST_SAID or _has_substituted_fact(statement, lacking, overlap)):
        return StatementFinding("not_supported" if lacking.years else "partly", lacking.reasons)
    return StatementFinding("unchecked")


def _has_substituted_fact(statement: Statement, lacking: MissingFacts, overlap: WordOverlap) -> bool:
    """Return whether a clause that says nearly the same has another year or name than the one that is missing."""
    known = KnownNames((statement.text, *statement.known))
    return any(
        (lacking.years and _YEAR.search(clause))
        or (lacking.names and not all(named_in(name, known) for name in extract_names(clause)))
        for clause in find_similar_clauses(statement, overlap.clauses)
    )
