"""Steps are links where one can be looked into."""

from typing import Any

import pytest

from elcano.doors.page.graph_drawing import Progress, draw_graph
from elcano.doors.page.rendering import load_template
from elcano.graphs.mode_choice import MODES

STEP: dict[str, Any] = {
    "row": "step",
    "number": 3,
    "outcome": "completed",
    "label": "Judge",
    "reason": "",
    "summary": "Enough was found",
    "usage": {"input_tokens": 0, "output_tokens": 0},
    "attempts": [],
    "held": [],
    "waited": 0.0,
    "seconds": None,
}


@pytest.mark.parametrize("linked", [True, False])
def test_a_row_of_a_step_that_cannot_be_opened_is_no_link(linked: bool) -> None:
    parts: Any = load_template("run_parts.html").make_module({"url": str})
    row = parts.step_row(STEP, "run-1", linked=linked)
    assert ('<a class="step-name" href="/runs/run-1/steps/3">' in row, " href=" in row) == (linked, linked)
    assert row.count("Judge") == 1


@pytest.mark.parametrize("address", ["/runs/run-1/steps/", ""])
def test_a_node_whose_steps_cannot_be_opened_is_no_link(address: str) -> None:
    node = MODES["simple"].nodes[0].id
    visits = {node: {"count": 1, "last_step": 3, "failed": False}}
    drawing = draw_graph(MODES["simple"], Progress(here="", held=False, failed="", visits=visits))
    shown = load_template("graph.html").render(drawing=drawing, walked=True, tip="tip", step_address=address, url=str)
    assert shown.count(" href=") == shown.count(f'href="{address}3"') == (2 if address else 0)
    assert "1 visit, " in shown
    assert "step 3" in shown
