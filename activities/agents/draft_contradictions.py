"""Contradictions that research named and a draft does not answer, so that none is dropped in silence.

One is answered where a paragraph or a list item cites passages of both sides in words that are of the same matter. That
both stand in one table, or apart from each other, says nothing of their disagreement.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from elcano.activities.report.checked_draft import CheckedClaim
from elcano.graphs.report.report import Statement
from elcano.graphs.state.plan import Contradiction
from elcano.text.languages import possible_languages
from elcano.text.stems import list_stems

LEAST_SIDES: Final = 2
_KEY: Final = re.compile(r"\be\d+\b")
LEAST_SHARED: Final = 0.25
"""The share of a matter's telling words that an answer has; one may put the rest in words of its own."""
DROPPED: Final = "Passages that were found disagree, and the report does not discuss it:"


def list_unanswered(contradictions: Iterable[Contradiction], claims: Iterable[CheckedClaim]) -> list[Contradiction]:
    """List the `contradictions`, which name passages by id, that none of `claims` answers."""
    said = [statements for claim in claims for statements in _iter_said_together(claim)]
    return [one for one in contradictions if not any(_is_answer(one, statements) for statements in said)]


def _is_answer(one: Contradiction, statements: Sequence[Statement]) -> bool:
    """Whether statements that stand together cite two sides, and are of the same matter."""
    sides = set[str]()
    words: list[str] = []
    for statement in statements:
        held = {cited.evidence for cited in statement.citations if cited.verdict == "verified"} & {*one.evidence}
        if held:
            sides |= held
            words.append(statement.text)
    if len(sides) < LEAST_SIDES:
        return False
    own, other = possible_languages(one.about), possible_languages(" ".join(words))
    if own and other and own.isdisjoint(other):  # its words cannot be compared
        return True
    matter = frozenset(list_stems(one.about))
    return len(matter.intersection(list_stems(" ".join(words)))) >= LEAST_SHARED * len(matter)


def describe_dropped(one: Contradiction, keys: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """Say to the reader what the report leaves out, with titles for the keys of passages, which no reader is shown."""
    names = {keys[id]: f"“{titles[id]}”" for id in one.evidence if id in keys and id in titles}
    return f"{DROPPED} {_KEY.sub(lambda found: names.get(found[0], found[0]), one.about)}"


def describe_contradiction(one: Contradiction, keys: Mapping[str, str]) -> str:
    """Say to the writer of a report what it leaves out."""
    named = ", ".join(keys[id] for id in one.evidence if id in keys)
    return (
        f"{named} disagree, and the report does not say so: {one.about} Write a sentence or two that cite both sides: "
        "which of them you would go by and why, or that it is open; or why it is no contradiction."
    )


def _iter_said_together(claim: CheckedClaim) -> Iterator[Sequence[Statement]]:
    if claim.kind == "paragraph":
        yield claim.statements
    else:
        yield from ((statement,) for statement in claim.statements if not statement.context)
