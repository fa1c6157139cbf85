"""Criteria for an answered question: a few, each checkable, each met or not met by the evidence.

Whoever plans says them, the judge says which are met and by which passages, and what is not met is looked for next.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.shortening import shorten_text

MOST_CRITERIA: Final = 4
"""Of one question: more are no criteria but a second plan."""
CRITERION_CHARACTERS: Final = 300
MOST_PASSAGES: Final = 8
"""That are named for one criterion."""


class Criterion(Frozen):
    """A requirement on the answer, and whether the evidence meets it."""

    text: str
    """As `names at least two suppliers, with prices`."""
    met: bool | None = None
    """None: nobody has judged it yet."""
    evidence: tuple[str, ...] = ()
    """Ids of the passages that meet it, the best first."""


class CriterionVerdict(Frozen):
    """A judge's verdict on one criterion."""

    number: int = Field(description="The number of the criterion in the envelope; of one you name yourself, from 1.")
    criterion: str = Field(default="", description="Its text, if you name it yourself; otherwise leave it out.")
    met: bool
    evidence: tuple[str, ...] = Field(default=(), description="Keys of the passages that meet it, the best first.")


def normalize_criteria(texts: Iterable[str]) -> tuple[str, ...]:
    """Criteria as they are kept: each on one line, once, none empty, at most `MOST_CRITERIA`."""
    lines = (shorten_text(" ".join(text.split()), CRITERION_CHARACTERS) for text in texts)
    return tuple(dict.fromkeys(filter(None, lines)))[:MOST_CRITERIA]


def build_unjudged_criteria(texts: Iterable[str]) -> tuple[Criterion, ...]:
    """Criteria of which nothing is known yet."""
    return tuple(Criterion(text=text) for text in normalize_criteria(texts))


def apply_verdicts(criteria: Sequence[Criterion], verdicts: Iterable[CriterionVerdict]) -> tuple[Criterion, ...]:
    """Return `criteria` updated by `verdicts`; if there were none, those that the verdicts name themselves.

    A criterion of which nothing is said stands as it stood. Of two verdicts on one the first counts.
    """
    if not criteria:
        named: dict[str, CriterionVerdict] = {}
        for verdict in verdicts:
            for text in normalize_criteria([verdict.criterion]):
                named.setdefault(text, verdict)
        return tuple(_apply_verdict(Criterion(text=text), named[text]) for text in normalize_criteria(named))
    first: dict[int, CriterionVerdict] = {}
    for verdict in verdicts:
        first.setdefault(verdict.number, verdict)
    return tuple(
        _apply_verdict(criterion, first[number]) if number in first else criterion
        for number, criterion in enumerate(criteria, start=1)
    )


def _apply_verdict(criterion: Criterion, verdict: CriterionVerdict) -> Criterion:
    return criterion.model_copy(update={"met": verdict.met, "evidence": verdict.evidence[:MOST_PASSAGES]})
