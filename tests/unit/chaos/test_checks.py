"""Each check of a storm finds the fault that is planted for it, and nothing in a run that has none."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.chaos.storm.checks import findings, retimed
from tests.chaos.storm.harm import find_in_clear, harm
from tests.chaos.storm.records import Again, Applied, Played, Request, Transcript
from tests.chaos.storm.repeats import repeated
from tests.chaos.storm.schedule import Script, Wish
from tests.chaos.storm.tables import Way
from tests.unit.chaos.story import JUDGED, KILLED, LEFT, PLANNED, QUESTION, RUN, STREAM, heard, line, notes

AGAIN = notes(3, "judge", "Part 1?", 4.4)
"""The judge is asked as before, while its first call is not completed."""
LATE = notes(3, "judge", "Part 1?", 5.5)
"""And after it was."""
TWICE = (*RUN.ledger, line("judge", 1, 4.6, attempt=2, run_id="run-1.0002.loop-1"))


def kinds(run: Played, applied: Sequence[Applied] = ()) -> list[str]:
    return sorted({finding.kind for finding in findings(run, RUN, applied)})


def left(**changes: object) -> Played:
    return RUN.model_copy(update={"left": LEFT.model_copy(update=changes)})


def listened(*events: object) -> Played:
    restless = RUN.transcripts[1].model_copy(update={"heard": events})
    return RUN.model_copy(update={"transcripts": (RUN.transcripts[0], restless)})


def wished(kind: str, answered: int = 202, **changes: object) -> Played:
    wish = Wish.model_validate({"kind": kind, "at": 0.5})
    request = Request(action=kind, at=3.5, status=answered)
    return RUN.model_copy(
        update={
            "plan": RUN.plan.model_copy(update={"wish": wish}),
            "requests": (request,),
            "left": LEFT.model_copy(update=changes),
        }
    )


def test_nothing_is_wrong_with_a_run_like_its_twin() -> None:
    assert kinds(RUN) == []
    assert kinds(RUN, [KILLED]) == []


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (RUN.model_copy(update={"ended": None}), "lost"),
        (RUN.model_copy(update={"left": None}), "lost"),
        (left(markdown="# Another log\n"), "different"),
        (left(status="partial"), "different"),
        (left(evidence=("harbour",)), "different"),
        (left(unfolded=("run-1: budget",)), "folds"),
        (left(uncertified=("report: it is another one",)), "certificates"),
        (left(unreachable=("its result 1 was answered 404",)), "lost"),
        (left(charged=1), "books"),
        (left(archive=STREAM[:-1]), "events"),
        (left(archive=(*STREAM[:3], *STREAM[4:])), "events"),
        (left(archive=(*STREAM, heard(7.0, "complete", 5))), "events"),
        (listened(*STREAM[:2], *STREAM[3:]), "events"),
        (listened(*STREAM[:3], STREAM[2], *STREAM[3:]), "events"),
        (listened(STREAM[0], STREAM[1], STREAM[3], STREAM[2], *STREAM[4:]), "events"),
        (listened(heard(1.0, "thinking", 1), *STREAM[1:]), "events"),
        (RUN.model_copy(update={"notes": (*RUN.notes, *AGAIN)}), "repeated"),
        (RUN.model_copy(update={"notes": (*RUN.notes, *LATE)}), "repeated"),
        (RUN.model_copy(update={"ledger": TWICE}), "repeated"),
        (RUN.model_copy(update={"ledger": RUN.ledger[:1]}), "books"),
        (RUN.model_copy(update={"notes": RUN.notes[:2]}), "books"),
        (wished("steer", 500), "answers"),
        (wished("stop", status="completed", evidence=("unheard of",)), "different"),
        (wished("stop", markdown=""), "different"),
        (wished("stop", 409, markdown=""), "different"),
        (wished("cancel", status="cancelled"), "different"),
        (wished("cancel", status="stopped", markdown=""), "different"),
        (wished("steer", unverified=1), "different"),
        (wished("steer", status="failed"), "different"),
        (wished("pause", markdown="# Another log\n"), "different"),
        (wished("rollback", markdown="# Another log\n"), "different"),
    ],
)
def test_a_planted_fault_is_found(run: Played, kind: str) -> None:
    assert kind in kinds(run)


def test_events_that_are_kept_with_another_time_are_counted() -> None:
    assert retimed(RUN) == 0
    other = STREAM[2].model_copy(update={"data": {**STREAM[2].data, "at": 2.9}})
    run = listened(*STREAM[:2], other, *STREAM[3:])
    assert (kinds(run), retimed(run)) == ([], 1)


def test_answers_that_no_client_should_get_are_told() -> None:
    told = Transcript(client="steady", heard=STREAM, connections=2, wrong=("404 for the events",))
    assert kinds(RUN.model_copy(update={"transcripts": (told,)})) == ["answers"]


@pytest.mark.parametrize(
    "run",
    [
        wished("stop", status="stopped", markdown="# Less\n", evidence=("harbour",)),
        wished("cancel", status="cancelled", markdown="", evidence=()),
        wished("steer", markdown="# Other words\n", evidence=("weather",)),
        wished("stop", 409),
    ],
)
def test_what_was_asked_for_may_differ(run: Played) -> None:
    assert kinds(run) == []


def test_a_call_that_a_kill_cut_off_is_made_again_once() -> None:
    once = RUN.model_copy(update={"notes": (*RUN.notes, *AGAIN)})
    assert (kinds(once, [KILLED]), repeated(once, [KILLED]).in_flight) == ([], 1)
    twice = once.model_copy(update={"notes": (*once.notes, *notes(4, "judge", "Part 1?", 4.45))})
    assert "repeated" in kinds(twice, [KILLED])
    assert kinds(twice, [KILLED, KILLED]) == []


def test_no_kill_excuses_a_call_whose_result_was_there() -> None:
    run = RUN.model_copy(update={"notes": (*RUN.notes, *LATE)})
    assert [finding.kind for finding in findings(run, RUN, [KILLED])] == ["repeated"]


def test_a_kill_long_before_excuses_nothing() -> None:
    early = KILLED.model_copy(update={"began": -100.0, "ended": -99.0})
    assert "repeated" in kinds(RUN.model_copy(update={"notes": (*RUN.notes, *AGAIN)}), [early])
    assert "repeated" in kinds(RUN.model_copy(update={"ledger": TWICE}), [early])
    assert "repeated" not in kinds(RUN.model_copy(update={"ledger": TWICE}), [KILLED])


def test_a_request_that_was_not_answered_may_be_made_again() -> None:
    asked, answer = notes(2, "judge", "Part 1?", 3.9)
    refused = answer.model_copy(update={"what": "disturbed", "tokens": 0, "fault": "500"})
    run = RUN.model_copy(update={"notes": (*RUN.notes[:2], asked, refused, *notes(3, "judge", "Part 1?", 4.0))})
    assert kinds(run) == []


def test_steps_that_were_taken_back_are_made_again_and_no_others() -> None:
    again = Again(at=7.0, step=2)
    run = RUN.model_copy(update={"notes": (*RUN.notes, *notes(3, "judge", "Part 1?", 7.5)), "again": (again,)})
    assert "repeated" not in kinds(run)
    planned = run.model_copy(update={"notes": (*RUN.notes, *notes(3, "planner", QUESTION, 7.5))})
    assert "repeated" in kinds(planned)
    done = run.model_copy(update={"completed": (*RUN.completed, JUDGED.model_copy(update={"at": 7.7}))})
    assert "repeated" in kinds(done.model_copy(update={"notes": (*done.notes, *notes(4, "judge", "Part 1?", 8.0))}))


def test_a_fork_pays_for_nothing_that_it_shares() -> None:
    fork = RUN.model_copy(update={"forked_from": "run-0", "forked_at": 2, "completed": (JUDGED,)})
    assert kinds(fork) == []
    assert kinds(fork.model_copy(update={"shared": (PLANNED,)})) == ["repeated"]


def test_a_resumed_run_makes_no_call_of_a_section_again() -> None:
    again = Again(at=7.0, step=2, sections=False)
    run = RUN.model_copy(update={"notes": (*RUN.notes, *notes(3, "judge", "Part 1?", 7.5)), "again": (again,)})
    assert "repeated" in kinds(run)
    own = JUDGED.model_copy(update={"run_id": RUN.run_id})
    assert "repeated" not in kinds(run.model_copy(update={"completed": (PLANNED, own)}))
    written = JUDGED.model_copy(update={"node": "write_up"})
    assert "repeated" not in kinds(run.model_copy(update={"completed": (PLANNED, written)}))


def test_a_run_that_was_stopped_and_not_resumed_is_a_stopped_one() -> None:
    stopped = wished("resume", 409, status="stopped", markdown="# Less\n", evidence=("harbour",))
    asked = Request(action="stop", at=3.0, status=202)
    assert kinds(stopped.model_copy(update={"requests": (asked, *stopped.requests)})) == []
    assert "different" in kinds(stopped)


def test_an_end_that_a_run_went_on_after_is_told_otherwise() -> None:
    went_on = (*STREAM[:-1], heard(6.0, "execution_ended", 4), heard(7.0, "started", 5), heard(8.0, "complete", 6))
    live = (*STREAM, *went_on[-2:])
    transcripts = tuple(one.model_copy(update={"heard": live}) for one in RUN.transcripts)
    archive = LEFT.model_copy(update={"archive": went_on})
    assert kinds(RUN.model_copy(update={"transcripts": transcripts, "left": archive})) == []


def test_what_was_answered_in_a_conversation_that_was_begun_anew_may_be_in_no_ledger() -> None:
    planner, (asked, answered) = RUN.notes[:2], RUN.notes[2:]
    mended = [one.model_copy(update={"prompt": "mended", "at": one.at + 0.1}) for one in (asked, answered)]
    again = [one.model_copy(update={"at": one.at + 0.3}) for one in (asked, answered)]
    assert "books" in kinds(RUN.model_copy(update={"notes": (*planner, asked, answered, *mended)}))
    assert "books" not in kinds(RUN.model_copy(update={"notes": (*planner, asked, *mended, *again)}))


def test_an_answer_in_a_wrong_form_is_paid_for_and_may_be_cut_off_like_any_other() -> None:
    asked, answered = RUN.notes[2:]
    wrong = answered.model_copy(update={"what": "disturbed", "fault": "unparsable"})
    again = [one.model_copy(update={"at": one.at + 0.3}) for one in (asked, answered)]
    assert "books" not in kinds(RUN.model_copy(update={"notes": (*RUN.notes[:2], asked, wrong, *again)}))
    mended = [one.model_copy(update={"prompt": "mended", "at": one.at + 0.1}) for one in (asked, answered)]
    assert "books" in kinds(RUN.model_copy(update={"notes": (*RUN.notes[:2], asked, wrong, *mended)}))


def test_a_call_that_was_cut_off_unheard_is_charged_its_estimate_and_no_other_call_is() -> None:
    def stopped(at: float, charged: int) -> Played:
        (asked, _) = notes(3, "judge", "Part 2?", at)
        run = wished("stop", charged=charged)
        return run.model_copy(update={"notes": (*RUN.notes, asked)})

    assert "books" not in kinds(stopped(3.4, LEFT.noted + 2_260))
    assert "books" in kinds(stopped(3.4, LEFT.noted - 1))
    assert "books" in kinds(stopped(3.6, LEFT.noted + 2_260))
    assert "books" in kinds(wished("stop", charged=LEFT.noted + 2_260))


def asked_of_tables(way: Way, **changes: object) -> Played:
    plan = RUN.plan.model_copy(update={"script": Script(mode="data", use_graph=True, turns=1, sections=0, way=way)})
    return left(**changes).model_copy(update={"plan": plan})


SAID = "# The tons\n\nhands/write was called, and it is unknown whether its write happened"


def test_what_a_report_says_that_it_lacks_is_excused_only_where_it_may_lack_that() -> None:
    less = {"markdown": SAID, "evidence": ("harbour",), "status": "partial"}
    assert kinds(asked_of_tables("writes", **less)) == []
    assert kinds(asked_of_tables("reads", **less)) == ["different"]
    assert kinds(asked_of_tables("writes", **{**less, "markdown": "# The tons\n"})) == ["different"]
    assert kinds(asked_of_tables("writes", **{**less, "unverified": 1})) == ["different"]
    assert kinds(asked_of_tables("writes", **{**less, "status": "failed"})) == ["different"]
    assert kinds(asked_of_tables("writes", **{**less, "evidence": ("unheard of",)})) == ["different"]


def test_a_question_in_clear_is_found(tmp_path: Path) -> None:
    (tmp_path / "store").write_bytes(b"\0What is kept?\0")
    assert [str(tmp_path / "store") in one.text for one in find_in_clear([tmp_path], {"What is kept?"})] == [True]
    assert find_in_clear([tmp_path], {"What is asked?"}) == []


def test_harm_to_what_is_around_is_found() -> None:
    name, told = RUN.plan.name, left(evidence=("mcp:hands/write_and_wait@0:0-7",))
    assert harm([RUN, told], {name: 1}, ()) == []
    assert [one.run for one in harm([RUN], {name: 2}, ())] == [name]
    assert [one.run for one in harm([told], {}, ())] == [name]
    assert [one.text for one in harm([RUN], {}, ["ships.db is not what it was"])] == ["ships.db is not what it was"]


def test_a_fork_cites_what_was_written_for_the_run_that_it_began_with() -> None:
    told = left(evidence=("mcp:hands/write_and_wait@0:0-7",))
    fork = told.model_copy(update={"plan": RUN.plan.model_copy(update={"fork": True})})
    split = PLANNED.model_copy(update={"agent": "splitter"})
    assert harm([fork.model_copy(update={"shared": (split,)})], {RUN.plan.name: 1}, ()) == []
    assert len(harm([fork], {RUN.plan.name: 1}, ())) == 1


def test_a_worker_that_stood_still_is_no_excuse_for_a_call_that_was_made_again() -> None:
    again = RUN.model_copy(update={"notes": (*RUN.notes, *AGAIN)})
    stalled = KILLED.model_copy(update={"how": "stop"})
    assert "repeated" not in kinds(again, [KILLED])
    assert "repeated" in kinds(again, [stalled])
    assert "repeated" not in kinds(again, [stalled.model_copy(update={"target": "model"})])
