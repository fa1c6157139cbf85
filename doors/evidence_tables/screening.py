"""Decisions on rows, and the flow of records that they make: counted as PRISMA 2020 counts them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pydantic import Field

from elcano.doors.evidence_tables.table_store import Change, TableDocument
from elcano.graphs.frozen import Json
from elcano.service.fields import Described

NO_REASON: Final = "no reason given"


class ReviewCounts(Described):
    """Counts of a literature review's search; see its report."""

    run_id: str
    """The run."""
    searches: int
    """Searches that it made."""
    found: int
    """Passages that these gave."""
    records: int
    """Different works and documents that they are of."""
    kept: int
    """Records among these that add something new."""
    cited: int
    """Records among these that the report cites."""


class ScreeningFlow(Described):
    """The flow of the records of a table, as in a PRISMA 2020 diagram.

    `records` = `duplicates` + `excluded` + `included` + `unsure` + `undecided`; `unreadable` are among the last four.
    """

    review: ReviewCounts | None
    """The review whose search found the records; null: none is named, or its report is gone."""
    records: int = Field(examples=[120])
    """Records identified: the rows."""
    by_source: dict[str, int] = Field(examples=[{"uploads:trials": 120}])
    """The same by source."""
    duplicates: int = Field(examples=[8])
    """Undecided rows among these whose file is also in an earlier row."""
    screened: int = Field(examples=[100])
    """Rows with a decision: to include, to exclude, or unsure."""
    unreadable: int = Field(examples=[2])
    """Reports not retrieved: rows whose document has no text that could be read."""
    excluded: int = Field(examples=[70])
    """Rows to exclude."""
    reasons: dict[str, int] = Field(examples=[{"no control group": 41}])
    """Number of times each reason was given, the most frequent first."""
    unsure: int = Field(examples=[5])
    """Rows whose decision is `unsure`."""
    included: int = Field(examples=[25])
    """Rows to include."""
    undecided: int = Field(examples=[12])
    """Rows without a decision, but for duplicates."""


def list_decisions(changes: Iterable[Change]) -> dict[int, list[Change]]:
    """The decisions on each row, in their order; the last one counts."""
    found: dict[int, list[Change]] = defaultdict(list)
    for one in changes:
        if not one.column:
            found[one.row].append(one)
    return dict(found)


def find_decision(decisions: Mapping[int, Sequence[Change]], row: int) -> Json:
    """The last decision on a row; None: there is none, or it was withdrawn."""
    made = decisions.get(row)
    return made[-1].value if made else None


def count_flow(
    documents: Sequence[TableDocument], decisions: Mapping[int, Sequence[Change]], review: ReviewCounts | None
) -> ScreeningFlow:
    """Count the flow of a table."""
    standing = [find_decision(decisions, number) for number in range(len(documents))]
    counts = Counter(str(one) for one in standing if one is not None)
    reasons = Counter(
        decisions[number][-1].reason or NO_REASON for number, one in enumerate(standing) if one == "exclude"
    )
    pairs = list(zip(documents, standing, strict=True))
    duplicates = sum(one.duplicate_of is not None and decision is None for one, decision in pairs)
    screened = counts.total()
    return ScreeningFlow(
        review=review,
        records=len(documents),
        by_source=dict(Counter(one.source for one in documents)),
        duplicates=duplicates,
        screened=screened,
        unreadable=sum(bool(one.reason) for one in documents),
        excluded=counts["exclude"],
        reasons=dict(reasons.most_common()),
        unsure=counts["unsure"],
        included=counts["include"],
        undecided=len(documents) - duplicates - screened,
    )
