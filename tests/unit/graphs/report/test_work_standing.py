"""Whether a work stands, by marks in its title and links to notices."""

import pytest

from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import Flag


@pytest.mark.parametrize(
    ("title", "flags"),
    [
        ("RETRACTED: Ladders", ["retracted"]),
        ("RETRACTED \u2013 Ladders", ["retracted"]),
        ("Retracted Article: Ladders", ["retracted"]),
        ("[RETRACTED] Ladders", ["retracted"]),
        ("WITHDRAWN: Ladders for cleaning", ["withdrawn"]),
        ("Ladders (Retracted article. See vol. 12, pg 3, 2020)", ["retracted"]),
        ("Ladders. [Retracted]", ["retracted"]),
        ("Retraction: Ladders", []),
        ("Retraction notice to 'Ladders'", []),
        ("Why papers are retracted (and how)", []),
        ("Drugs withdrawn from the market: a review", []),
        ("Retracted nerves: a study", []),
    ],
)
def test_a_mark_in_a_title_is_a_flag(title: str, flags: list[Flag]) -> None:
    standing = WorkStanding()
    standing.add_title(title)
    assert standing.flags == flags


def test_a_partial_retraction_leaves_the_rest_standing() -> None:
    standing = WorkStanding()
    standing.add_link("PartialRetractionIn", "J Ladders 2020;1:2.")
    assert (standing.flags, standing.notices) == (["concern"], ["It was retracted in part: J Ladders 2020;1:2."])
