"""What a journal remembers travels with its pages, and is bounded."""

from elcano.graphs.journal.journal import REMEMBERED, Answered, Journal
from elcano.graphs.modes import MODES
from elcano.graphs.values.budget import Limits
from elcano.graphs.values.state import ResearchState


def test_the_last_answers_are_remembered() -> None:
    graph = MODES["iterative"]
    journal = Journal.begin(graph, ResearchState(question="Why?"), Limits(), mode="iterative", now=1.0)
    assert journal.remembered("request-0") is None
    answers = [Answered(request_id=f"request-{number}", limits=Limits()) for number in range(REMEMBERED + 5)]
    for answer in answers:
        journal.remember(answer)
    further = Journal(graph, journal.pages)
    assert [further.remembered(answer.request_id) for answer in answers] == [None] * 5 + answers[5:]
    assert len(journal.pages.answered) == REMEMBERED
