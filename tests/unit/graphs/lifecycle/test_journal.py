"""What was accepted under an id is in the log, and travels with it."""

from elcano.graphs.engine.control_actions import Stop
from elcano.graphs.engine.entries import Controlled
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from tests.unit.graphs.samples import begun


def test_an_accepted_request_is_known_by_its_id_however_often_the_run_goes_on_elsewhere() -> None:
    graph = MODES["iterative"]
    journal = Journal.begin(graph, begun(graph), mode="iterative", now=1.0)
    assert journal.find_accepted("request-0") is None
    entries = [Controlled(at=1.0, action=Stop(), request_id=f"request-{number}", answer=number) for number in range(3)]
    for entry in entries:
        journal.record(entry, 1.0)
    further = Journal(graph, journal.pages)
    assert [further.find_accepted(entry.request_id) for entry in entries] == entries
    assert further.find_accepted("another") is None
