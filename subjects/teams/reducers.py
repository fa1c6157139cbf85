"""The reducers of a led team: what its manager writes down, and what hypotheses leave, folded into the state.

What agents of teams answer is described here, and asked for there. Evidence and turns are kept whatever happens; a
reset takes back nothing but the counting.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.reducers import WARNED_CHARACTERS, ReducerSpec, in_this_iteration, running_iteration
from elcano.graphs.frozen import Frozen
from elcano.graphs.state.plan import CriterionVerdict, apply_verdicts
from elcano.graphs.state.state import ResearchState
from elcano.graphs.state.team import Hypothesis, Ledger, TaskLedger, Turn
from elcano.graphs.text import shorten_text


class TeamAssessment(Frozen):
    """Whether a draft is good enough; if not, the feedback to the team.

    Lenient: what is too long is cut, because feedback that is cut is worth more than another call.
    """

    sufficient: bool = Field(description="True if the draft answers the question and meets every criterion.")
    feedback: str = Field(
        default="", description="To the team: what is missing, wrong or unsupported, and what to do about it."
    )
    missing: tuple[str, ...] = Field(
        default=(), description="One to four short phrases, each something that can be looked up; empty if sufficient."
    )
    next_search_queries: tuple[str, ...] = ()
    criteria: tuple[CriterionVerdict, ...] = Field(default=(), description="One verdict for each criterion.")


class ReasonedRuling(Frozen):
    """Yes or no, and why."""

    answer: bool
    reason: str = ""


class ReasonedName(Frozen):
    """A name or an instruction, and why."""

    answer: str
    reason: str = ""


class ProgressLedger(Frozen):
    """Progress of the research after a turn, and the next participant."""

    request_satisfied: ReasonedRuling = Field(
        description="Whether a report can be written now that answers the question."
    )
    in_loop: ReasonedRuling = Field(description="Whether the team does the same again and again.")
    progress: ReasonedRuling = Field(description="Whether the last turn brought the answer nearer.")
    next_speaker: ReasonedName = Field(description="The name of one of the participants.")
    instruction: ReasonedName = Field(description="What the next participant is to do, complete in itself.")


class Hypotheses(Frozen):
    """Two to four statements, any of which may turn out to be wrong."""

    hypotheses: tuple[Hypothesis, ...] = Field(description="Two to four, the most likely first.")
    unknown: tuple[str, ...] = Field(default=(), description="Leave empty.")
    """Keys of passages that were named and do not exist; set by code."""


ASKED_CHARACTERS: Final = 200
"""Maximum characters of a question, for a reader of the report."""


class NoInput(Frozen):
    """A reducer that needs nothing but the state."""


def record_feedback(state: ResearchState, output: TeamAssessment) -> ResearchState:
    """Record the feedback on a draft and the searches its judge suggests, as `record_judgement` does for passages.

    As long as the judge is not satisfied, its last words are among the warnings: a reader should know what is missing.
    """
    said = f"The judge of “{shorten_text(state.question, ASKED_CHARACTERS)}” was not satisfied: "
    warnings = tuple(text for text in state.warnings if not text.startswith(said))
    if not output.sufficient:
        why = output.feedback or "it did not say what is missing"
        warnings = (*warnings, said + shorten_text(why, WARNED_CHARACTERS))
    known = state.model_copy(update={"criteria": apply_verdicts(state.criteria, output.criteria), "warnings": warnings})
    return in_this_iteration(known, judgement=output.feedback, suggested_queries=output.next_search_queries)


def record_task_ledger(state: ResearchState, output: TaskLedger) -> ResearchState:
    """Record facts and plan; counters and turns are kept."""
    ledger = (state.ledger or Ledger()).model_copy(update={"task": output})
    known = state.model_copy(update={"ledger": ledger})
    return _prepend_thought(known, f"Plan: {' / '.join(output.plan)}") if output.plan else known


def record_progress(state: ResearchState, output: ProgressLedger) -> ResearchState:
    """Notes the turn that the manager gives, and counts it as a stall if it is one."""
    turn = Turn(
        round=state.iteration,
        speaker=output.next_speaker.answer,
        instruction=output.instruction.answer,
        reason=output.next_speaker.reason,
        evidence=len(state.evidence),
        guidance=len(state.guidance),
        sources=state.sources,
    )
    ledger = (state.ledger or Ledger()).add_turn(
        turn,
        satisfied=output.request_satisfied.answer,
        in_loop=output.in_loop.answer,
        progress=output.progress.answer,
    )
    known = in_this_iteration(state.model_copy(update={"ledger": ledger}), gap=output.instruction.answer)
    return _prepend_thought(known, output.progress.reason)


def reset_ledger(state: ResearchState, output: NoInput) -> ResearchState:
    """Begins to count anew, for a new plan."""
    return state.model_copy(update={"ledger": (state.ledger or Ledger()).reset()})


def record_hypotheses(state: ResearchState, output: Hypotheses) -> ResearchState:
    """Keeps the hypotheses in the place of those of before, and what would decide as what to search for next."""
    listed = "; ".join(
        f"({number}) {one.statement} [{len(one.supports)} passages for it, {len(one.contradicts)} against]"
        for number, one in enumerate(output.hypotheses, start=1)
    )
    searches = tuple(dict.fromkeys(query for one in output.hypotheses for query in one.searches))
    warnings = state.warnings
    if output.unknown:
        named = ", ".join(map(repr, output.unknown))
        text = f"A hypothesis named passages that there are not, which are left out: {named}"
        warnings = warnings if text in warnings else (*warnings, text)
    known = state.model_copy(update={"hypotheses": output.hypotheses, "warnings": warnings})
    known = in_this_iteration(known, suggested_queries=searches)
    return _prepend_thought(known, f"Hypotheses: {listed}") if listed else known


def _prepend_thought(state: ResearchState, text: str) -> ResearchState:
    """`text` before what the running iteration thought: what comes first is what later prompts show."""
    if not text:
        return state
    thought = "\n".join(filter(None, (text, running_iteration(state).thought)))
    return in_this_iteration(state, thought=thought)


REDUCERS: Final = (
    ReducerSpec(
        "record_feedback",
        "Keeps what the judge of a team said of its draft.",
        TeamAssessment,
        record_feedback,
    ),
    ReducerSpec(
        "record_task_ledger",
        "Notes what a manager takes to be so, and its plan.",
        TaskLedger,
        record_task_ledger,
    ),
    ReducerSpec(
        "record_progress",
        "Notes whose turn is next, and counts what is a stall.",
        ProgressLedger,
        record_progress,
    ),
    ReducerSpec(
        "reset_ledger",
        "Begins to count stalls anew, for new facts and a new plan; the evidence stays.",
        NoInput,
        reset_ledger,
    ),
    ReducerSpec(
        "record_hypotheses",
        "Keeps the hypotheses, and what would decide between them as what to search next.",
        Hypotheses,
        record_hypotheses,
    ),
)
