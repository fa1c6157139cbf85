"""A literature review: every source is asked the same, as often as it brings something new, and all of it is counted.

The linear loop of `simple`, with as many passages of each search as a source gives. What makes it a review is its
report: records found, kept and cited by source, and a table of the studies that are cited (see `review_report.py`).
"""

from typing import Final

from elcano.graphs.builder import WRITING, GraphBuilder
from elcano.graphs.mode_choice import Mode
from elcano.subjects.research.loops import add_judged_search

NAME: Final = "literature_review"
LITERATURE_REVIEW = (
    add_judged_search(
        GraphBuilder(
            NAME, "Search every source alike, judge, search again, write; count records and list the studies."
        ),
        "writer",
        description="Every source at once, each asked all of the same",
        limit=50,
    )
    .add_agent_node(
        "writer",
        agent="writer",
        description="The review, every claim with its quote",
        inputs={**WRITING, "form": "'review'"},
    )
    .set_exit_nodes("writer")
    .build()
)

MODE: Final = Mode(
    LITERATURE_REVIEW,
    "What studies have found, with counts of what was searched, found and kept.",
    when="it asks for a review of the studies on a matter: what was searched, found and kept has to be counted",
    kinds=("articles", "trials", "preprints"),
    instead="iterative",
    prefix="review_",
)
