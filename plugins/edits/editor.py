"""The editor agent: a finished report, changed as the asker said or brought up to date; and the graphs that call it.

What is asked for decides length, readers, form and language, and is no evidence: the new report is checked statement by
statement as any other. The graphs name the stored draft and report, so a run can start from any report that there is.
"""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import CITING, GIVEN_MARKS
from elcano.graphs.agents.writing import ReportProse, summarize_draft
from elcano.graphs.builder import ASKED, NEW_EVIDENCE, GraphBuilder
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.graph import Inputs, ResearchGraph
from elcano.graphs.state.state import DraftRef
from elcano.graphs.text import ensure_list, format_count

EDIT: Final = "edit"
UPDATE: Final = "update"
"""The names of the graphs, which are the modes of their runs."""
SEARCHES: Final = "searches"
LOOKUPS: Final = "lookups"
"""The values that list the searches of an update, and those for what its report cites: `source` and `query` of each."""


class EditorInput(AgentInput):
    """The report to change, and the passages that it may cite."""

    instructions: str = ""
    """What is to change, in the asker's words."""
    draft: str = ""
    """Artifact hash of its draft."""
    report: str = ""
    """Artifact hash of the report that was made of it."""
    evidence: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    """Of an update: ids of the passages that the run before had."""
    found: tuple[str, ...] = ()
    """Of an update: ids of the passages that were found now."""
    looked_up: tuple[str, ...] = ()
    """Of an update: ids of those that were looked up because the report cites them, or what stood in their place."""
    update: bool = False
    """Whether the report is brought up to date; otherwise it is changed as `instructions` say."""
    review: bool = False
    """Whether the reviewer reads what it wrote."""


INSTRUCTIONS: Final = f"""\
You change a finished report as the person wishes who asked for it. `given.report` is the report, in the parts that \
you answer with; a part is a list of blocks with the citations that their marks stand for. A citation without a mark \
supports its whole block. `instructions` say what is to change. `evidence` has passages that the report was written \
from.

- Make the change that `instructions` ask for, in all of the report, and leave everything else as it is: what it says, \
its headings, their order, its title. If they ask for another length, readers, tone, form or language, every part is \
written anew; a part may go, and parts may be joined.
- A statement that stays keeps its citations, in whatever words or language it is said. To shorten, leave out whole \
statements, those first that matter least to the answer; keep figures, conditions and doubts of those that stay.
- What is added, such as a table, a detail or an explanation, comes from the report or from passages in `evidence`, \
and has its marks as everything else. Give each cell of a table that states something its mark. What no passage says \
stays out; where it was asked for, say in the limitations that no passage found says it.
- `instructions` are wishes on the report and no source. If they ask you to say something of the subject, to change a \
figure, or to leave out a doubt or a finding so that the answer becomes another one, do so only as far as passages \
support it, and say in the limitations what was not done.
- `given.report.doubted` are statements that a review found to say more than their quotes: say only what the quotes \
say.
- Keep the limitations that still hold, and `answered` as it is.
- Write in the language that `instructions` ask for; if they name none, in that of the report, whatever the question's \
is. Quotes stay as they are.

{CITING}{GIVEN_MARKS}"""


WISH: Final = """\
Bring the report up to date. `evidence` are passages that were found now and that it was not written from. Where one \
changes, refines or contradicts what the report says, say what holds now; add what they add to the answer, and nothing \
else. `given.report.outdated` are quotes that no longer stand where they were found: write what rests on one of them \
anew from `evidence`, or leave it out and say in the limitations what was withdrawn. Everything else stays word for \
word."""
"""What is asked of the editor for an update."""


def list_needs(given: EditorInput) -> Needs:
    """The report, and the passages that may be cited beside those that it cites; of an update the new ones."""
    more: JsonObject = {"draft": given.draft, "report": given.report}
    if not given.update:
        return Needs(evidence=given.evidence, more=more)
    known, found = set(given.known), dict.fromkeys(given.found)
    new = tuple(id for id in dict.fromkeys((*found, *given.looked_up)) if id not in known)
    ids: JsonObject = {"known": [*given.known], "found": [*found], "looked_up": [*given.looked_up]}
    return Needs(evidence=new, more={**more, **ids})


def build_task(given: EditorInput, loaded: Loaded) -> TaskEnvelope:
    """The change asked for, and the passages; its writer adds the report. Earlier questions do not matter to it."""
    wish = WISH if given.update else given.instructions
    return loaded.envelope("editor", given).model_copy(update={"instructions": wish, "history": ()})


def describe_start(given: JsonObject) -> str:
    """Describe the material of the editor."""
    if given.get("update"):
        return "compares the report with what was found now"
    return f"changes the report, with {format_count(len(ensure_list(given.get('evidence'))), 'passage')} at hand"


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="editor",
    description="Changes a finished report as asked, from its own passages.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Change the report in this task envelope as its `instructions` ask.",
        answer=ReportProse,
        shown=build_task,
    ),
    input=EditorInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=8_000,
    evidence_tokens=48_000,
    manner="own",
    writer="elcano.plugins.edits.report_editing:write_changed_report",
    loader="elcano.plugins.edits.report_editing:load_report",
    needs=list_needs,
    begins=describe_start,
    summary=summarize_draft,
)


def build_edit_graph(draft: str, report: str) -> ResearchGraph:
    """The graph of a run that changes the report `report`, made of `draft`: both are artifact hashes."""
    return (
        GraphBuilder(EDIT, "Change a finished report as asked; nothing is searched.")
        .add_agent_node(
            "editor",
            agent="editor",
            description="The report, changed as asked, every claim with its quote",
            inputs={
                **_name_report(draft, report),
                "instructions": "instructions",
                "evidence": NEW_EVIDENCE,
            },
        )
        .set_entry_node("editor")
        .set_exit_nodes("editor")
        .build()
    )


def build_update_graph(draft: str, report: str, known: int) -> ResearchGraph:
    """The graph of a run that brings a report up to date; its searches are among the `values` of the run.

    Args:
        draft: artifact hash of its draft.
        report: its own.
        known: how many passages the run begins with.
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
            description="What the report cites from collections, as it stands now",
            for_each=f"values.{LOOKUPS}",
            inputs={"source": "item.source", "query": "item.query", "limit": "`1`"},
            reducer="add_looked_up",
        )
        .add_agent_node(
            "editor",
            agent="editor",
            description="The report, changed where what it rests on has changed or something new was found",
            inputs={
                **_name_report(draft, report),
                "update": "`true`",
                "known": f"evidence[:{known}].id",
                "found": "outputs.search.items[].output.evidence[].id",
                "looked_up": "outputs.look_up.items[].output.evidence[].id",
            },
        )
        .connect_nodes("search", "look_up")
        .connect_nodes("look_up", "editor")
        .set_entry_node("search")
        .set_exit_nodes("editor")
        .build()
    )


def _name_report(draft: str, report: str) -> Inputs:
    return {**ASKED, "review": "review", "draft": f'`"{draft}"`', "report": f'`"{report}"`'}
