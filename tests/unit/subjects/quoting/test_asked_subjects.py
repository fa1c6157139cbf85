"""Who asks what something is gets sentences on it; what only mentions it, or speaks of another `it`, is no answer."""

import pytest

from elcano.subjects.quoting.report_writing import write_report
from elcano.subjects.quoting.sentence_choice import find_defined_subject
from tests.unit.subjects.quoting.test_manuals import answers, envelope

MENTIONS = (
    ("Ferry > Tests", "The nightly tests build the harbour with brine and compare the logs with those of last week."),
    ("Ferry > Tests", "The support of older brine is a part of what the tests of a release look at."),
    ("Ferry > Changes", "Fixed a crash on Tuesdays when brine was older than the harbour that reads it."),
)
DEFINED = ("Ferry > Parts", "Salted brine, or brine for short, is a fast format for the logs of harbours.")
SUBJECT_FIRST = ("Ferry > Parts", "Brine packs the logs of a harbour before they are sent.")
HEADED = ("Ferry > Brine", "Packs the logs of a harbour before they are sent, and brine can be read at once.")


@pytest.mark.parametrize("question", ["What does brine do?", "What is brine?"])
def test_what_only_mentions_the_thing_that_is_asked_about_is_no_answer(question: str) -> None:
    draft = write_report(envelope(question, MENTIONS))
    assert (draft.answered, draft.claims) == (False, ())
    assert draft.related, "the nearest passages are named"


@pytest.mark.parametrize("said", [DEFINED, SUBJECT_FIRST, HEADED])
def test_what_is_said_of_the_thing_itself_is_an_answer(said: tuple[str, str]) -> None:
    assert answers("What does brine do?", *MENTIONS, said) == [said[1]]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What does brine do?", {"brine"}),
        ("What is the default port of the print server?", set()),
        ("What is brine and how fast is it?", set()),
        ("What is brine used for?", set()),
        ("What does brine cost?", set()),
        ("Which harbours use brine?", set()),
    ],
)
def test_only_a_question_for_nothing_else_asks_for_its_subject(question: str, subject: set[str]) -> None:
    assert find_defined_subject(question) == subject


def test_what_is_said_of_another_it_is_no_answer() -> None:
    """The sentence has all words of the question, and its `it` is the other variable."""
    text = (
        "The variable HARBOUR_FORMAT chooses between lines and tables. "
        "It is ignored when the level of the log is debug, as debug writes everything in lines."
    )
    question = "When is the level of the log ignored?"
    assert not write_report(envelope(question, [("Settings", text)])).answered
    right = "The level of the log is ignored when the harbour is closed, and nothing is written then."
    assert answers(question, ("Settings", f"{text}\n\n{right}")) == [right]
    assert answers(question, ("Settings > The level of the log", text)) == [text]
