"""A rate of statements that hold stands beside how many were checked at all."""

import pytest

from elcano.graphs.report.report import SupportCounts


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            SupportCounts(supported=13, in_passage=1, partly=1, unchecked=3),
            "14 of 15 checked statements hold, 1 in part; 15 of 18 statements were checked",
        ),
        (SupportCounts(unchecked=3), "none of 3 statements was checked"),
        (SupportCounts(), "nothing was checked"),
    ],
)
def test_coverage_stands_beside_each_rate(counts: SupportCounts, said: str) -> None:
    assert counts.describe() == said
