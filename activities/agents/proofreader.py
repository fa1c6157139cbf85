"""The proofreader agent: the drafts of all sections as one report, in one pass."""

from typing import Final

from pydantic_ai import Agent

from elcano.activities.agents.drafts import citing, fitting
from elcano.activities.agents.envelope import SectionItem, prompt
from elcano.activities.agents.loaded import Loaded
from elcano.activities.agents.long_writer import CITING
from elcano.graphs.catalogue.agents import SynthesisInput
from elcano.graphs.values.report import ReportDraft

DRAFT_TOKENS: Final = 20_000
"""How much of the drafts it is shown."""

INSTRUCTIONS = f"""\
You make one report of the drafts of its sections. They were written side by side, so they repeat each other. You are \
given the question and, in `sections`, each section's claims with their citations; some may be missing, and say why.

- Keep the order of the sections and their titles. Merge sections that turned out to say the same; leave out what does \
not serve the question, and whatever is said a second time. When you merge claims, keep all their citations.
- Key findings answer the question itself in two to six claims, the most important first.
- Limitations say, in sentences, what the sections leave open, each thing once. Missing sections are listed elsewhere: \
write none for them.
{CITING}
Set `answered` to false if the sections do not answer the question. Follow the envelope's `instructions` on length, \
tone and form where they do not conflict with these rules. Write in the language of the question. Leave `related` \
empty and `quoted` false.
"""

agent = Agent(name="proofreader", output_type=ReportDraft, instructions=INSTRUCTIONS, retries=2)


def show(given: SynthesisInput, loaded: Loaded) -> str:
    """The user prompt: all drafts, as far as they fit."""
    sections = _fitting(loaded)
    task = loaded.envelope("proofreader", given).model_copy(
        update={
            "instructions": given.instructions,
            "sections": sections,
            "evidence": citing(sections, loaded.drafts.shown.items),
        }
    )
    return prompt("Make one report of the drafts in this task envelope.", task)


def with_omissions(draft: ReportDraft, loaded: Loaded) -> ReportDraft:
    """`draft`, with a word among its limitations on drafts that were too long to be read."""
    left_out = sum(section.left_out for section in _fitting(loaded))
    if not left_out:
        return draft
    told = f"{left_out} statements of the sections' drafts did not fit into one pass and were left out."
    return draft.model_copy(update={"limitations": (*draft.limitations, told)})


def _fitting(loaded: Loaded) -> tuple[SectionItem, ...]:
    return fitting(loaded.drafts.sections, DRAFT_TOKENS if loaded.room is None else min(DRAFT_TOKENS, loaded.room))
