"""What is loaded for a call before its model is asked, and the part of the envelope that all agents share."""

from typing import Final

from activities.agents.envelope import OfferedSource, PastIteration, PastSearch, TaskEnvelope
from activities.agents.passages import Shown
from graphs.agents import ResearchContext
from graphs.frozen import Frozen
from graphs.state import IterationData

THOUGHT_CHARACTERS: Final = 500
"""How much of an earlier thought or judgement is shown again: the passages matter more."""


class Loaded(Frozen):
    """Passages, sources and word weights."""

    shown: Shown = Shown()
    sources: tuple[OfferedSource, ...] = ()
    term_weights: dict[str, float] = {}

    def envelope(self, kind: str, given: ResearchContext) -> TaskEnvelope:
        """The envelope of agent `kind`, to which it adds the fields of its own."""
        return TaskEnvelope(
            kind=kind,
            question=given.question,
            background=given.background,
            iteration=given.iteration,
            conversation=tuple(_digest(turn) for turn in given.conversation),
            evidence=self.shown.items,
            evidence_left_out=self.shown.left_out,
            term_weights=self.term_weights,
        )


def _digest(turn: IterationData) -> PastIteration:
    return PastIteration(
        number=turn.number,
        thought=_cut(turn.thought),
        gap=_cut(turn.gap),
        searches=tuple(
            PastSearch(
                source=call.source, query=call.query, found=call.found, new=call.new, failed=call.error is not None
            )
            for call in turn.tool_calls
        ),
        judgement=_cut(turn.judgement),
    )


def _cut(text: str) -> str:
    return text if len(text) <= THOUGHT_CHARACTERS else text[: THOUGHT_CHARACTERS - 1] + "…"
