"""What was accepted under an id is in the log, and travels with it; a log is read page by page."""

import pytest

from elcano.graphs.engine.control_actions import Stop
from elcano.graphs.engine.entries import Controlled, Entry
from elcano.graphs.lifecycle.journal import Journal, log_page
from elcano.graphs.mode_choice import MODES
from tests.unit.graphs.samples import asked, begun


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


@pytest.mark.parametrize("most", [0, 200, 1_000_000])
def test_a_log_is_read_to_its_end_however_little_a_page_holds(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("elcano.graphs.lifecycle.journal.LOG_PAGE_BYTES", most)
    graph = MODES["iterative"]
    journal = Journal.begin(graph, begun(graph), mode="iterative", now=1.0)
    for number in range(5):
        journal.record(Controlled(at=1.0, action=Stop(), request_id=f"request-{number}"), 1.0)
    read: list[Entry] = []
    more = True
    while more:
        page = log_page(asked(graph), journal, len(read))
        assert page.entries
        assert (page.asked is None) == bool(read)
        read += page.entries
        more = page.more
    assert read == journal.entries
