"""Which way questions go without a language model, and that the reason says that rules chose it."""

from collections import Counter

import pytest

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.graphs.mode_choice import describe_modes, list_ways
from elcano.graphs.state.state import HistoryEntry
from elcano.subjects.quoting.planning import BY_RULES, parse_question
from tests.unit.subjects.quoting.chosen_modes import QUESTIONS, SAVED_QUESTIONS

SAVED: JsonObject = {"shop": [*SAVED_QUESTIONS]}
BARRED = {
    "studies": {"data"},
    "library": {"data", "literature_review"},
    "both": {"literature_review"},
    "shop": list_ways().keys() - {"data"},
}
"""By what is searched, as `barred` of the API has it."""


def way(
    question: str,
    *barred: str,
    saved: JsonObject | None = None,
    databases: JsonObject | None = None,
    before: str = "",
) -> tuple[str, str]:
    ways = {name: when for name, when in describe_modes(list_ways()).items() if name not in barred}
    given: JsonObject = {"ways": {**ways}, "databases": databases or {}, "saved_questions": saved or {}}
    history = (HistoryEntry(run_id="run-0", question=before),) if before else ()
    task = TaskEnvelope(kind="input_parser", question=question, given=given, today="2025-06-18", history=history)
    said = parse_question(task)
    return said.research_mode, said.mode_reason


def over(searched: str, question: str) -> tuple[str, str]:
    return way(question, *BARRED[searched], saved=SAVED if searched == "both" else None)


def test_each_of_the_listed_questions_goes_its_way() -> None:
    chosen = {(searched, question): over(searched, question)[0] for searched, question, _ in QUESTIONS}
    assert chosen == {(searched, question): mode for searched, question, mode in QUESTIONS}


def test_the_listed_questions_are_of_every_way_in_two_languages() -> None:
    assert len(QUESTIONS) >= 60
    assert len(set(QUESTIONS)) == len(QUESTIONS)
    assert all(count >= 4 for count in Counter(mode for _, _, mode in QUESTIONS).values())
    assert {mode for _, _, mode in QUESTIONS} == {"simple", "iterative", "deep", "literature_review", "data"}


def test_a_database_that_could_not_be_read_is_not_chosen_by_rules() -> None:
    away: JsonObject = {"shop": "It could not be read: it is away"}
    assert way("How many customers are there?", "literature_review", databases=away)[0] == "simple"


def test_the_reason_names_the_database_that_has_the_question_saved() -> None:
    assert "'shop'" in over("both", "How many customers are there?")[1]
    assert "databases" in over("shop", "How many customers are there?")[1]


def test_a_question_that_follows_one_to_a_database_goes_there_too() -> None:
    followed = "How many orders are there?"
    assert way("And by status? (orders)", saved=SAVED, before=followed)[0] == "data"
    assert way("And why? (orders)", saved=SAVED, before=followed)[0] != "data"
    assert way("And by status? (lighthouse)", saved=SAVED, before="When was the lighthouse built?")[0] != "data"


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("When was the first sextant built?", "simple"),
        ("What is the default timeout of the mail client?", "simple"),
        ("How many moons does Neptune have?", "simple"),
        ("Why do cats purr?", "iterative"),
        ("How does a heat pump work?", "iterative"),
        ("Who may enter a nature reserve at night with a licensed hunting dog during the closed season?", "iterative"),
        ("purring", "iterative"),
        ("when?", "iterative"),
        ("Compare heat pumps and gas boilers.", "deep"),
        ("Give an overview of tidal power.", "deep"),
        ("Write a systematic review of yoga for back pain.", "literature_review"),
        ("猫为什么会发出呼噜声?", "iterative"),
        ("Wann wurde der Sextant gebaut?", "simple"),
        ("Pourquoi les chats ronronnent-ils ?", "iterative"),
    ],
)
def test_questions_go_the_way_that_fits_them(question: str, mode: str) -> None:
    chosen, why = way(question)
    assert chosen == mode
    assert why.startswith(BY_RULES)
    assert len(why) < 300


def test_a_barred_way_is_not_named() -> None:
    assert way("Write a systematic review of yoga for back pain.", "literature_review")[0] == "deep"
    assert way("When was the first sextant built?", "simple")[0] == "iterative"


@pytest.mark.parametrize(
    "question",
    [
        "word " * 2_000,
        "x" * 10_000,
        "\uff0c" * 9_000,
        "?" * 5_000,
        "thorough " * 1_100,
        "what is the " * 800,
        "how large is the effect of " * 350,
        "gründlich " * 990,
        "fasse die " * 990,
        "customers orders " * 550,
    ],
)
def test_hostile_questions_are_read_too(question: str) -> None:
    chosen, why = way(question, saved=SAVED)
    assert chosen in list_ways()
    assert len(why) < 700
