"""Whatever is asked of a run whose calls wait, in whatever order: each call is decided on once, and never again."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elcano.graphs.checks.references import error_faults
from elcano.graphs.engine.approvals import ApproveCall, RefuseCall, hold_of
from elcano.graphs.engine.control_actions import Action, Pause, Stop, Unpause, refuse_control
from elcano.graphs.engine.entries import (
    ApprovalExpired,
    ApprovalRequested,
    Controlled,
    Entry,
    Held,
    RunResumed,
    StepAbandoned,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.resume_points import cut_log_at_end
from elcano.graphs.lifecycle.start_and_fold import before_step, fold, open_journal
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode, ErrorEdge, ResearchGraph, SequentialEdge, ToolNode
from elcano.graphs.state.failures import (
    ARGUMENTS_CHARACTERS,
    Ending,
    WaitingCall,
    list_undecided_calls,
    shorten_arguments,
)
from tests.folding import list_step_rows

pytestmark = pytest.mark.of_plugins("mcp")

IDS = ("0001-write-1", "0001-write-2", "0001-write-3")
GRAPH = ResearchGraph(
    name="writing",
    nodes=(
        ToolNode(
            id="write",
            tool="call_tool",
            for_each='`["a", "b", "c"]`',
            inputs={"server": "'s'", "tool": "'t'", "arguments": "{line: item}"},
        ),
        AgentNode(id="writer", agent="writer", inputs={"question": "question"}),
    ),
    edges=(SequentialEdge(from_node="write", to_node="writer"),),
    entry_node="write",
    exit_nodes=("writer",),
)
ASKED = ResearchInput(run_id="r", question="What is it?", mode="writing", graph=GRAPH, approvals="wait")
ENDING = Ending(kind="stopped", detail="enough")


def call(id: str) -> WaitingCall:
    return WaitingCall(
        id=id, run_id="r", step=1, node="write", server="s", tool="t", arguments="{}", since=0.0, until=9.0
    )


def begun() -> Journal:
    """A run whose calls wait."""
    begun = open_journal(ASKED, 0.0)
    begun.next(0.0)
    for id in IDS:
        begun.record(ApprovalRequested(step=1, node="write", at=0.0, call=call(id)), 0.0)
    return begun


actions = st.one_of(
    st.builds(ApproveCall, call=st.sampled_from([*IDS, "other"]), by=st.sampled_from(["", "Elvira"])),
    st.builds(RefuseCall, call=st.sampled_from([*IDS, "other"]), reason=st.just("no")),
    st.sampled_from([Pause(), Unpause(), Stop(reason="enough")]),
)
happenings = st.lists(st.one_of(actions, st.sampled_from(IDS), st.just("held")), max_size=15)


@settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(happenings)
def test_each_call_is_decided_on_once_whatever_comes_in_whatever_order(
    happenings: list[Action | str],
) -> None:
    journal = begun()
    accepted: dict[str, str] = {}
    for happening in happenings:
        earlier = journal.run
        if not isinstance(happening, str):
            refusal = refuse_control(GRAPH, earlier, happening, closing=False)
            if refusal is not None:
                continue
            journal.record(Controlled(at=0.0, action=happening, by="alice", when=1.0), 1.0)
            if isinstance(happening, ApproveCall | RefuseCall):
                assert happening.call not in accepted, "a second decision was accepted"
                assert earlier.stopping is None
                accepted[happening.call] = "approved" if isinstance(happening, ApproveCall) else "refused"
        elif happening == "held":
            if list_undecided_calls(earlier.calls) and earlier.hold is None:
                journal.record(Held(step=1, node="write", at=0.0, hold=hold_of(earlier)), 0.0)
                assert journal.stands_still
        else:
            journal.record(ApprovalExpired(at=0.0, call=happening), 0.0)
            accepted.setdefault(happening, "lapsed")
    run = journal.run
    assert {one.id: one.decision for one in run.calls if one.decision} == accepted
    assert all(one.by for one in run.calls if one.decision in ("approved", "refused"))
    assert run.tried is None
    assert fold(ASKED, journal.entries) == run, "the log alone makes the same run"
    assert len(list_step_rows(log_of(journal), journal.events, going_on=True)) >= 1
    journal.record(StepAbandoned(step=1, node="write", at=0.0, ending=ENDING), 2.0)
    assert (journal.run.calls, journal.run.hold) == ((), None)


def log_of(journal: Journal) -> RunLog:
    return RunLog(asked=ASKED, entries=tuple(journal.entries), run=journal.run)


def resumed_from(entries: tuple[Entry, ...]) -> Run:
    return fold(ASKED, (*entries, RunResumed(at=0.0, why="resumed", last_event=7)))


def test_a_run_that_goes_on_waits_for_no_call_of_before() -> None:
    journal = begun()
    journal.record(Held(step=1, node="write", at=0.0, hold=hold_of(journal.run)), 0.0)
    journal.record(Controlled(at=0.0, action=ApproveCall(call=IDS[0])), 0.0)
    log = log_of(journal)
    assert before_step(log, 1).entries == ()
    run = resumed_from(cut_log_at_end(log).entries)
    assert (run.calls, run.hold, run.undone_to) == ((), None, 7)


def test_what_was_asked_says_why_a_decision_is_not_taken() -> None:
    journal = begun()
    journal.record(Controlled(at=0.0, action=RefuseCall(call=IDS[0], reason="no"), by="alice"), 0.0)
    journal.record(ApprovalExpired(at=0.0, call=IDS[1]), 0.0)

    def refusal(action: Action) -> str | None:
        return refuse_control(GRAPH, journal.run, action, closing=False)

    assert refusal(ApproveCall(call=IDS[0])) == f"the call {IDS[0]!r} was refused already by alice"
    assert "it was not decided on in time" in str(refusal(ApproveCall(call=IDS[1])))
    assert f"waiting are: {IDS[2]}" in str(refusal(ApproveCall(call="x")))
    assert refusal(ApproveCall(call=IDS[2])) is None


def test_an_edge_can_wait_for_a_refusal() -> None:
    node = ToolNode(id="write", tool="call_tool", inputs={"server": "'s'", "tool": "'t'"})

    def found(error: str) -> list[str]:
        return list(error_faults(node, ErrorEdge(from_node="write", to_node="writer", types=(error,))))

    assert found("ApprovalRefused") == []
    assert found("ApprovalNeeded") == []
    assert found("ApprovalRefusd") == ["unknown error 'ApprovalRefusd'; did you mean 'ApprovalRefused'?"]


def test_long_arguments_are_shown_in_short_and_said_to_be() -> None:
    text, whole = shorten_arguments({"line": "ü" * 10_000})
    assert (len(text) <= ARGUMENTS_CHARACTERS, whole) == (True, False)
    assert shorten_arguments({"line": "\x1b[2J ü"}) == ('{"line": "\\u001b[2J ü"}', True)
