"""The updater agent: what of a finished report has changed, and nothing else; and the graph that calls it.

It answers with the blocks that change, so that all others stay word for word, by code, and cost no words again.
"""

from typing import Final

from pydantic import Field

from elcano.doors.edits.editor import name_report
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import CITING
from elcano.graphs.agents.review import RevisedBlock
from elcano.graphs.agents.writing import summarize_draft
from elcano.graphs.builder import GraphBuilder
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.catalogue.reducers import ReducerSpec, with_findings
from elcano.graphs.catalogue.tools import ItemOutcomes, SearchOutput
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.state import DraftRef, ResearchState

UPDATE: Final = "update"
"""The name of the graph, which is the mode of its runs."""
SEARCHES: Final = "searches"
LOOKUPS: Final = "lookups"
"""The values that list the searches of an update, and those for what its report cites: `source` and `query` of each."""


class UpdaterInput(AgentInput):
    """The report to bring up to date, and what its run knew and was found now."""

    draft: str = ""
    """Artifact hash of its draft."""
    report: str = ""
    """Artifact hash of the report that was made of it."""
    known: tuple[str, ...] = ()
    """Ids of the passages that the run before had."""
    evidence: tuple[str, ...] = ()
    """Ids of the passages that were found now."""
    looked_up: tuple[str, ...] = ()
    """Ids of those that were looked up because the report cites them, or what stood in their place."""
    since: float = 0.0
    """When the run before began, in seconds since the epoch: what a collection had by then is not new; 0: unknown."""
    review: bool = False
    """Whether the reviewer reads what it wrote."""


class UpdatedBlock(RevisedBlock):
    """One block of the report that changes, or a new one."""

    added: bool = Field(
        default=False, description="True: this block is new; it is put behind the one with this number, which stays."
    )


class ReportUpdate(Frozen):
    """Changes to a report; blocks that are not named stay word for word."""

    blocks: tuple[UpdatedBlock, ...] = ()
    limitations: tuple[str, ...] = Field(default=(), description="Sentences to add to the limitations.")
    title: str = Field(default="", description="The new title, if the old one no longer holds.")
    answered: bool | None = Field(
        default=None, description="Whether the report answers the question, if that has changed."
    )


INSTRUCTIONS: Final = f"""\
You bring a finished report up to date. `given.parts` has its blocks, each with a number, under the part that they \
stand in. A mark in a block stands for a citation that still holds, unless `outdated` of the block lists it: that \
quote no longer stands where it was found. `evidence` are passages that the report was not written from.

- Answer with what changes: blocks that are replaced, under their numbers, and blocks that are added. If a passage \
changes, refines or contradicts what a block says, the block says what holds now; so does every other block that says \
the same, such as in the introduction. What rests on an outdated quote is written anew from `evidence` or left out, \
and `limitations` say what was withdrawn. A block of which nothing holds has an empty text.
- In a block that is replaced, sentences that still hold are repeated word for word with their marks; these stand for \
the same citations in it, and are not listed again. What you cite anew gets marks that the block does not have.
- What passages add to the answer is a block of its own, behind the one that it belongs to; behind a list it may be a \
list of one item. Leave out what does not matter to the question, and what the report says already.
- Blocks of the part `limitations` are sentences without marks. Replace or empty one that no longer holds.
- Write in the language of the report. If nothing has to change, answer without blocks.

{CITING}"""


def list_needs(given: UpdaterInput) -> Needs:
    """The report, and the passages that may be new."""
    known = set(given.known)
    new = tuple(id for id in dict.fromkeys((*given.evidence, *given.looked_up)) if id not in known)
    more = given.model_dump(mode="json", include={"draft", "report", "known", "evidence", "looked_up", "since"})
    return Needs(evidence=new, more=more)


def build_task(given: UpdaterInput, loaded: Loaded) -> TaskEnvelope:
    """The passages; its writer adds the report. Earlier questions do not matter to it."""
    return loaded.envelope("updater", given).model_copy(update={"history": ()})


def describe_start(given: JsonObject) -> str:
    """Describe the material of the updater."""
    return "comparing the report with what was found now"


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="updater",
    description="Changes of a finished report what has changed in its sources since.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say what changes in the report of this task envelope.",
        answer=ReportUpdate,
        shown=build_task,
    ),
    input=UpdaterInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=4_000,
    evidence_tokens=48_000,
    manner="own",
    writer="elcano.doors.edits.report_updating:write_updated_report",
    loader="elcano.doors.edits.report_updating:load_report_to_update",
    needs=list_needs,
    begins=describe_start,
    summary=summarize_draft,
)


def build_update_graph(draft: str, report: str, known: int, since: float) -> ResearchGraph:
    """The graph of a run that brings a report up to date; its searches are among the `values` of the run.

    Args:
        draft: artifact hash of its draft.
        report: its own.
        known: how many passages the run begins with.
        since: when the run whose report it is began, in seconds since the epoch; 0: unknown.
    """
    return (
        GraphBuilder(UPDATE, "Search again what a report was written from, and bring it up to date.")
        .add_tool_node(
            "search",
            tool="search",
            description="The searches of the run before, again",
            for_each=f"values.{SEARCHES}",
            inputs={"source": "item.source", "query": "item.query"},
            reducer="add_evidence",
        )
        .add_tool_node(
            "look_up",
            tool="search",
            description="The current passages of the documents that the report cites from collections",
            for_each=f"values.{LOOKUPS}",
            inputs={"source": "item.source", "query": "item.query", "limit": "`1`"},
            reducer="add_looked_up",
        )
        .add_agent_node(
            "updater",
            agent="updater",
            description="The report, changed where what it rests on has changed or something new was found",
            inputs={
                **name_report(draft, report),
                "known": f"evidence[:{known}].id",
                "evidence": "outputs.search.items[].output.evidence[].id",
                "looked_up": "outputs.look_up.items[].output.evidence[].id",
                "since": f"`{since}`",
            },
        )
        .connect_nodes("search", "look_up")
        .connect_nodes("look_up", "updater")
        .set_entry_node("search")
        .set_exit_nodes("updater")
        .build()
    )


def add_looked_up(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Add the passages that were found. They answer no question, so they are no searches of the run."""
    found = [SearchOutput.model_validate(item.output) for item in output.items if item.output is not None]
    return with_findings(state.with_evidence(ref for one in found for ref in one.evidence), state)


REDUCERS: Final = (
    ReducerSpec(
        "add_looked_up",
        "Adds cited passages as they stand now.",
        ItemOutcomes,
        add_looked_up,
        item=SearchOutput,
        adds_evidence=True,
    ),
)
