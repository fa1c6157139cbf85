"""The proofreader agent: makes one report of the drafts of all sections, in one pass."""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Part, Question, has_wishes
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.agents.prompt_texts import CITING, GIVEN_MARKS, WISHES
from elcano.graphs.agents.writing import (
    ReportProse,
    SynthesisInput,
    needs_of,
    sections_of,
    select_cited_passages,
    select_fitting_claims,
    summarize_draft,
)
from elcano.graphs.state.state import DraftRef

DRAFT_TOKENS: Final = 20_000
"""Tokens of the drafts that it is shown."""

INSTRUCTIONS: Final = f"""\
You make one report from the drafts of its sections, which are in `sections` as claims with citations. They were \
written side by side, so they repeat each other; of a section that is missing it is said why.

- Keep the order of the sections and their titles. Merge sections that say the same; leave out what does not serve the \
question, and what is said a second time. When you merge statements, keep all their citations.
- The introduction answers the question at once. Key findings are a list of two to six, the most important first. Say \
what is disputed and how strong the evidence is, and conclude; leave out each of these parts if it would only repeat \
what stands elsewhere.
- Cite only the citations that the claims have: you are not shown the passages themselves.
- Limitations say, in sentences, what the sections leave open, each thing once. Missing sections are listed elsewhere: \
write none for them.
- Set `answered` to false if the sections do not answer the question. Leave `related` empty.

{CITING}{GIVEN_MARKS}"""


def shown_drafts(given: SynthesisInput, loaded: Loaded) -> TaskEnvelope:
    """All drafts, as far as they fit."""
    room = DRAFT_TOKENS if loaded.room is None else min(DRAFT_TOKENS, loaded.room)
    sections = select_fitting_claims(loaded.drafts.sections, room)
    return loaded.envelope("proofreader", given).model_copy(
        update={
            "instructions": given.instructions,
            "form": given.form,
            "sections": sections,
            "evidence": select_cited_passages(sections, loaded.drafts.shown.items),
        }
    )


PROOFREADER: Final[AgentDefinition] = AgentDefinition(
    name="proofreader",
    description="Joins the sections in one pass: merges, removes repetition, summarises.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Make one report of the drafts in this task envelope.",
        answer=ReportProse,
        shown=shown_drafts,
        ranks=False,
        parts=(Part(WISHES, has_wishes),),
    ),
    input=SynthesisInput,
    output=DraftRef,
    starts="synthesizing",
    completes="synthesizing",
    output_tokens=6_000,
    evidence_tokens=24_000,
    manner="joined",
    needs=needs_of,
    begins=lambda given: f"joining {sections_of(given)} in one pass",
    summary=summarize_draft,
)
