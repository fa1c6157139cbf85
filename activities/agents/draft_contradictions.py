"""Contradictions that research named and a draft does not answer, so that none is dropped in silence.

One is answered where a paragraph or a list item cites passages of both sides. That both stand in one table, or apart
from each other, says nothing of their disagreement.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from elcano.activities.report.checked_draft import CheckedClaim
from elcano.graphs.report.report import CheckedCitation
from elcano.graphs.state.plan import Contradiction

LEAST_SIDES: Final = 2
DROPPED: Final = "Passages that were found disagree, and the report does not discuss it:"


def list_unanswered(contradictions: Iterable[Contradiction], claims: Iterable[CheckedClaim]) -> list[Contradiction]:
    """Those of `contradictions`, which name passages by id, that none of `claims` answers."""
    cited = [ids for claim in claims for ids in _iter_cited_together(claim)]
    return [one for one in contradictions if not any(answers_contradiction(one, ids) for ids in cited)]


def answers_contradiction(one: Contradiction, cited: Iterable[str]) -> bool:
    """Whether passages of two sides are among those that are cited together."""
    return len({*one.evidence} & {*cited}) >= LEAST_SIDES


def describe_contradiction(one: Contradiction, keys: Mapping[str, str]) -> str:
    """Say to the writer of a report what it leaves out."""
    named = ", ".join(keys[id] for id in one.evidence if id in keys)
    return (
        f"{named} disagree, and the report does not say so: {one.about} Write a sentence or two that cite both sides: "
        "which of them you would go by and why, or that it is open; or why it is no contradiction."
    )


def _iter_cited_together(claim: CheckedClaim) -> Iterator[list[str]]:
    if claim.kind == "paragraph":
        yield _list_held(claim.citations)
    for statement in claim.statements:
        if not statement.context:
            yield _list_held(statement.citations)


def _list_held(cited: Iterable[CheckedCitation]) -> list[str]:
    return [one.evidence for one in cited if one.verdict == "verified"]
