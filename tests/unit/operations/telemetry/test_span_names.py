"""Sections of a run differ by the names of their spans, although their titles stay in the process."""

import pytest

from elcano.graphs.contracts import BranchOf
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.operations.telemetry.temporal import name_run

RUN = ResearchInput(run_id="default-1", question="What?", mode="deep", graph=MODES["deep"])


def test_a_run_is_named_by_its_mode() -> None:
    assert name_run(RUN) == "deep"


@pytest.mark.parametrize(
    ("path", "part", "name"),
    [
        ("0004.loop-3", "section", "deep section 3"),
        ("0004.loop-3/0002.loop-1", "section", "deep section 1"),
        ("0002.left-hand", "left-hand", "deep left-hand"),
        ("0002.left", "path", "deep path"),
    ],
)
def test_a_branch_is_named_by_what_it_is_and_its_number(path: str, part: str, name: str) -> None:
    branch = BranchOf(run_id="default-1", path=path, section="A title", part=part)
    assert name_run(RUN.model_copy(update={"branch_of": branch})) == name
