"""What is loaded for a call before its model is asked, and the part of the envelope that all agents share."""

from typing import Final, TypeAlias

from elcano.activities.agents.drafts import Drafts
from elcano.activities.agents.envelope import OfferedSource, PastIteration, PastSearch, TaskEnvelope
from elcano.activities.agents.passages import Shown
from elcano.graphs.catalogue.agents import InputParserInput, PlannerInput, ResearchContext, SynthesisInput
from elcano.graphs.frozen import Frozen
from elcano.graphs.shortening import shortened
from elcano.graphs.values.state import IterationData

AgentInput: TypeAlias = ResearchContext | InputParserInput | PlannerInput | SynthesisInput

THOUGHT_CHARACTERS: Final = 500
"""How much of an earlier thought or judgement is shown again: the passages matter more."""


class Loaded(Frozen):
    """Passages, sources, the drafts of sections and word weights."""

    shown: Shown = Shown()
    sources: tuple[OfferedSource, ...] = ()
    drafts: Drafts = Drafts()
    term_weights: dict[str, float] = {}
    room: int | None = None
    """Tokens that drafts may take in the prompt, so that the answer can be paid for too; None: not limited."""

    def envelope(self, kind: str, given: AgentInput) -> TaskEnvelope:
        """The envelope of agent `kind`, to which it adds the fields of its own."""
        task = TaskEnvelope(
            kind=kind,
            question=given.question,
            background=given.background,
            evidence=self.shown.items,
            evidence_left_out=self.shown.left_out,
            term_weights=self.term_weights,
        )
        if not isinstance(given, ResearchContext):
            return task
        turns = tuple(_digest(turn) for turn in given.conversation)
        return task.model_copy(update={"iteration": given.iteration, "conversation": turns})


def _digest(turn: IterationData) -> PastIteration:
    return PastIteration(
        number=turn.number,
        thought=shortened(turn.thought, THOUGHT_CHARACTERS),
        gap=shortened(turn.gap, THOUGHT_CHARACTERS),
        searches=tuple(
            PastSearch(
                source=call.source, query=call.query, found=call.found, new=call.new, failed=call.error is not None
            )
            for call in turn.tool_calls
        ),
        judgement=shortened(turn.judgement, THOUGHT_CHARACTERS),
    )
