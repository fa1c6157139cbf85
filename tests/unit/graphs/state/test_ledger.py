"""What is a stall, whatever the manager says, and what a reset takes back."""

import pytest

from elcano.graphs.state.team import Ledger, TaskLedger, Turn


def turn(speaker: str = "searcher", instruction: str = "look", *, evidence: int = 0, **known: object) -> Turn:
    fields = {"round": 1, "speaker": speaker, "instruction": instruction, "evidence": evidence, **known}
    return Turn.model_validate(fields)


def after(*turns: Turn, progress: bool = True, in_loop: bool = False) -> Ledger:
    ledger = Ledger()
    for one in turns:
        ledger = ledger.add_turn(one, satisfied=False, in_loop=in_loop, progress=progress)
    return ledger


def test_the_first_turn_by_a_plan_is_no_stall_whatever_the_manager_says_of_what_was_before() -> None:
    assert after(turn(), progress=False, in_loop=True).stalls == 0


def test_rounds_without_progress_add_up_and_progress_takes_one_back() -> None:
    stuck = after(turn("searcher"), turn("judge"), turn("hypothesizer"), progress=False)
    assert [one.stall for one in stuck.turns] == ["", "no progress", "no progress"]
    assert stuck.stalls == 2
    assert stuck.add_turn(turn(evidence=3), satisfied=False, in_loop=False, progress=True).stalls == 1
    assert stuck.add_turn(turn(evidence=3), satisfied=False, in_loop=True, progress=True).turns[-1].stall == "loop"


@pytest.mark.parametrize("again", ["look", "  Look! ", "LOOK."])
def test_the_same_instruction_on_the_same_evidence_is_a_stall_and_nobody_is_sent(again: str) -> None:
    ledger = after(turn(), turn("judge"), turn(instruction=again))
    assert (ledger.turns[-1].stall, ledger.next_speaker, ledger.stalls) == ("repeated", "", 1)


@pytest.mark.parametrize(
    "other",
    [
        turn(instruction="look elsewhere"),
        turn("judge"),
        turn(evidence=1),
        turn(guidance=1),
        turn(sources=("other",)),
    ],
)
def test_another_instruction_other_evidence_or_a_word_of_the_person_who_asked_is_no_repetition(other: Turn) -> None:
    ledger = after(turn(), other)
    assert (ledger.turns[-1].stall, ledger.next_speaker) == ("", other.speaker)


def test_a_repetition_is_seen_across_a_reset() -> None:
    ledger = after(turn()).reset().add_turn(turn(), satisfied=False, in_loop=False, progress=True)
    assert ledger.turns[-1].stall == "repeated"


def test_nobody_named_is_a_stall_in_the_first_round_too() -> None:
    ledger = after(turn(""))
    assert (ledger.turns[-1].stall, ledger.next_speaker, ledger.stalls) == ("nobody", "", 1)


def test_a_satisfied_manager_or_the_reporters_name_ends_it_however_often_that_was_said() -> None:
    for _ in range(2):
        satisfied = after(turn()).add_turn(turn("judge"), satisfied=True, in_loop=True, progress=False)
        assert (satisfied.next_speaker, satisfied.satisfied, satisfied.stalls) == ("reporter", True, 0)
    named = after(turn("reporter"), turn("reporter"), progress=False)
    assert (named.next_speaker, named.satisfied, named.stalls) == ("reporter", False, 0)


def test_a_reset_counts_anew_and_forgets_no_turn() -> None:
    stuck = after(turn("searcher"), turn("judge"), turn("hypothesizer"), progress=False)
    ledger = stuck.model_copy(update={"task": TaskLedger(plan=("searcher: look",))}).reset()
    assert (ledger.stalls, ledger.resets, ledger.next_speaker) == (0, 1, "")
    assert ledger.turns == stuck.turns
    assert ledger.since_plan == ()
    assert ledger.task.plan, "whoever plans anew is shown the plan that led nowhere"
