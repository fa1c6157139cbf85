"""Adding and dropping branches while others run: however it goes, the books add up and nothing is given out twice."""

from hypothesis import given, settings
from hypothesis import strategies as st

from elcano.graphs.engine.entries import BranchStart, RunBranches, StepCompleted, StepFailed
from elcano.graphs.engine.run import build_initial_run as started
from elcano.graphs.lifecycle.fanout import FanOut
from elcano.graphs.lifecycle.handover import build_branch_outcome
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchResult
from elcano.graphs.spec.graph import ParallelNode
from elcano.graphs.state.branches import BranchInput, BranchOutcomes
from elcano.graphs.state.budget import Budget, Limits, TopUp, Usage, sum_usages
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.state import ResearchState

many = settings(deadline=None, database=None)
MINIMUM = 4_000


def branch(index: int) -> BranchStart:
    return BranchStart(
        index=index, parallel_path_id=f"0004.loop-{index + 1}", branch="loop", input=BranchInput(question="q")
    )


def work(*indices: int) -> RunBranches:
    branches = tuple(branch(index) for index in indices)
    return RunBranches(step=4, node="parallel_loops", branches=branches, minimum_tokens=MINIMUM)


class Visit:
    """A visit with its books, and beside them everything that was given out and used."""

    def __init__(self, limits: Limits, planned: int) -> None:
        node = MODES["deep"].by_id["parallel_loops"]
        assert isinstance(node, ParallelNode)
        run = started(MODES["deep"], ResearchState(question="q"), limits)
        self.budget: Budget = run.budget
        self.wanted = list(range(planned))
        self.ever = planned
        self.books = FanOut(node, work(*self.wanted), run)
        self.there_was = self.budget.allowance(at_exit=False).tokens or 0
        self.waiting = [start.index for start in self.books.starts]
        self.out: dict[int, int] = {}
        """Tokens of the slices of open branches."""
        self.used: list[Usage] = []

    def begin(self, index: int) -> None:
        limits = self.books.begin(branch(index), self.budget)
        if isinstance(limits, Ending):
            assert self.budget.limits.when_exhausted == "pause" or self.out, "it would wait for nobody"
            return
        self.waiting.remove(index)
        if limits is not None:
            assert index in self.wanted
            assert limits.tokens >= MINIMUM
            self.out[index] = limits.tokens

    def end(self, index: int, share: float) -> None:
        usage = Usage(requests=1, input_tokens=int(self.out.pop(index) * share))
        result = ResearchResult(run_id="r", report=None, draft="d", usage=usage)
        self.books.end(branch(index), build_branch_outcome(branch(index), result))
        self.used.append(usage)

    def replan(self, dropped: set[int], added: int) -> None:
        new = range(self.ever, self.ever + added)
        self.ever += added
        self.wanted = [index for index in self.wanted if index not in dropped] + [*new]
        assert [start.index for start in self.books.replan(work(*self.wanted))] == [*new]
        self.waiting = [index for index in self.waiting if index in self.wanted] + [*new]

    def top_up(self, tokens: int) -> None:
        extra = TopUp(tokens=tokens)
        limits = extra.added_to(self.budget.limits)
        self.there_was += Budget(limits=limits, exit_needs=self.budget.exit_needs).compute_gain(extra).tokens or 0
        self.budget = self.budget.model_copy(update={"limits": limits})
        for index, part in self.books.share_top_up(extra, limits, set(self.out) & set(self.wanted)).items():
            self.out[index] += part.tokens

    def check(self) -> None:
        assert self.books.used == sum_usages(self.used)
        assert sum(self.out.values()) + self.books.used.tokens <= self.there_was


@many
@given(st.integers(20_000, 300_000), st.sampled_from(["finish", "pause"]), st.integers(1, 6), st.data())
def test_however_a_plan_is_changed_the_books_add_up(tokens: int, when: str, planned: int, data: st.DataObject) -> None:
    limits = Limits.model_validate({"tokens": tokens, "reserve": 0.15, "when_exhausted": when})
    visit = Visit(limits, planned)
    for _ in range(data.draw(st.integers(0, 25))):
        match data.draw(st.sampled_from(["begin", "begin", "end", "end", "replan", "top up"])):
            case "begin" if visit.waiting and len(visit.out) < visit.books.node.max_concurrency:
                visit.begin(data.draw(st.sampled_from(visit.waiting)))
            case "end" if visit.out:
                visit.end(data.draw(st.sampled_from(sorted(visit.out))), data.draw(st.floats(0, 1)))
            case "replan":
                dropped = data.draw(st.sets(st.sampled_from(visit.wanted), max_size=len(visit.wanted) - 1))
                visit.replan(dropped, data.draw(st.integers(0, 3)))
            case "top up":
                visit.top_up(data.draw(st.integers(1, 50_000)))
        visit.check()
    visit.books.over = "the test is over"
    while visit.waiting or visit.out:
        for index in sorted(visit.out):
            visit.end(index, 1.0)
        for index in visit.waiting[:1]:
            visit.begin(index)
        visit.check()
    entry = visit.books.entry(1.0)
    assert entry.usage == sum_usages(visit.used), "what was dropped was paid for too"
    assert isinstance(entry, StepCompleted | StepFailed)
    if isinstance(entry, StepCompleted):
        output = BranchOutcomes.model_validate(entry.output)
        assert entry.usage == sum_usages(one.usage for one in output.branches) + output.dropped
        assert [one.index for one in output.branches] == visit.wanted, (
            "in the order of the plan, without what was dropped"
        )


def test_an_added_branch_gets_a_fair_part_of_what_is_left() -> None:
    visit = Visit(Limits(tokens=100_000, reserve=0.0), 2)
    visit.begin(0)
    visit.replan(set(), 1)
    visit.begin(1)
    visit.begin(2)
    assert visit.out[0] == visit.there_was // 2
    assert visit.out[1] == visit.out[2] == visit.there_was // 4


def test_where_everything_is_given_out_an_added_branch_waits_for_what_comes_back() -> None:
    visit = Visit(Limits(tokens=100_000, reserve=0.0), 2)
    visit.begin(0)
    visit.begin(1)
    visit.replan(set(), 1)
    visit.begin(2)
    assert visit.waiting == [2]
    visit.end(0, 0.2)
    visit.begin(2)
    assert visit.out[2] == visit.there_was * 2 // 5
    visit.check()
