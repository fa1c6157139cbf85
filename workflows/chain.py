"""The same research as plain code: no graph engine decides what comes next.

For migration and as a fallback (`USE_GRAPH_EXECUTION=false`). Activities, budgets, events, queries, updates and the end
of a run are those of `ResearchWorkflow`; only the way from one step to the next is written out here. Node names are
those of the graphs, so that both read the same in the Temporal UI and leave the same state. A chain is not continued as
new: its place is a line of code, which does not travel.
"""

from collections.abc import Callable
from typing import TypeVar

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.agents import judge, knowledge_gap, planner, thinking
    from elcano.graphs.agents import tool_selector as selector
    from elcano.graphs.agents.listing import AGENTS
    from elcano.graphs.catalogue import reducers
    from elcano.graphs.catalogue import section_reducers as sections
    from elcano.graphs.catalogue.tools import ItemOutcomes
    from elcano.graphs.contracts import CHAIN_WORKFLOW, ResearchInput, ResearchResult
    from elcano.graphs.engine.commands import (
        BranchStart,
        CallAgent,
        CallTool,
        Diverted,
        Entry,
        Held,
        RunBranches,
        StepAbandoned,
        StepCompleted,
        StepFailed,
        Work,
    )
    from elcano.graphs.engine.exits import keeping
    from elcano.graphs.engine.inputs import allowed, estimate, minimum_tokens, needed
    from elcano.graphs.engine.run import Run
    from elcano.graphs.engine.safety import out_of, spent, stalled
    from elcano.graphs.engine.steps import RELEASED, booked, pauses
    from elcano.graphs.errors import ElcanoError
    from elcano.graphs.frozen import Frozen, JsonObject
    from elcano.graphs.journal.narration import before, looping
    from elcano.graphs.values.branch import BranchInput, BranchOutcomes
    from elcano.graphs.values.state import Ending, Failure, ResearchState
    from elcano.workflows.research import ResearchWorkflow

Output = TypeVar("Output", bound=Frozen)
Fold = Callable[[ResearchState, Output], ResearchState]


class EndEarly(Exception):
    """The research is over before it is complete."""

    def __init__(self, ending: Ending) -> None:
        self.ending = ending
        super().__init__(ending.detail)


class CannotGoOn(Exception):
    """A failure that the exit would meet too."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


@workflow.defn(name=CHAIN_WORKFLOW, failure_exception_types=[ElcanoError, ValueError])
class ChainWorkflow(ResearchWorkflow):
    """A run of `iterative`, `deep` or `deep_brief`; the graph in its input says which."""

    @workflow.init
    def __init__(self, asked: ResearchInput) -> None:
        super().__init__(asked)

    @workflow.run
    async def run(self, asked: ResearchInput) -> ResearchResult:
        """As a graph's run: research, report, archive."""
        return await super().run(asked)

    async def _walk(self) -> None:
        iterative = self._asked.graph.name == "iterative"
        try:
            await (self._iterative() if iterative else self._deep())
        except EndEarly as early:
            if self._journal.run.ending is None:
                self._leave(early.ending)
        except CannotGoOn as failed:
            self._become(failure=failed.failure, finished=True)
            return
        await (self._write() if iterative else self._synthesize())

    async def _iterative(self) -> None:
        """Think, find the gap, search for it, judge; round until nothing is missing."""
        while True:
            await self._ask("thinking", self._context(), thinking.ThinkingOutput, reducers.record_thought)
            gaps = await self._ask(
                "knowledge_gap",
                {**self._context(), "max_iterations": self._journal.run.budget.limits.iterations},
                knowledge_gap.KnowledgeGapOutput,
                reducers.record_gap,
            )
            if gaps.research_complete:
                return
            turns = self._state.conversation
            selection: JsonObject = {
                **self._context(),
                "gap": turns[-1].gap,
                "suggested_queries": list(turns[-2].suggested_queries) if len(turns) > 1 else [],
                "sources": list(self._state.sources),
            }
            plan = await self._ask("tool_selector", selection, selector.AgentSelectionPlan, reducers.record_tool_calls)
            await self._search("execute_tools", [(task.source, task.query) for task in plan.tasks])
            judging: JsonObject = {**self._context(), "gap": self._state.conversation[-1].gap}
            judgement = await self._ask("judge", judging, judge.JudgeAssessment, reducers.record_judgement)
            if judgement.recommendation == "synthesize":
                return
            if stalled(self._state):
                raise EndEarly(Ending(kind="stalled", detail="nothing new was found twice in a row"))
            await self._next_iteration()

    async def _deep(self) -> None:
        """Search once, plan, research each section in a chain of its own, collect the drafts."""
        limit = self._journal.run.budget.limits.sections
        await self._search("survey", [(source, self._state.question) for source in self._state.sources], limit=20)
        planning: JsonObject = {
            "question": self._state.question,
            "background": self._state.background,
            "instructions": self._state.instructions,
            "sources": list(self._state.sources),
            "evidence": list(self._state.distinct_evidence),
            "max_sections": limit,
        }
        plan = await self._ask("planner", planning, planner.ReportPlan)
        stored = sections.PlanToStore(**plan.model_dump(), max_sections=limit)
        self._become(state=sections.store_plan(self._state, stored))
        drafts = await self._step(self._branches(), BranchOutcomes)
        self._become(state=sections.collect_drafts(self._state, drafts))

    async def _write(self) -> None:
        given: JsonObject = {
            **self._context(),
            "evidence": list(self._state.distinct_evidence),
            "instructions": self._state.instructions,
            "sources": list(self._state.sources),
        }
        await self._exit("writer", "writer", given)

    async def _synthesize(self) -> None:
        state = self._state
        given: JsonObject = {
            "question": state.question,
            "background": state.background,
            "instructions": state.instructions,
            "title": state.title,
            "sections": [section.model_dump(mode="json") for section in state.sections],
            "sources": list(state.sources),
            "evidence": [ref.id for ref in state.evidence],
        }
        agent = "proofreader" if self._asked.graph.name == "deep_brief" else "long_writer"
        await self._exit("synthesizer", agent, given)

    async def _ask(
        self, agent: str, given: JsonObject, answer: type[Output], fold: Fold[Output] | None = None
    ) -> Output:
        """Calls an agent at the node of its name."""
        return await self._step(self._call(agent, agent, given), answer, fold)

    async def _search(self, node: str, searches: list[tuple[str, str]], limit: int = 8) -> None:
        inputs = tuple[JsonObject, ...](
            {"source": source, "query": query, "limit": limit} for source, query in searches
        )
        work = CallTool(step=self._journal.run.step, node=node, tool="search", inputs=inputs, for_each=True)
        await self._step(work, ItemOutcomes, reducers.add_evidence)

    async def _step(self, work: Work, answer: type[Output], fold: Fold[Output] | None = None) -> Output:
        """One step of the research: admitted by the budget, performed, folded into the state."""
        self._become(node=work.node)
        while not isinstance(entry := await self._tried(work), StepCompleted):
            match entry:
                case StepFailed() if (ending := spent(entry.failure)) is not None:
                    await self._abandoned(entry, ending)
                    work = work.model_copy(update={"step": self._journal.run.step})
                case StepFailed():
                    self._take(entry)
                    raise _ended_by(entry.failure)
                case Held() if isinstance(work, CallAgent):
                    self._take(entry)
                    work = work.model_copy(update={"tries": entry.hold.tries, "progress": entry.hold.progress})
                case StepAbandoned() if entry.ending is not None:
                    await self._abandoned(entry, entry.ending)
                    work = work.model_copy(update={"step": self._journal.run.step})
        output = answer.model_validate(entry.output)
        state = self._state.model_copy(update={"outputs": {**self._state.outputs, work.node: entry.output}})
        self._take(entry, state=fold(state, output) if fold else state)
        return output

    async def _exit(self, node: str, agent: str, given: JsonObject) -> None:
        """The report's draft; with it, or without it, the run is over."""
        self._become(node=node)
        await self._interruptions.settled()
        await self._waiting.released()
        if (ending := self._interruptions.take()) is not None:  # it came while the last step was ending
            self._take(Diverted(at=self._elapsed(), ending=ending), ending=self._journal.run.ending or ending)
        work = self._call(node, agent, given)
        while isinstance(entry := await self._told(work), Held):
            self._take(entry)
            await self._waiting.for_answer(entry.hold)
            if (ending := self._interruptions.take()) is not None:
                entry = self._leaving(ending)
                break
            work = work.model_copy(update={"tries": entry.hold.tries, "progress": entry.hold.progress})
        match entry:
            case StepCompleted():
                outputs = {**self._state.outputs, node: entry.output}
                self._take(entry, state=self._state.model_copy(update={"outputs": outputs}), finished=True)
            case StepFailed() if (ending := spent(entry.failure)) is not None:
                self._take(entry, ending=self._journal.run.ending or ending, finished=True)
            case StepFailed():
                self._take(entry, failure=entry.failure, finished=True)
            case StepAbandoned():
                self._take(entry, ending=self._journal.run.ending or entry.ending, finished=True)

    async def _tried(self, work: Work) -> Entry:
        """What came of a call that the budget admits."""
        await self._admitted(work)
        return await self._told(work)

    async def _told(self, work: Work) -> Entry:
        if self._journal.run.hold is None:
            for told in before(work):
                self._journal.tell(told, workflow.time())
        self._shown.place(work)
        if isinstance(work, CallAgent):
            work = allowed(work, self._asked.graph, self._journal.run)
        return await self._performed(work)

    async def _abandoned(self, entry: StepAbandoned | StepFailed, ending: Ending) -> None:
        """A call was given up, or not paid for: the research ends, or waits for a top-up and makes it again."""
        if not pauses(self._journal.run, ending):
            self._take(entry, ending=ending)
            raise EndEarly(ending)
        self._take(entry, paused=ending)
        await self._until_topped_up()

    async def _admitted(self, work: Work) -> None:
        """Returns once the budget admits a call that nobody is waited for; ends the research if it never will."""
        while True:
            await self._interruptions.settled()
            await self._waiting.released()
            run = self._journal.run
            if run.hold is not None and not run.trying:
                await self._waiting.for_answer(run.hold)
            if (ending := self._interruptions.take()) is None:
                self._journal.run = keeping(self._asked.graph, self._journal.run)
                budget = self._journal.run.budget.at(self._elapsed())
                refused = budget.refuses(needed(work, budget.limits))
                if refused is None:
                    return
                ending = out_of(refused, self._journal.run.node)
            await self._more_budget(self._because(ending))

    async def _next_iteration(self) -> None:
        """Begins the next turn of the loop, if there is one left or somebody grants it."""
        while (budget := self._journal.run.budget).iterations >= budget.limits.iterations:
            await self._more_budget(Ending(kind="iterations", detail="no iteration left"))
        iterations = budget.iterations + 1
        self._become(
            budget=budget.model_copy(update={"iterations": iterations}),
            state=self._state.model_copy(update={"iteration": iterations}),
        )
        self._journal.tell(looping(self._journal.run, self._journal.run.node), workflow.time())

    async def _more_budget(self, ending: Ending) -> None:
        """Waits for a top-up if the caller wants to be asked.

        Raises:
            EndEarly: the run is to end instead.
        """
        if not pauses(self._journal.run, ending):
            raise EndEarly(ending)
        self._take(Diverted(at=self._elapsed(), ending=ending), paused=ending)
        await self._until_topped_up()

    async def _until_topped_up(self) -> None:
        await self._waiting.for_budget()
        if (stopped := self._interruptions.take()) is not None:
            raise EndEarly(stopped)

    def _record(self, entry: Entry) -> None:
        """Entries that come from no step of the chain: of control, of its branches, of a run that is cancelled."""
        self._take(entry, **({"paused": entry.ending} if isinstance(entry, Diverted) else {}))

    def _leave(self, ending: Ending) -> None:
        self._take(Diverted(at=self._elapsed(), ending=ending), ending=ending, paused=None, **RELEASED)

    def _take(self, entry: Entry, **changes: object) -> None:
        """Puts an entry into the log, booked as in a graph, with what it changes here."""
        begun = self._journal.begun
        run = booked(self._journal.run, entry).model_copy(update=changes)
        self._journal.take(run, entry, workflow.time())
        if not begun:
            self._interruptions.aim()

    def _become(self, **changes: object) -> None:
        self._journal.run = self._journal.run.model_copy(update=changes)

    def _call(self, node: str, agent: str, given: JsonObject) -> CallAgent:
        spec = AGENTS[agent]
        checked: JsonObject = spec.input.model_validate(given).model_dump(mode="json")
        run: Run = self._journal.run
        return CallAgent(step=run.step, node=node, agent=agent, input=checked, estimate=estimate(spec, checked, run))

    def _branches(self) -> RunBranches:
        step = self._journal.run.step
        starts = tuple(
            BranchStart(
                index=index,
                parallel_path_id=f"{step:04d}.loop-{index + 1}",
                branch="loop",
                input=BranchInput(
                    question=section.key_question, title=section.title, background=self._state.background
                ),
            )
            for index, section in enumerate(self._state.plan)
        )
        minimum = minimum_tokens(self._asked.graph.branches["loop"])
        return RunBranches(step=step, node="parallel_loops", branches=starts, minimum_tokens=minimum)

    def _context(self) -> JsonObject:
        """What every agent of the loop is told."""
        state = self._state
        return {
            "question": state.question,
            "background": state.background,
            "iteration": state.iteration,
            "conversation": [turn.model_dump(mode="json") for turn in state.conversation],
        }

    @property
    def _state(self) -> ResearchState:
        return self._journal.run.state


def _ended_by(failure: Failure) -> Exception:
    if failure.fatal:
        return CannotGoOn(failure)
    return EndEarly(Ending(kind="node_failed", detail=f"{failure.node} failed: {failure.message}"))
