"""The drafter agent: writes a team's section, and writes it again by what the judge of the team said of it.

It cites as the writer does. Without a draft before and without feedback it is a writer.
"""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import MARKS, WISHES
from elcano.graphs.agents.writing import ReportProse, summarize_draft
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.state import DraftRef
from elcano.subjects.research.agents.loop_context import WriterInput, build_research_task, drafted_before, passages_of


class DrafterInput(WriterInput):
    """The drafter's input, with its previous draft and the feedback on it."""

    draft: str = ""
    """Artifact hash of the draft before this one; empty: it is the first."""
    feedback: str = ""
    """The verdict of the team's judge on that draft."""


INSTRUCTIONS: Final = f"""\
You write one section of a report for the team that researches it, from the passages in `evidence` alone. A judge \
reads it and says what it lacks; others join it with the sections of other teams.

{MARKS}\
- A citation names a passage by its key and quotes the words in it that support what stands before its mark: copied \
letter by letter, one run of words, a sentence or less, nothing added, left out or corrected. Every quote is looked \
up; one that is not found is shown to the reader as unsupported.
- Say only what a passage supports, with its figures, dates and conditions.
- Where passages disagree, say so, cite both, and say which of them you would go by and why.

If `given.feedback` is there, the judge sent your last draft, which is in `sections`, back with it. Write the whole \
section anew: do what the feedback asks as far as the passages allow it, keep what was good with its citations, and \
use the passages that were found since. Where no passage gives what the judge misses, the limitations say so. A quote \
of the last draft whose passage is `not shown` cannot be cited again.

The introduction answers the question itself, at once. Key findings are a list of two to five, the most important \
first; leave them out if the introduction says all of it. Sections, each under a plain heading, give what stands \
behind them. Put the keys of passages worth reading that you did not cite into `related`. The section has what each of \
the envelope's `criteria` asks for, as far as passages give it.

If the passages do not answer the question, set `answered` to false, say in the limitations what is missing, and name \
the nearest passages in `related`. That is a good section; a guess is not.

{WISHES}
"""


def list_needs(given: DrafterInput) -> Needs:
    """All passages that may be cited, and the draft before."""
    return Needs(
        evidence=given.shown,
        conversation=given.conversation,
        sections=drafted_before(given.question, given.draft),
        weighed=given.question,
        searched=given.sources,
    )


def build_task(given: DrafterInput, loaded: Loaded) -> TaskEnvelope:
    """Build the writer's envelope, with the previous draft as far as it fits and the whole feedback."""
    extra: JsonObject = {"feedback": given.feedback} if given.feedback else {}
    return build_research_task("drafter", given, loaded).model_copy(
        update={
            "instructions": given.instructions,
            "form": given.form or "open",
            "sections": loaded.drafts.sections,
            "given": extra,
        }
    )


def describe_start(given: JsonObject) -> str:
    """Describe the material of the drafter, and whether it revises a draft."""
    again = ", by the feedback of the judge" if given.get("feedback") else ""
    return f"writing a section from {passages_of(given)}, sub-iteration {given.get('iteration', 1)}{again}"


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="drafter",
    description="Writes the section of a team, and again by the feedback of its judge.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Write the section for the question in this task envelope.",
        answer=ReportProse,
        shown=build_task,
    ),
    input=DrafterInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=4_000,
    evidence_tokens=24_000,
    manner="report",
    needs=list_needs,
    begins=describe_start,
    summary=summarize_draft,
)
