"""Kinds of questions, and what their answers sound like."""

import pytest

from elcano.plugins.quoting.asking import ABILITY, CHOICE, KINDS, PROCEDURE, REASON, WORKINGS, Kind, kind_of


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Why is unpickling unsafe?", REASON),
        ("When should I use threads or processes?", CHOICE),
        ("What is the difference between lists and tuples?", CHOICE),
        ("What can and cannot be pickled?", ABILITY),
        ("How do I cancel a task?", PROCEDURE),
        ("How to read a file?", PROCEDURE),
        ("How does logging work?", WORKINGS),
        ("What should one know about handlers?", WORKINGS),
        ("pancakes", WORKINGS),
    ],
)
def test_a_question_wants_one_kind_of_answer(question: str, kind: Kind) -> None:
    assert kind_of(question) is kind


def test_a_part_that_tells_nothing_wants_what_the_whole_question_wants() -> None:
    assert kind_of("threads", "When should I use threads?") is CHOICE
    assert kind_of("Why threads?", "When should I use threads?") is REASON


@pytest.mark.parametrize(
    ("kind", "answer", "other"),
    [
        (REASON, "It fails because the file is gone.", "The file holds lines."),
        (CHOICE, "Prefer threads for small jobs.", "A thread has a name."),
        (ABILITY, "Lambdas cannot be pickled.", "The pickle module is old."),
        (PROCEDURE, "Call the method of the task.", "A task has a name."),
        (WORKINGS, "Handlers are responsible for sending records.", "Handlers have names."),
    ],
)
def test_answers_are_told_from_mentions(kind: Kind, answer: str, other: str) -> None:
    assert kind.answered.search(answer)
    assert not kind.answered.search(other)


def test_each_kind_is_searched_for_in_words_of_its_own() -> None:
    searched = [word for kind in KINDS for word in kind.searched.split()]
    assert all(kind.searched for kind in KINDS)
    assert len(searched) == len(set(searched))
