"""The same research as plain code: no edge of a graph decides what comes next.

For migration and as a fallback (`USE_GRAPH_EXECUTION=false`). The nodes are those of the graph, and the engine applies
what comes of them, so a chain has the same log, budget, events, control and end as a run of `ResearchWorkflow`; only
the way from one node to the next is written out here. A chain is not continued as new by itself: its place is a line of
code, which does not travel. One that is taken up comes by what is in its log once more, line by line, to where it was.
"""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import CHAIN_WORKFLOW, ResearchInput, ResearchResult
    from elcano.graphs.engine.entries import Diverted, Entry, Went
    from elcano.graphs.engine.safety import stalled
    from elcano.graphs.errors import ElcanoError, EngineFault
    from elcano.graphs.frozen import Json
    from elcano.graphs.values.endings import EndKind
    from elcano.graphs.values.state import Ending
    from elcano.workflows.research import ResearchWorkflow


class Ended(Exception):
    """The run has gone to its exit and through it, from wherever it was."""


@workflow.defn(name=CHAIN_WORKFLOW, failure_exception_types=[ElcanoError, ValueError])
class ChainWorkflow(ResearchWorkflow):
    """A run of `iterative`, `deep` or `deep_brief`; the graph in its input says which."""

    led = True

    @workflow.init
    def __init__(self, asked: ResearchInput) -> None:
        super().__init__(asked)

    @workflow.run
    async def run(self, asked: ResearchInput) -> ResearchResult:
        """As a graph's run: research, report, archive."""
        return await super().run(asked)

    async def _research(self) -> None:
        try:
            await (self._iterative() if self._asked.graph.name == "iterative" else self._deep())
        except Ended:
            return

    async def _iterative(self) -> None:
        """Search, think, find the gap, search for it, judge; round until nothing is missing."""
        if self._asked.graph.entry_node == "first_search":  # the graphs of older runs begin with thinking
            await self._visit("first_search")
        await self._visit("thinking")
        while True:
            await self._visit("knowledge_gap")
            if self._answer("knowledge_gap", "research_complete"):
                break
            await self._visit("tool_selector")
            await self._visit("execute_tools")
            await self._visit("judge")
            if self._answer("judge", "recommendation") == "synthesize":
                break
            if stalled(self._journal.run.state, self._journal.run.figures):
                await self._end_early("stalled", "nothing new was found twice in a row")
            while self._journal.run.budget.iterations >= self._journal.run.budget.limits.iterations:
                await self._end_early("iterations", "no iteration left")
            await self._visit("thinking", loop=True)
        await self._visit("writer")

    async def _deep(self) -> None:
        """Search once, plan, research each section in a chain of its own, join the drafts."""
        for node in ("survey", "planner", "store_plan", "parallel_loops", "collect_drafts", "synthesizer"):
            await self._visit(node)

    async def _visit(self, node: str, *, loop: bool = False) -> None:
        """Does a node, however long the run has to wait for it.

        Raises:
            Ended: the run left for its exit instead, or this was it.
        """
        done = False
        while not done:
            if self._journal.run.routing:
                self._record(Went(at=self._elapsed(), to=node, loop=loop))
            await self._walk()
            if self._journal.run.finished:
                raise Ended
            done = self._journal.run.node == node  # else the way there had to wait for more budget, and is taken now

    async def _end_early(self, kind: EndKind, detail: str) -> None:
        """Leaves for the exit; returns if the run waits for more budget instead and got some.

        Raises:
            Ended: the run is over.
        """
        self._record(Diverted(at=self._elapsed(), ending=Ending(kind=kind, detail=detail)))
        await self._walk()
        if self._journal.run.finished:
            raise Ended

    def _answer(self, node: str, field: str) -> Json:
        """A field of what a node answered last."""
        output = self._journal.run.state.outputs.get(node)
        return output.get(field) if isinstance(output, dict) else None

    async def _walk(self) -> None:
        """As a graph is walked; of a run that is taken up, first past what is in its log already."""
        journal = self._journal
        while (known := journal.behind) is not None:
            if journal.run.choosing and isinstance(known, Went | Diverted):
                return
            journal.come_by(workflow.time())
        await super()._walk()

    def _record(self, entry: Entry) -> None:
        """Writes an entry down, or comes by it if it is known already."""
        known = self._journal.behind
        if known is None:
            super()._record(entry)
        elif type(known) is type(entry):
            self._journal.come_by(workflow.time())
        else:
            raise EngineFault(f"the chain did {known.kind} here before, and wants {entry.kind} now")

    def _continue_as_new_if_suggested(self) -> None:
        """Never: see above."""
