"""Judges a statement that was not reviewed: figures decide, names and words are weighed.

A figure that no quote has decides alone. A year, a name or a word may be left out of a quote that says the rest, so
these are weighed together: a long sentence with one name more is let pass, a short one is not. Where a clause of a
quote says nearly the same with another year or name in the place of the missing one, or denies it, or turns it
round, that decides.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from elcano.activities.support.proper_names import Told, extract_names, named_in
from elcano.activities.support.quote_coverage import Missing, Statement, find_missing_facts
from elcano.activities.support.word_overlap import Spoken, find_similar_clauses, measure_word_overlap
from elcano.graphs.support import Support

LEAST_SAID: Final = 0.42
"""The share of a statement's weight that its quotes must have."""
FOR_A_KIND: Final = 0.15
"""What a missing year takes of the share, and a missing name."""
FOR_A_WORD: Final = 0.05
"""What each missing word of names takes beside."""
_YEAR: Final = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


@dataclass(frozen=True)
class Found:
    """What code finds of a statement."""

    support: Support
    """`unchecked`: nothing speaks against it, or it cannot be compared."""
    reasons: tuple[str, ...] = ()


def judge_statement(statement: Statement) -> Found:
    """Judge `statement` by its figures, names and words."""
    lacking = find_missing_facts(statement)
    told = measure_word_overlap(statement)
    if lacking.amounts:
        return Found("not_supported", lacking.reasons)
    if not told.comparable:
        return Found("partly", lacking.reasons) if lacking.names else Found("unchecked")
    if told.against:
        return Found("not_supported", told.against)
    share = told.share - FOR_A_KIND * (bool(lacking.years) + bool(lacking.names)) - FOR_A_WORD * lacking.words
    if told.share < LEAST_SAID:
        return Found("not_supported", (told.unspoken, *lacking.reasons))
    if lacking.reasons and (share < LEAST_SAID or _has_substituted_fact(statement, lacking, told)):
        return Found("not_supported" if lacking.years else "partly", lacking.reasons)
    return Found("unchecked")


def _has_substituted_fact(statement: Statement, lacking: Missing, told: Spoken) -> bool:
    """Return whether a clause that says nearly the same has another year or name than the one that is missing."""
    known = Told((statement.text, *statement.known))
    return any(
        (lacking.years and _YEAR.search(clause)) or (lacking.names and _find_other_names(clause, known))
        for clause in find_similar_clauses(statement, told.clauses)
    )


def _find_other_names(clause: str, known: Told) -> Sequence[str]:
    return [name for name in extract_names(clause) if not named_in(name, known)]
