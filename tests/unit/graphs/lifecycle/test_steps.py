"""The list of a run's steps and one step looked into: nothing is lost, doubled or told otherwise than it was."""

from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.engine.control_actions import AddBudget, Stop
from elcano.graphs.engine.entries import Controlled, Diverted, Held, StepCompleted
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle import finish, start_and_fold
from elcano.graphs.lifecycle.inspection import StepInspection, count_steps, inspect_step
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.step_history import Passage, iter_passages
from elcano.graphs.lifecycle.step_rows import BetweenRow, Row, StepRow
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import RunLog
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import Limits, TopUp, Usage, sum_usages
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Ending, Hold
from elcano.graphs.state.state import ResearchState
from elcano.testing.script import Refused, Script
from tests.folding import list_step_rows
from tests.unit.graphs.samples import QUESTION, asked, completed, research, two_nodes
from tests.unit.graphs.test_properties import many, walk


def log_of(journal: Journal, limits: Limits | None = None) -> RunLog:
    return finish.build_run_log(asked(journal.graph, QUESTION, limits), journal)


def of_steps(found: tuple[Row, ...]) -> list[StepRow]:
    return [row for row in found if isinstance(row, StepRow)]


def looked_into(log: RunLog, journal: Journal, number: int, *, going_on: bool = False) -> StepInspection:
    found = inspect_step(log, journal.events, number, going_on=going_on)
    assert found is not None
    return found


@many
@given(st.data())
def test_the_steps_of_any_run_are_the_run(data: st.DataObject) -> None:
    journal = walk(data, QUESTION)
    log = log_of(journal, journal.runs[0].budget.limits)
    told = list(iter_passages(log, journal.events, going_on=False))
    steps = [one for one in told if isinstance(one, Passage)]
    assert [step.row.number for step in steps] == list(range(1, journal.run.budget.steps + 1))
    assert sum_usages(step.row.usage for step in steps).tokens == journal.run.budget.used.tokens
    assert sum_usages(step.row.usage for step in steps).cost_microusd == journal.run.budget.used.cost_microusd
    assert count_steps(log, going_on=False) == len(steps)
    state: ResearchState | None = start_and_fold.first_state(log.asked)
    for one in told:
        if isinstance(one, BetweenRow):
            state = None
            continue
        assert state is None or one.before.state == state
        assert one.after is not None
        state = one.after.state
    last = steps[-1]
    assert last.after is not None
    assert (last.after.state, last.after.budget.used) == (journal.run.state, journal.run.budget.used)


async def test_each_step_says_what_it_was_and_what_came_of_it() -> None:
    journal = await research(Script(complete_in=2), seconds_a_call=1.0)
    found = of_steps(list_step_rows(log_of(journal), journal.events, going_on=False))
    assert [(row.number, row.node, row.kind, row.name) for row in found[:4]] == [
        (1, "first_search", "tool", "search"),
        (2, "thinking", "agent", "thinking"),
        (3, "knowledge_gap", "agent", "knowledge_gap"),
        (4, "complete", "decision", ""),
    ]
    assert [row.next for row in found] == [*(row.node for row in found[1:]), ""]
    thinking = found[1]
    assert (thinking.outcome, thinking.model, thinking.usage) == ("completed", "scripted", Script().usage)
    assert thinking.summary
    assert thinking.took
    assert {row.iteration for row in found} == {1, 2}
    for row in found:
        assert row.ended is not None
        assert row.began <= row.ended
        assert row.began_at is not None
        assert row.ended_at is not None
        assert row.began_at <= row.ended_at
    assert [row.began for row in found[1:]] == [row.ended for row in found[:-1]]


async def test_what_failed_says_why() -> None:
    script = Script()

    def refuse(given: JsonObject) -> JsonObject:
        raise Refused("no such thing", type="Gone")

    script.overrides["thinking"] = refuse
    journal = await research(script)
    failed = of_steps(list_step_rows(log_of(journal), journal.events, going_on=False))[1]
    assert (failed.outcome, failed.error, failed.reason) == ("failed", "Gone", "no such thing")
    inside = looked_into(log_of(journal), journal, 2)
    assert inside.output is None
    assert inside.before == inside.after
    assert inside.changed.changes == ()


async def test_an_answer_that_does_not_fit_is_a_failure() -> None:
    script = Script()
    script.overrides["thinking"] = lambda given: {"thought": 7}
    journal = await research(script)
    failed = of_steps(list_step_rows(log_of(journal), journal.events, going_on=False))[1]
    assert (failed.outcome, failed.error) == ("failed", "InputInvalid")
    assert "thought" in failed.reason


async def test_a_step_from_the_inside() -> None:
    journal = await research(Script(complete_in=2))
    log = log_of(journal)
    search = next(
        row for row in of_steps(list_step_rows(log, journal.events, going_on=False)) if row.node == "execute_tools"
    )
    inside = looked_into(log, journal, search.number)
    assert isinstance(inside.input, list)
    assert [isinstance(one, dict) and one["source"] for one in inside.input] == ["library", "library"]
    entry = next(one for one in log.entries if isinstance(one, StepCompleted) and one.step == search.number)
    assert inside.output == entry.output
    assert inside.after is not None
    new = [change for change in inside.changed.changes if change.field == "evidence"]
    assert [(change.how, change.count) for change in new] == [("appended", len(inside.after.evidence) - 1)]
    assert new[0].items[0] == {
        "id": inside.after.evidence[1].id,
        "title": inside.after.evidence[1].title,
        "source": "library",
    }
    assert inside.budget_after is not None
    assert inside.budget_after.steps == inside.budget_before.steps + 1
    assert inspect_step(log, journal.events, journal.run.budget.steps + 1, going_on=False) is None
    assert inspect_step(log, journal.events, 0, going_on=False) is None
    thought = looked_into(log, journal, 2).changed.changes
    assert {change.field for change in thought} == {"conversation[0].thought", "outputs.thinking"}


async def test_what_agents_were_given_is_what_they_were_called_with() -> None:
    script, given = Script(complete_in=2), list[JsonObject]()

    def think(called_with: JsonObject) -> JsonObject:
        given.append(called_with)
        return {"thought": "hm"}

    script.overrides["thinking"] = think
    journal = await research(script)
    log = log_of(journal)
    shown = [
        looked_into(log, journal, row.number).input
        for row in of_steps(list_step_rows(log, journal.events, going_on=False))
        if row.node == "thinking"
    ]
    assert shown == given
    assert len(given) == 2


async def test_a_fan_out_names_its_branches() -> None:
    journal = await research(Script(), graph=MODES["deep"])
    found = of_steps(list_step_rows(log_of(journal), journal.events, going_on=False))
    (split,) = [row for row in found if row.kind == "parallel"]
    assert [(branch.section, branch.status) for branch in split.branches] == [
        ("history", "done"),
        ("method", "done"),
        ("cost", "done"),
    ]
    assert all(branch.run_id.startswith("run.") for branch in split.branches)
    inside = looked_into(log_of(journal), journal, split.number)
    assert isinstance(inside.input, list)
    assert [isinstance(one, dict) and one["title"] for one in inside.input] == ["history", "method", "cost"]


def begun(graph: ResearchGraph) -> Journal:
    return start_and_fold.open_journal(asked(graph), 100.0)


def test_the_step_under_way_is_the_last() -> None:
    journal = begun(two_nodes())
    journal.next(101.0)
    (row,) = of_steps(list_step_rows(log_of(journal), journal.events, going_on=True))
    assert (row.number, row.node, row.outcome, row.began_at, row.ended) == (1, "a", "running", 101.0, None)
    assert list_step_rows(log_of(journal), journal.events, going_on=False) == ()
    inside = looked_into(log_of(journal), journal, 1, going_on=True)
    assert inside.after is None
    assert inside.input == {**(inside.input if isinstance(inside.input, dict) else {}), "question": "What is it?"}


def test_requests_are_told_where_they_came() -> None:
    journal = begun(two_nodes())
    topped_up = Controlled(at=0.5, action=AddBudget(extra=TopUp(tokens=5)))
    journal.record(topped_up, 100.5)
    journal.next(101.0)
    journal.record(Controlled(at=1.5, action=Stop(reason="enough")), 101.5)
    journal.record(completed(journal.run, {"thought": "hm"}).model_copy(update={"at": 2.0}), 102.0)
    before, during, step, last = list_step_rows(log_of(journal), journal.events, going_on=True)
    assert isinstance(before, BetweenRow)
    assert isinstance(during, BetweenRow)
    assert isinstance(step, StepRow)
    assert (before.before, before.during, before.kind, before.at_epoch) == (1, False, "controlled: add_budget", 100.5)
    assert (during.before, during.during, during.at_epoch) == (1, True, 101.5)
    assert "enough" in during.text
    assert (step.began_at, step.ended_at, step.ended) == (101.0, 102.0, 2.0)
    assert isinstance(last, StepRow)
    assert (last.number, last.outcome) == (2, "running")


def test_what_was_undone_is_not_told() -> None:
    def event(seq: int, type: str, step: int) -> AgentEvent:
        return AgentEvent.model_validate(
            {"seq": seq, "type": type, "message": "", "at": float(seq), "step": step, "node": "a", "iteration": 1}
        )

    journal = begun(two_nodes())
    run: Run = journal.run
    log = log_of(journal).model_copy(update={"entries": (completed(run, {"thought": "hm"}),)})
    undone = [event(1, "thinking", 1), event(2, "thinking", 1), event(3, "rolled_back", 1)]
    first, *_ = list_step_rows(log, [*undone, event(4, "thinking", 1)], going_on=False)
    assert isinstance(first, StepRow)
    assert first.began_at == 4.0


def test_a_budget_that_is_used_up_is_waited_for() -> None:
    limits = Limits(when_exhausted="pause", tokens=1_000)
    journal = start_and_fold.open_journal(asked(two_nodes(), QUESTION, limits), 100.0)
    journal.next(101.0)
    log = log_of(journal, limits)
    *_, last = list_step_rows(log, journal.events, going_on=True)
    assert isinstance(last, StepRow)
    assert (last.outcome, last.usage) == ("waiting", Usage())
    assert last.reason.startswith("waits for budget: ")
    assert Ending(kind="tokens").kind in last.reason


def test_tries_of_a_call_that_was_given_up_are_not_told_of_the_step_in_its_place() -> None:
    """Its usage is counted there, for no other step has the number."""
    journal = begun(two_nodes())
    journal.next(101.0)
    hold = Hold(reason="provider", node="a", detail="503", tries=1, since=102.0, until=104.0)
    used = Usage(requests=1, input_tokens=7)
    journal.record(Held(step=1, node="a", at=2.0, hold=hold, usage=used), 102.0)
    (waiting,) = of_steps(list_step_rows(log_of(journal), journal.events, going_on=True))
    assert ([one.detail for one in waiting.held], waiting.usage) == (["503"], used)
    journal.record(Diverted(at=3.0, ending=Ending(kind="stopped")), 103.0)
    (row,) = of_steps(list_step_rows(log_of(journal), journal.events, going_on=True))
    assert (row.number, row.node, row.held, row.usage) == (1, "z", (), used)
    journal.record(completed(journal.run, {"artifact": "x"}, usage=used).model_copy(update={"at": 4.0}), 104.0)
    (row,) = of_steps(list_step_rows(log_of(journal), journal.events, going_on=False))
    assert (row.number, row.node, row.held, row.usage) == (1, "z", (), used + used)
