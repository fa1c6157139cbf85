"""Which way questions go without a language model, and that the reason says that rules chose it."""

import pytest

from elcano.activities.offline.choosing_modes import BY_RULES
from elcano.activities.offline.outlining import parse
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.ways import WAYS, described


def way(question: str, *barred: str) -> tuple[str, str]:
    ways = {name: when for name, when in described(WAYS).items() if name not in barred}
    said = parse(TaskEnvelope(kind="input_parser", question=question, given={"ways": {**ways}}))
    return said.research_mode, said.mode_reason


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
        ("Wann wurde der Sextant gebaut?", "iterative"),
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


@pytest.mark.parametrize("question", ["word " * 2_000, "x" * 10_000, "\uff0c" * 9_000, "?" * 5_000])
def test_hostile_questions_are_read_too(question: str) -> None:
    chosen, why = way(question)
    assert chosen in WAYS
    assert len(why) < 700
