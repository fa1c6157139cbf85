"""Runs that are steered, approved, refused, stopped and topped up at any moment, in any order, keep their promises."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elcano.graphs.engine.approvals import ApprovePlan, RefusePlan
from elcano.graphs.engine.control_actions import Action, AddBudget, Stop, refuse_control
from elcano.graphs.engine.entries import (
    BranchStart,
    Call,
    CallAgent,
    CallTool,
    Controlled,
    Diverted,
    Entry,
    Finish,
    PlanProposed,
    RunBranches,
    StepCompleted,
    Wait,
)
from elcano.graphs.engine.run import build_initial_run
from elcano.graphs.engine.steering import Steer, Steering
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle import finish, start_and_fold
from elcano.graphs.lifecycle.fanout import FanOut, explain_replan_refusal, visit_of
from elcano.graphs.lifecycle.handover import build_branch_outcome
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.spec.graph import ParallelNode
from elcano.graphs.state.branches import BranchOutcomes
from elcano.graphs.state.budget import Limits, TopUp, Usage
from elcano.graphs.state.plan import SectionPlan, open_sections, plan_fault
from elcano.testing.script import Script
from tests.folding import difference

STARTED = 1_000_000.0
TITLES = ("history", "method", "cost", "law", "people", "Cost ")
SOURCES = ("library", "archive", "attic")
some_sources = st.lists(st.sampled_from(SOURCES), max_size=2).map(tuple)
some_sections = st.lists(
    st.sampled_from(TITLES).map(lambda title: SectionPlan(title=title, key_question=f"What of {title}?")), max_size=3
).map(tuple)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(
        Steer,
        instruction=st.sampled_from(["", "Be brief.", "Look at costs."]),
        add_sources=some_sources,
        drop_sources=some_sources,
        add_sections=some_sections,
        drop_sections=st.lists(st.sampled_from(TITLES), max_size=2).map(tuple),
    ),
    st.builds(ApprovePlan, sections=st.none() | some_sections, title=st.sampled_from(["", "Ports"])),
    st.builds(RefusePlan, reason=st.just("too broad")),
    st.just(Stop(reason="enough")),
    st.builds(AddBudget, extra=st.builds(TopUp, tokens=st.integers(0, 50_000), steps=st.integers(0, 3))),
)


class Driven:
    """One run, driven to its end; between any two moments somebody may ask something of it."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        limits = Limits(
            tokens=data.draw(st.integers(30_000, 300_000)),
            sections=data.draw(st.integers(2, 5)),
            when_exhausted=data.draw(st.sampled_from(["finish", "pause"])),
        )
        self.asked = ResearchInput(
            run_id="run",
            question="What is it?",
            mode="deep",
            graph=MODES["deep"],
            limits=limits,
            sources=("library", "archive"),
            approve_plan=data.draw(st.booleans()),
        )
        self.journal = start_and_fold.open_journal(self.asked, STARTED)
        self.script = Script()
        self.now = STARTED
        self.promised: list[tuple[int, str]] = []
        """From which step on agents are shown which instruction."""
        self.accepted: list[Action] = []
        self.researched = False

    def walk(self) -> None:
        for _ in range(60):
            self.interrupt()
            if (ending := self.journal.run.stopping) is not None and not self.journal.run.finished:
                self.record(Diverted(at=self.elapsed, ending=ending))
            work = self.journal.next(self.now)
            match work:
                case Finish():
                    return
                case Wait():
                    self.decide(work)
                case RunBranches():
                    self.record(self.branches(work))
                case CallAgent() | CallTool():
                    self.record(self.call(work))
                case _:
                    raise AssertionError(work)
        raise AssertionError("the run did not end")

    @property
    def elapsed(self) -> float:
        return self.journal.elapsed(self.now)

    def record(self, entry: Entry) -> None:
        self.now += 1.0
        self.journal.record(entry, self.now)

    def interrupt(self, books: FanOut | None = None) -> None:
        for _ in range(self.data.draw(st.sampled_from([0, 0, 1, 2]))):
            self.ask(self.wish(), books)

    def wish(self) -> Action:
        """Mostly what makes sense now; of all else there is a part as well."""
        draw, state = self.data.draw, self.journal.run.state
        match draw(st.sampled_from(["say", "source", "add", "add", "drop", "drop", "drop", "any"])):
            case "say":
                return Steer(instruction=f"Wish {len(self.journal.entries)}")
            case "source":
                return Steer(add_sources=draw(some_sources), drop_sources=draw(some_sources))
            case "add":
                new = f"added {len(self.journal.entries)}"
                return Steer(add_sections=(SectionPlan(title=new, key_question=f"What of {new}?"),))
            case "drop" if there := [section.title for section in open_sections(state.plan)]:
                return Steer(drop_sections=(draw(st.sampled_from(there)),))
            case _:
                return draw(actions)

    def ask(self, action: Action, books: FanOut | None = None) -> None:
        """As the workflow does it: judged, answered, written down; a refusal changes nothing."""
        graph, run = self.asked.graph, self.journal.run
        refusal = refuse_control(graph, run, action, closing=False)
        if refusal is None and books is not None and isinstance(action, Steer) and action.changes_sections:
            refusal = explain_replan_refusal(graph, run, action)
        if refusal is not None:
            assert refusal
            return
        answer = action.answer(graph, action.apply(run))
        self.record(Controlled(at=self.elapsed, action=action, answer=answer))
        self.accepted.append(action)
        if isinstance(action, Steer):
            self.steered(action, answer, books)
        if isinstance(action, AddBudget) and books is not None:
            books.share_top_up(action.extra, self.journal.run.budget.limits, ())

    def steered(self, action: Steer, answer: Json, books: FanOut | None) -> None:
        said = Steering.model_validate(answer)
        assert (said.sections is not None) == action.changes_sections
        if action.instruction:
            self.promised.append((said.step, action.instruction))
        if action.changes_sections:
            assert (said.sections == "before the plan is made") == (not self.journal.run.state.plan)
            if books is not None:
                assert said.sections == "while the sections run"
                books.replan(visit_of(self.asked.graph, self.journal.run))

    def decide(self, work: Wait) -> None:
        """Somebody comes by at last; whatever was asked before, the run still waits."""
        match work.hold.reason:
            case "approval":
                assert not self.researched
                last: list[Action] = [ApprovePlan(), RefusePlan(reason="no"), Stop()]
            case _:
                last = [AddBudget(extra=TopUp(tokens=100_000)), Stop()]
        self.ask(self.data.draw(st.sampled_from(last)))

    def call(self, work: Call) -> Entry:
        at = self.elapsed
        if isinstance(work, CallTool):
            assert {given["source"] for given in work.inputs} <= set(self.journal.run.state.sources)
            items: list[Json] = [
                {"index": index, "input": given, "output": self.script.answer(work.tool, given)}
                for index, given in enumerate(work.inputs)
            ]
            entry = StepCompleted(step=work.step, node=work.node, at=at, output={"items": items})
        else:
            output = self.script.answer(work.agent, work.input)
            entry = StepCompleted(step=work.step, node=work.node, at=at, output=output, usage=self.script.usage)
        self.interrupt()  # while it is under way
        if isinstance(work, CallAgent):
            shown = work.input["guidance"]
            assert isinstance(shown, list)
            assert {text for step, text in self.promised if work.step >= step} <= set(map(str, shown))
        return entry

    def branches(self, work: RunBranches) -> Entry:
        """Each may begin and end at any moment, and in any order."""
        self.researched = True
        node = self.asked.graph.by_id[work.node]
        assert isinstance(node, ParallelNode)
        books = FanOut(node, work, self.journal.run)
        done: set[int] = set()
        begun: dict[int, BranchStart] = {}
        for _ in range(80):
            self.interrupt(books)
            if self.journal.run.stopping is not None:
                books.over = "stopped"
            starts = {start.index: start for start in books.starts}
            waiting = [index for index in starts if index not in done and index not in begun]
            if not waiting and not begun:
                break
            begins = waiting and (not begun or self.data.draw(st.booleans()))
            index = self.data.draw(st.sampled_from(waiting if begins else [*begun]))
            if not begins:
                done.add(index)
                usage = Usage(requests=1, input_tokens=self.data.draw(st.integers(0, 9_000)))
                result = ResearchResult(run_id="b", report=None, draft="d", usage=usage)
                one = begun.pop(index)
                books.end(one, build_branch_outcome(one, result))
                continue
            limits = books.begin(starts[index], self.journal.run.budget)
            if isinstance(limits, Limits):
                begun[index] = starts[index]
                given = start_and_fold.build_branch_input(self.asked, starts[index], limits, self.journal.run)
                assert (given.guidance, given.sources) == (
                    self.journal.run.state.guidance,
                    self.journal.run.state.sources,
                )
            elif limits is None:
                done.add(index)
            elif not begun:
                books.over = limits.detail
        entry = books.entry(self.elapsed)
        if isinstance(entry, StepCompleted):
            planned = [section.title for section in open_sections(self.journal.run.state.plan)]
            told = BranchOutcomes.model_validate(entry.output).branches
            assert [one.title for one in told] == planned, "what is planned now is what came of it, in this order"
        assert entry.usage == books.used
        return entry


@settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_whatever_is_asked_whenever_a_run_keeps_its_promises(data: st.DataObject) -> None:
    driven = Driven(data)
    driven.walk()
    journal, run = driven.journal, driven.journal.run
    assert run.finished
    assert difference(finish.build_run_log(driven.asked, journal)) is None
    decided = [action for action in driven.accepted if isinstance(action, ApprovePlan | RefusePlan)]
    proposed = [entry for entry in journal.entries if isinstance(entry, PlanProposed)]
    assert len(decided) <= len(proposed) <= (1 if driven.asked.approve_plan else 0)
    if driven.asked.approve_plan and driven.researched:
        assert isinstance(decided[0], ApprovePlan)
    if any(isinstance(action, RefusePlan | Stop) for action in driven.accepted):
        assert run.ending is not None
    sections = open_sections(run.state.plan)
    if sections:
        assert plan_fault(sections, run.budget.limits.sections) is None
    assert run.state.sources
    said = [action.instruction for action in driven.accepted if isinstance(action, Steer) and action.instruction]
    assert list(run.state.guidance) == said
    told: dict[str, Any] = {event.type: event.data for event in journal.events}
    assert ("plan_proposed" in told) == bool(proposed)
    assert [event.seq for event in journal.events] == list(range(1, len(journal.events) + 1))


def test_a_branch_that_was_over_when_it_was_dropped_leaves_its_bill() -> None:
    """The simplest of the runs above, written out."""
    graph = MODES["deep"]
    state = start_and_fold.first_state(
        ResearchInput(run_id="r", question="q", mode="deep", graph=graph, sources=("library",))
    ).model_copy(update={"plan": tuple(SectionPlan(title=title, key_question="q") for title in ("a", "b"))})
    journal = Journal.begin(graph, build_initial_run(graph, state, Limits()), mode="deep", now=STARTED)
    run = journal.run.model_copy(update={"node": "parallel_loops"})
    node = graph.by_id["parallel_loops"]
    assert isinstance(node, ParallelNode)
    books = FanOut(node, visit_of(graph, run), run)
    for one in books.starts:
        assert isinstance(books.begin(one, run.budget), Limits)
        used = Usage(requests=1, input_tokens=100)
        books.end(one, build_branch_outcome(one, ResearchResult(run_id="b", report=None, draft="d", usage=used)))
    books.replan(visit_of(graph, Steer(drop_sections=("a",)).apply(run)))
    entry = books.entry(1.0)
    assert isinstance(entry, StepCompleted)
    assert [one.title for one in BranchOutcomes.model_validate(entry.output).branches] == ["b"]
    assert entry.usage.input_tokens == 200
