"""The one revision after a review: the writer corrects the blocks whose quotes do not support them."""

from typing import Final

from pydantic import Field

from elcano.graphs.agents.definition import Question
from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.agents.loaded import AgentInput, Loaded
from elcano.graphs.agents.synthesis_context import MARKS
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.draft import Citation


class DoubtedBlock(Frozen):
    """One block of the draft, with the faults that the review found in it."""

    id: int
    text: str
    citations: tuple[Citation, ...] = ()
    """Their evidence by key."""
    faults: tuple[str, ...] = ()


class ReviserInput(AgentInput):
    """The blocks that are to be mended, and the passages that they cite."""

    blocks: tuple[DoubtedBlock, ...] = ()
    passages: tuple[EvidenceItem, ...] = ()


class RevisedBlock(Frozen):
    """One block, mended."""

    id: int = Field(description="The number of the block.")
    text: str = Field(default="", description="The block in Markdown with marks; empty: it is left out.")
    citations: tuple[Citation, ...] = Field(default=(), description="What the marks of this block stand for.")


class Revision(Frozen):
    """The blocks that were mended; one that is not named stays as it is."""

    blocks: tuple[RevisedBlock, ...] = ()


INSTRUCTIONS: Final = f"""\
Some blocks of a report that you wrote say what the words that they quote do not say. You are given each of them with \
its citations and what was found against it, and the passages that they cite. Mend them: say less, quote the words \
that support it, or leave the sentence out. Change nothing that was not found fault with, and add nothing new. A block \
of which nothing is left has an empty text. Quotes are copied letter by letter from the passages, cited by their keys.

{MARKS}
Write in the language of the block.
"""


def build_task(given: ReviserInput, loaded: Loaded) -> TaskEnvelope:
    """The blocks and the passages."""
    told: JsonObject = {"blocks": [one.model_dump(mode="json", exclude_defaults=True) for one in given.blocks]}
    return loaded.envelope("reviser", given).model_copy(update={"given": told, "evidence": given.passages})


QUESTION: Final = Question(
    instructions=INSTRUCTIONS,
    request="Mend the blocks in this task envelope.",
    answer=Revision,
    shown=build_task,
)
