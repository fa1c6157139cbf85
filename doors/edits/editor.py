"""The editor agent: a finished report, changed as the asker said; and the graph that calls it.

What is asked for decides length, readers, form and language, and is no evidence: the new report is checked statement by
statement as any other. The graph names the stored draft and report, so a run can start from any report that there is.
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
"""The name of the graph, which is the mode of its runs."""


class EditorInput(AgentInput):
    """The report to change, and the passages that it may cite."""

    instructions: str = ""
    """Requested changes, in the asker's words."""
    draft: str = ""
    """Artifact hash of its draft."""
    report: str = ""
    """Artifact hash of the report that was made of it."""
    evidence: tuple[str, ...] = ()
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


def list_needs(given: EditorInput) -> Needs:
    """The report, and the passages that may be cited besides those that it cites."""
    return Needs(evidence=given.evidence, more={"draft": given.draft, "report": given.report})


def build_task(given: EditorInput, loaded: Loaded) -> TaskEnvelope:
    """The change asked for, and the passages; its writer adds the report. Earlier questions do not matter to it."""
    return loaded.envelope("editor", given).model_copy(update={"instructions": given.instructions, "history": ()})


def describe_start(given: JsonObject) -> str:
    """Describe the material of the editor."""
    return f"changing the report, with {format_count(len(ensure_list(given.get('evidence'))), 'passage')} at hand"


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
    writer="elcano.doors.edits.report_editing:write_changed_report",
    loader="elcano.doors.edits.report_editing:load_report",
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
                **name_report(draft, report),
                "instructions": "instructions",
                "evidence": NEW_EVIDENCE,
            },
        )
        .set_entry_node("editor")
        .set_exit_nodes("editor")
        .build()
    )


def name_report(draft: str, report: str) -> Inputs:
    """The inputs of the agents that change a report: what was asked, and the hashes of both."""
    return {**ASKED, "review": "review", "draft": f'`"{draft}"`', "report": f'`"{report}"`'}
