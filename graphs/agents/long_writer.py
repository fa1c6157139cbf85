"""The long writer agent: section by section with the report so far in view, and the key findings at the end.

It has two tasks, a call for each section and one for what stands above them. It cites by keys, as the writer does.
"""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.drafting import CITING, SynthesisInput, citing, drafted, fitting, needs_of, sections_of
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.loaded import Loaded
from elcano.graphs.agents.prose import SectionText, Summary
from elcano.graphs.frozen import JsonObject
from elcano.graphs.values.report import DraftRef
from elcano.graphs.values.tokens import SO_FAR_TOKENS, SUMMARY_TOKENS

SECTION: Final = "long_writer_section"
SUMMARY: Final = "long_writer_summary"


SECTION_INSTRUCTIONS: Final = f"""\
You write one section of a long report. You are given the question of the whole report, this section's draft in \
`sections` (claims with citations) and, in `written`, the report so far.

- Turn the draft into text that reads well, in an order that leads the reader. Merge what says the same and keep all \
its citations.
- Answer the section's key question first. Leave out what does not serve it.
- Do not say again what the report says already; build on it. Use the same words for the same things.
{CITING}
Write no heading: it is the section's title. Follow the envelope's `instructions` on length, tone and form where they \
do not conflict with these rules. Write in the language of the question.
"""

SUMMARY_INSTRUCTIONS: Final = f"""\
You finish a long report. Its sections are in `written`, as claims with citations; some may be missing, and say why.

- The introduction answers the question itself, at once, from all sections together. Key findings are a list of two \
to six, the most important first. Where sections bear on each other, say what follows from both and cite both. Say \
what is disputed, how strong the evidence is, and conclude.
- Limitations say, in sentences, what the sections leave open: parts of the question that nothing answers, \
disagreements, weak evidence. Say each thing once. Missing sections are listed elsewhere.
- Set `answered` to false if the sections do not answer the question.
{CITING}
Follow the envelope's `instructions` on length, tone and form where they do not conflict with these rules. Write in \
the language of the question.
"""


def shown_section(given: SynthesisInput, loaded: Loaded) -> TaskEnvelope:
    """The draft of one section, and the report so far as far as it fits, its latest parts first."""
    so_far = fitting(loaded.written, SO_FAR_TOKENS)
    return loaded.envelope(SECTION, given).model_copy(
        update={
            "instructions": given.instructions,
            "sections": (loaded.section,),
            "written": so_far,
            "evidence": citing((loaded.section, *so_far), loaded.drafts.shown.items),
        }
    )


def shown_summary(given: SynthesisInput, loaded: Loaded) -> TaskEnvelope:
    """The finished sections as far as they fit, and those that are missing."""
    whole = fitting(loaded.written, SUMMARY_TOKENS if loaded.room is None else min(SUMMARY_TOKENS, loaded.room))
    return loaded.envelope(SUMMARY, given).model_copy(
        update={
            "instructions": given.instructions,
            "written": whole,
            "evidence": citing(whole, loaded.drafts.shown.items),
        }
    )


def begins(given: JsonObject) -> str:
    """How many sections it joins."""
    return f"joins {sections_of(given)}, one after the other"


AGENT: Final = AgentDefinition(
    name="long_writer",
    description="Joins the sections, writing one after the other with the report so far in view.",
    asks=Question(
        instructions=SECTION_INSTRUCTIONS,
        request="Write the section of the report that is drafted in this task envelope.",
        answer=SectionText,
        shown=shown_section,
    ),
    closing=Question(
        instructions=SUMMARY_INSTRUCTIONS,
        request="Write the key findings of the report in this task envelope.",
        answer=Summary,
        shown=shown_summary,
    ),
    input=SynthesisInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=1_500,
    evidence_tokens=24_000,
    manner="by_section",
    needs=needs_of,
    begins=begins,
    summary=drafted,
)
