"""The long writer agent: section by section with the report so far in view, and the key findings at the end.

It has two tasks, a call for each section and one for what stands above them. It cites by keys, as the writer does.
"""

from typing import Final

from pydantic import Field
from pydantic_ai import Agent

from elcano.activities.agents.drafts import citing, fitting
from elcano.activities.agents.envelope import SectionItem, prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import SynthesisInput
from elcano.graphs.engine.exits import SO_FAR_TOKENS, SUMMARY_TOKENS
from elcano.graphs.frozen import Frozen
from elcano.graphs.values.report import Claim

SECTION: Final = "long_writer_section"
SUMMARY: Final = "long_writer_summary"


class SectionText(Frozen):
    """One section, written."""

    claims: tuple[Claim, ...] = Field(default=(), description="The section, a claim a paragraph, each with citations.")


class Summary(Frozen):
    """What stands above and below the sections."""

    key_findings: tuple[Claim, ...] = Field(
        default=(), max_length=8, description="The answer to the question itself, the most important first."
    )
    limitations: tuple[str, ...] = Field(
        default=(), max_length=40, description="What the sections leave open, in sentences."
    )
    answered: bool = Field(default=True, description="False if the sections do not answer the question.")


CITING = """\
- Every claim keeps its citations: a passage's key and the literal words that support it, copied letter by letter from \
the citations that you were given. Every quote is looked up; one that is not found is shown to the reader as \
unsupported.
- Do not write keys, numbers in brackets or a list of references into the text; these are made from your citations.
- Say nothing that no citation supports, however well known it is, and smooth over no disagreement.
"""

SECTION_INSTRUCTIONS = f"""\
You write one section of a long report. You are given the question of the whole report, this section's draft in \
`sections` (claims with citations) and, in `written`, the report so far.

- Turn the draft into text that reads well: claims of a sentence or a short paragraph of Markdown, in an order that \
leads the reader, each saying one thing. Merge claims that say the same and keep all their citations.
- Answer the section's key question first. Leave out what does not serve it.
- Do not say again what the report says already; build on it. Use the same words for the same things.
{CITING}
Write no heading: it is the section's title. Follow the envelope's `instructions` on length, tone and form where they \
do not conflict with these rules. Write in the language of the question.
"""

SUMMARY_INSTRUCTIONS = f"""\
You finish a long report. Its sections are in `written`, as claims with citations; some may be missing, and say why.

- Key findings answer the question itself in two to six claims, the most important first, from all sections \
together. Where sections bear on each other, say what follows from both and cite both.
- Limitations say, in sentences, what the sections leave open: parts of the question that nothing answers, \
disagreements, weak evidence. Say each thing once. Missing sections are listed elsewhere.
- Set `answered` to false if the sections do not answer the question.
{CITING}
Follow the envelope's `instructions` on length, tone and form where they do not conflict with these rules. Write in \
the language of the question.
"""

section_agent = Agent(name=SECTION, output_type=SectionText, instructions=SECTION_INSTRUCTIONS, retries=2)
summary_agent = Agent(name=SUMMARY, output_type=Summary, instructions=SUMMARY_INSTRUCTIONS, retries=2)


def show_section(given: SynthesisInput, loaded: Loaded, section: SectionItem, written: tuple[SectionItem, ...]) -> str:
    """The user prompt of one section: its draft, and the report so far as far as it fits, its latest parts first."""
    so_far = fitting(written, SO_FAR_TOKENS)
    task = loaded.envelope(SECTION, given).model_copy(
        update={
            "instructions": given.instructions,
            "sections": (section,),
            "written": so_far,
            "evidence": citing((section, *so_far), loaded.drafts.shown.items),
        }
    )
    return prompt("Write the section of the report that is drafted in this task envelope.", task)


def show_summary(
    given: SynthesisInput, loaded: Loaded, written: tuple[SectionItem, ...], tokens: int = SUMMARY_TOKENS
) -> str:
    """The user prompt of the key findings: the finished sections as far as they fit, and those that are missing."""
    whole = fitting(written, tokens)
    task = loaded.envelope(SUMMARY, given).model_copy(
        update={
            "instructions": given.instructions,
            "written": whole,
            "evidence": citing(whole, loaded.drafts.shown.items),
        }
    )
    return prompt("Write the key findings of the report in this task envelope.", task)
