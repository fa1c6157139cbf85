"""Runs as large as they may be, written into a store without being made: walked in memory by the real engine.

Answers have the sizes of real ones. What a worker does at the end of a run is done by its own activities, so that the
API and the page find all that a run leaves: record, events, log, report and passages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, cycle, islice
from typing import Final

from temporalio.testing import ActivityEnvironment

from benchmarks.scripted import Scripted
from benchmarks.server import chain_of_noops
from elcano.activities.report.publishing import MEDIA_TYPE, ReportActivities
from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
from elcano.graphs.contracts import AgentCall, ToolCall
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.entries import Call, CallAgent, CallTool, Entry, StepCompleted
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchiveCall
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import MOST_SECONDS, MOST_TOKENS, Limits
from elcano.graphs.state.state import ReportRef
from elcano.graphs.tenants import DEFAULT_TENANT
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import Store

BEGAN: Final = 1_790_000_000.0
"""Seconds since the epoch at which every run begins; its clock goes on by one at each look."""
QUESTION: Final = "How do its parts belong together?"
MOST_STEPS: Final = 2_000
MOST_ITERATIONS: Final = 50
CITED: Final = 200
"""Passages that the report cites."""
CLAIMS_A_SECTION: Final = 20
QUOTE: Final = "What was found in it speaks to the first part of the question but leaves open how it goes on."
_SENTENCE: Final = f"{QUOTE} "


@dataclass(frozen=True)
class Sizes:
    """How large they are."""

    steps: int
    sections: int
    iterations: int
    """Of each section; an iteration has some eight events."""
    claims: int
    """Of the report; a thousand have a megabyte."""


class LargeRuns:
    """Writes runs into a store."""

    def __init__(self, store: Store, sizes: Sizes) -> None:
        self._activities = ReportActivities(store)
        self._store = store.of(DEFAULT_TENANT)
        self._sizes = sizes
        self._scripted = Scripted(iterations=MOST_ITERATIONS, sections=sizes.sections)

    async def write_steps(self) -> str:
        """Write a run of many steps, whose graph has a node for each; its id."""
        asked = _build_request("steps", chain_of_noops(self._sizes.steps), iterations=1)
        journal = await self._walk(asked)
        await self._archive(asked, journal, None)
        return asked.run_id

    async def write_sections(self) -> str:
        """Write a deep run of many sections with many events and a long report; its id."""
        asked = _build_request("sections", MODES["deep"], iterations=1, sections=self._sizes.sections)
        branches: list[ResearchInput] = []
        journal = await self._walk(asked, branches)
        await self._add_passages(asked.run_id, journal)
        published = await ActivityEnvironment().run(
            self._activities.publish_report, finish.publish_call(asked, journal)
        )
        await self._archive(asked, journal, published)
        limits = branches[0].limits.model_copy(update={"iterations": self._sizes.iterations, "tokens": MOST_TOKENS})
        longest = branches[0].model_copy(update={"limits": limits})
        walked = await self._walk(longest)
        for branch in branches:
            assert branch.branch_of is not None
            place = {"path": branch.branch_of.path, "section": branch.branch_of.section}
            told = tuple(event.model_copy(update=place) for event in walked.events)
            as_walked = longest.model_copy(update={"run_id": branch.run_id, "branch_of": branch.branch_of})
            pages = walked.pages.model_copy(update={"events": told})
            await self._archive(as_walked, Journal(branch.graph, pages), None)
        return asked.run_id

    async def _walk(self, asked: ResearchInput, branches: list[ResearchInput] | None = None) -> Journal:
        """The journal of a run that was walked to its end; its `branches` are noted."""
        clock = count(BEGAN)

        async def perform(work: Call, at: float) -> Entry:
            output = await (self._ask(asked, work) if isinstance(work, CallAgent) else self._use(asked, work))
            return StepCompleted(step=work.step, node=work.node, at=at, output=output)

        def note(walked: ResearchInput, journal: Journal) -> None:
            if branches is not None and walked.branch_of is not None:
                branches.append(walked)

        return await run_in_memory(asked, perform, clock=lambda: next(clock), watch=note)

    async def _ask(self, asked: ResearchInput, work: CallAgent) -> JsonObject:
        call = AgentCall(run_id=asked.run_id, step=work.step, node=work.node, agent=work.agent, input=work.input)
        answer = (await self._scripted.ask(call)).output
        evidence = work.input.get("evidence")
        if "artifact" in answer and isinstance(evidence, list):
            answer |= {"artifact": await self._write_draft(asked.run_id, [str(one) for one in evidence[:CITED]])}
        return answer

    async def _use(self, asked: ResearchInput, work: CallTool) -> JsonObject:
        found = []
        for item, given in enumerate(work.inputs):
            call = ToolCall(run_id=asked.run_id, step=work.step, node=work.node, tool=work.tool, item=item, input=given)
            output: JsonObject = {} if work.tool == "noop" else (await self._scripted.use(call)).output
            found.append(ItemOutcome(index=item, input=given, output=output))
        return ItemOutcomes(items=tuple(found)).model_dump(mode="json") if work.for_each else found[0].output or {}

    async def _write_draft(self, run_id: str, cited: Sequence[str]) -> str:
        claims = [
            Claim(
                text=f"{_SENTENCE * 9}It is claim {number}. [a]",
                citations=(Citation(evidence=one, quote=QUOTE, mark="a"),),
            )
            for number, one in enumerate(islice(cycle(cited), self._sizes.claims))
        ]
        sections = [
            DraftSection(heading=f"Part {first}", claims=tuple(claims[first : first + CLAIMS_A_SECTION]))
            for first in range(0, len(claims), CLAIMS_A_SECTION)
        ]
        draft = ReportDraft(title="A long report", sections=tuple(sections))
        return await self._store.artifacts.put(run_id, draft.model_dump_json(), MEDIA_TYPE)

    async def _add_passages(self, run_id: str, journal: Journal) -> None:
        evidence, texts = [], []
        for ref in journal.run.state.evidence:
            text = f"{ref.id}: {_SENTENCE * 15}"
            key = sha256(text.encode()).hexdigest()
            shared = ref.model_dump(include={"id", "source", "document", "title", "locator"})
            evidence.append(Evidence(content_hash=key, text=text, start=0, end=len(text), retrieved_at=BEGAN, **shared))
            texts.append(StoredText(content_hash=key, document=ref.document, title=ref.title, text=text))
        await self._store.evidence.add(run_id, evidence, texts)

    async def _archive(self, asked: ResearchInput, journal: Journal, report: ReportRef | None) -> None:
        status = finish.status_of(journal, None, report, cancelled=False)
        now = journal.started_at + journal.run.budget.elapsed
        last = journal.event(finish.last_event(status, journal.run, None, report), now)
        run = finish.build_archived_run(asked, journal, status, None, report, now, "graph", "written")
        call = ArchiveCall(run=run, events=(*journal.events, last), log=finish.build_run_log(asked, journal))
        await ActivityEnvironment().run(self._activities.archive_run, call)


def _build_request(name: str, graph: ResearchGraph, *, iterations: int, sections: int = 8) -> ResearchInput:
    return ResearchInput(
        run_id=f"default-{name}",
        question=QUESTION,
        mode=graph.name,
        graph=graph,
        limits=Limits(
            tokens=MOST_TOKENS, seconds=MOST_SECONDS, steps=MOST_STEPS, iterations=iterations, sections=sections
        ),
        sources=("library",),
    )
