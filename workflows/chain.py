"""The same research as plain code: no edge of a graph decides what comes next.

It serves for migration and as a fallback (`USE_GRAPH_EXECUTION=false`). The nodes are those of the graph, and the
engine applies their results, so a chain has the same log, budget, events, control and end as a run of
`ResearchWorkflow`; only the routing from one node to the next is written out here. Its position is a line of code,
which does not travel: a chain that continues in another execution follows its log once more, line by line, to where it
was. Its journal exists from the start, so it accepts control actions meanwhile like any run.
"""

from collections import deque

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import CHAIN_WORKFLOW
    from elcano.graphs.engine.entries import Diverted, NodeChosen
    from elcano.graphs.engine.routing import find_sources_ending
    from elcano.graphs.engine.run import Run, has_stalled
    from elcano.graphs.engine.step_function import advance_run
    from elcano.graphs.errors import ElcanoError, EngineFault
    from elcano.graphs.frozen import Json
    from elcano.graphs.lifecycle.start_and_fold import build_run_from_input
    from elcano.graphs.run_contracts import ResearchInput, ResearchResult
    from elcano.graphs.spec.graph import ConditionalEdge, EndKind
    from elcano.graphs.state.failures import Ending
    from elcano.graphs.state.state import IterationData
    from elcano.graphs.state.team import NO_RESET_LEFT, REPORTER, Ledger
    from elcano.workflows.research import ResearchWorkflow


STALLED = "the last searches found nothing that helps"


class ChainEnded(Exception):
    """The run has gone to its exit and through it, from wherever it was."""


@workflow.defn(name=CHAIN_WORKFLOW, failure_exception_types=[ElcanoError, ValueError])
class ChainWorkflow(ResearchWorkflow):
    """A run of one of `CHAIN_MODES`; the graph in its input says which."""

    code_routed = True

    @workflow.init
    def __init__(self, asked: ResearchInput) -> None:
        super().__init__(asked)
        self._past = deque(self._journal.entries)
        """Entries of earlier executions that are yet to be followed."""
        self._followed = build_run_from_input(asked)
        """The run as the entries that were followed so far make it."""

    @workflow.run
    async def run(self, asked: ResearchInput) -> ResearchResult:
        """Run like a graph: research, report, archive."""
        return await super().run(asked)

    async def _research(self) -> None:
        try:
            await self._way(self._asked.graph.name)
        except ChainEnded:
            return

    async def _way(self, mode: str) -> None:
        match mode:
            case "auto":
                await self._auto()
            case "simple" | "literature_review":
                await self._linear()
            case "iterative" | "section":
                await self._iterative()
            case "magentic":
                await self._magentic()
            case "team":
                await self._team()
            case "hierarchical":
                await self._in_sections("teams", "lead")
            case _:
                await self._in_sections("parallel_loops", "synthesizer")

    async def _auto(self) -> None:
        """Reads the question, chooses the way that fits it, and goes that."""
        await self._visit("input_parser")
        await self._visit("choose")
        match self._place.state.choice.mode:
            case "simple":
                await self._linear("simple_")
            case "literature_review":
                await self._linear("review_")
            case "deep":
                await self._in_sections("parallel_loops", "synthesizer")
            case "hierarchical":
                await self._in_sections("teams", "lead", "hierarchical_")
            case "magentic":
                await self._magentic("magentic_")
            case "data" | "analysis" as mode:
                raise EngineFault(f"{mode} is not written out as a chain, and was not barred from one")
            case _:
                await self._iterative()

    async def _linear(self, prefix: str = "") -> None:
        """Searches every source, judges, searches what the judge would, writes; `prefix` is before its nodes' ids."""
        writer = "synthesize" if f"{prefix}synthesize" in self._asked.graph.by_id else "writer"
        search, judge = f"{prefix}search", f"{prefix}judge"
        await self._visit(search)
        while True:
            await self._visit(judge)
            if self._answer(judge, "recommendation") == "synthesize":
                break
            await self._end_if_stalled(STALLED)
            await self._while_no_iteration_is_left()
            if not self._answer(judge, "next_search_queries"):
                break
            await self._visit(search, loop=True)
        await self._visit(f"{prefix}{writer}")

    async def _iterative(self) -> None:
        """Search, think, find the gap, search for it, judge; round until nothing is missing."""
        await self._visit("first_search")
        planned = any(edge.to_node == "judge" for edge in self._asked.graph.routes_from("first_search"))
        left = self._place.budget.limits.iterations - self._place.budget.iterations
        following = "judge" if planned and self._place.state.criteria and left else "thinking"
        leave = "writer" if "writer" in self._asked.graph.by_id else "hand_over"
        routes = self._asked.graph.routes_from("budget")
        budget_routes = [edge for edge in routes if isinstance(edge, ConditionalEdge)]
        # Graphs of runs that began earlier have no such edges: they judge after all searches.
        skips = any(edge.to_node == leave and not edge.ending for edge in budget_routes)
        await self._visit(following)
        while True:
            if following == "thinking":
                if self._answer("thinking", "research_complete") is None:
                    await self._visit("knowledge_gap")
                if self._turn.complete:
                    break
                if not any(call.pending for call in self._turn.tool_calls):
                    await self._visit("tool_selector")
            if following != "judge":
                await self._visit("execute_tools")
                searched_by_judge = skips and following == "judge_searches" and not self._place.state.guidance
                if searched_by_judge and self._answer("judge", "recommendation") == "synthesize":
                    break
                await self._while_no_iteration_is_left()
                if searched_by_judge and self._stalled:
                    break
                await self._visit("judge")
            if self._answer("judge", "recommendation") == "synthesize":
                if not skips or not self._answer("judge", "searches") or self._stalled:
                    break
            else:
                await self._end_if_stalled(STALLED)
            following = "judge_searches" if self._answer("judge", "searches") else "thinking"
            await self._visit(following, loop=True)
        await self._visit(leave)

    async def _end_if_stalled(self, detail: str, *, to: str = "") -> None:
        if self._stalled:
            await self._end_early("stalled", detail, to=to)

    async def _while_no_iteration_is_left(self, detail: str = "no iteration left", *, to: str = "") -> None:
        while self._place.budget.iterations >= self._place.budget.limits.iterations:
            await self._end_early("iterations", detail, to=to)

    @property
    def _stalled(self) -> bool:
        return has_stalled(self._place.state, self._place.figures)

    @property
    def _turn(self) -> IterationData:
        return self._place.state.conversation[-1]

    async def _team(self) -> None:
        """Search, draft, judge; repeat with the judge's feedback until the draft is good enough."""
        await self._visit("search")
        while True:
            await self._visit("draft")
            await self._visit("judge")
            if self._answer("judge", "sufficient"):
                break
            await self._end_if_stalled(f"its judge was not satisfied, and {STALLED}", to="hand_in")
            await self._while_no_iteration_is_left("its judge was not satisfied by any sub-iteration", to="hand_in")
            await self._visit("select", loop=True)
            if not self._answer("select", "tasks"):
                await self._end_early("stalled", "its judge was not satisfied, and there was nothing left to search")
            await self._visit("search")
        await self._visit("hand_in")

    async def _in_sections(self, fan_out: str, join: str, prefix: str = "") -> None:
        """Search once, plan, research each section in its own chain, join the drafts."""
        for node in ("survey", "planner", "store_plan", fan_out, "collect_drafts", join):
            await self._visit(f"{prefix}{node}")

    async def _magentic(self, prefix: str = "") -> None:
        """Plan, then round by round whose turn it is, until it is the reporter's or nothing helps any more."""
        await self._visit(f"{prefix}task_ledger")
        await self._visit(f"{prefix}progress_ledger")
        while (ledger := self._place.state.ledger or Ledger()).next_speaker != REPORTER:
            limits = self._place.budget.limits
            if ledger.stalls >= limits.stalls:
                if ledger.resets >= limits.resets:
                    await self._end_early("stalled", NO_RESET_LEFT)
                await self._visit(f"{prefix}reset")
                await self._visit(f"{prefix}task_ledger", loop=True)
                await self._visit(f"{prefix}progress_ledger")
                continue
            if f"{prefix}{ledger.next_speaker}" in self._asked.graph.by_id:
                await self._visit(f"{prefix}{ledger.next_speaker}")
            if ledger.next_speaker == "searcher":
                await self._visit(f"{prefix}search")
            await self._visit(f"{prefix}progress_ledger", loop=True)
        await self._visit(f"{prefix}reporter")

    async def _visit(self, node: str, *, loop: bool = False) -> None:
        """Does a node, however long the run has to wait for it.

        Raises:
            Ended: the run left for its exit instead, or this was it.
        """
        done = False
        while not done:
            if self._place.routing:
                self._choose(NodeChosen(at=self._elapsed(), to=node, loop=loop))
            await self._walk()
            if self._place.finished:
                raise ChainEnded
            done = self._place.node == node  # else the way there had to wait for more budget, and is taken now

    async def _end_early(self, kind: EndKind, detail: str, *, to: str = "") -> None:
        """Leaves for the exit `to`, or the nearest; returns if the run waits for more budget instead and got some.

        Raises:
            Ended: the run is over.
        """
        at, ending = self._elapsed(), Ending(kind=kind, detail=detail)
        if kind == "stalled":  # searches that failed find nothing new, and that is no news
            ending = find_sources_ending(self._place) or ending
        self._choose(NodeChosen(at=at, to=to, ending=ending) if to else Diverted(at=at, ending=ending))
        await self._walk()
        if self._place.finished:
            raise ChainEnded

    def _answer(self, node: str, field: str) -> Json:
        """A field of what a node answered last."""
        output = self._place.state.outputs.get(node)
        return output.get(field) if isinstance(output, dict) else None

    @property
    def _place(self) -> Run:
        """The run as it is at this line of code."""
        return self._followed if self._past else self._journal.run

    async def _walk(self) -> None:
        """Walks as a graph does, after passing everything that is in its log already."""
        while self._past:
            if self._place.choosing and isinstance(self._past[0], NodeChosen | Diverted):
                return
            self._follow()
        await super()._walk()

    def _choose(self, entry: NodeChosen | Diverted) -> None:
        """Writes down the way that the code goes, or finds it in the log."""
        if not self._past:
            self._record(entry)
        elif type(self._past[0]) is type(entry):
            self._follow()
        else:
            raise EngineFault(f"the chain did {self._past[0].kind} here before, and wants {entry.kind} now")

    def _follow(self) -> None:
        self._followed = advance_run(self._asked.graph, self._followed, self._past.popleft())
