"""The manager's progress ledger: after each turn whether the request is satisfied, and who speaks next.

What it says is checked by code as far as code can know it: that the participant exists, and that the turn is not one
that was made before on the same evidence. Both go back to its model once; whatever is left counts as a stall.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import Field

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.team import INSTRUCTION_CHARACTERS, REASON_CHARACTERS, REPORTER, Ledger, Turn
from elcano.graphs.text import shorten_text
from elcano.plugins.research.agents.loop_context import turn_of
from elcano.plugins.teams.agents.manager_context import LeadingInput, build_manager_task


class ReasonedRuling(Frozen):
    """Yes or no, and why."""

    answer: bool
    reason: str = ""


class ReasonedName(Frozen):
    """A name or an instruction, and why."""

    answer: str
    reason: str = ""


class ProgressLedger(Frozen):
    """How the research stands after a turn, and whose turn is next."""

    request_satisfied: ReasonedRuling = Field(
        description="Whether a report can be written now that answers the question."
    )
    in_loop: ReasonedRuling = Field(description="Whether the team does the same again and again.")
    progress: ReasonedRuling = Field(description="Whether the last turn brought the answer nearer.")
    next_speaker: ReasonedName = Field(description="The name of one of the participants.")
    instruction: ReasonedName = Field(description="What the next participant is to do, complete in itself.")


INSTRUCTIONS: Final = """\
You lead a team that researches a question by the plan in `ledger`. After each turn you say how it stands and who \
speaks next. Each answer comes with its reason in one sentence.

- Request satisfied: true only if passages answer every part of the question that matters; the judge's last word and \
the `criteria` count more than your impression. Nothing that you remember satisfies a request.
- In loop: true if the latest `turns` repeat each other, or a search is made again in other words without bringing \
anything.
- Progress: true if the last turn found passages, decided something or said what to look for next. Before the first \
turn by a plan it is true.
- Next speaker: exactly one name of `participants`, not your own. New passages are for the judge before the reporter \
speaks. Where explanations compete, let the hypothesizer say what would decide between them, and the searcher look \
for that.
- Instruction: one or two sentences that can be followed without seeing anything else: the subject by its name, what \
to find or to decide, and what is known already. Never give a participant the same instruction again while no passage \
came in between: it would do the same.

`iteration` of `max_iterations` tells how many rounds are left; the reporter writes in any case when they are used up. \
If the rest of the plan cannot be done in them, do what matters most.
"""


def list_needs(given: LeadingInput) -> Needs:
    """The sources described; it goes by what the others say of passages."""
    return Needs(offered=given.sources, weighed=given.question, searched=given.sources)


def build_task(given: LeadingInput, loaded: Loaded) -> TaskEnvelope:
    """The plan, the turns so far, what judge and hypothesizer said; no passages."""
    return build_manager_task("progress_ledger", given, loaded)


def find_ledger_faults(said: ProgressLedger, given: LeadingInput, ids: Mapping[str, str]) -> Sequence[str]:
    """What cannot be done as it was said, for its model."""
    if said.request_satisfied.answer or resolve_speaker(said, given) == REPORTER:
        if given.found or (given.ledger or Ledger()).turns:
            return ()
        return ("nothing was searched for yet, so there is nothing to report: let another participant speak first",)
    if not (name := resolve_speaker(said, given)):
        there = ", ".join(given.participants)
        return (f"`next_speaker` is {said.next_speaker.answer[:100]!r}, which is no participant: name one of {there}",)
    if (given.ledger or Ledger()).repeats(turn_given(said, given)):
        return (
            f"{name!r} had this instruction before, and no passage came since: give another one, or let somebody else "
            "speak",
        )
    return ()


def resolve_answer(said: ProgressLedger, given: LeadingInput, ids: Mapping[str, str]) -> ProgressLedger:
    """Cut the answer to its maximum lengths; an unknown speaker becomes empty."""
    instruction = shorten_text(" ".join(said.instruction.answer.split()), INSTRUCTION_CHARACTERS)
    return ProgressLedger(
        request_satisfied=_shorten_ruling(said.request_satisfied),
        in_loop=_shorten_ruling(said.in_loop),
        progress=_shorten_ruling(said.progress),
        next_speaker=ReasonedName(
            answer=resolve_speaker(said, given), reason=_shorten_reason(said.next_speaker.reason)
        ),
        instruction=ReasonedName(answer=instruction, reason=_shorten_reason(said.instruction.reason)),
    )


def resolve_speaker(said: ProgressLedger, given: LeadingInput) -> str:
    """The participant that was named, however its name was written; empty if there is none of that name."""
    named = said.next_speaker.answer.strip().strip("`'\"*. ").casefold()
    return next((name for name in given.participants if name.casefold() == named), "")


def turn_given(said: ProgressLedger, given: LeadingInput) -> Turn:
    """The turn that was said, as the ledger would have it."""
    return Turn(
        round=given.iteration,
        speaker=resolve_speaker(said, given),
        instruction=shorten_text(" ".join(said.instruction.answer.split()), INSTRUCTION_CHARACTERS),
        evidence=given.found,
        guidance=len(given.guidance),
        sources=given.sources,
    )


def summarize_next_turn(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize the next turn: its speaker, its instruction and the reason."""
    said = ProgressLedger.model_validate(output)
    data: JsonObject = {
        "satisfied": said.request_satisfied.answer,
        "in_loop": said.in_loop.answer,
        "progress": said.progress.answer,
        "next_speaker": said.next_speaker.answer,
        "instruction": said.instruction.answer,
        "reason": said.next_speaker.reason,
    }
    if said.request_satisfied.answer:
        return f"The request is satisfied: {said.request_satisfied.reason}", data
    why = f" ({said.next_speaker.reason})" if said.next_speaker.reason else ""
    return f"Next: {said.next_speaker.answer or 'nobody'}: {said.instruction.answer}{why}", data


def _shorten_ruling(ruling: ReasonedRuling) -> ReasonedRuling:
    return ReasonedRuling(answer=ruling.answer, reason=_shorten_reason(ruling.reason))


def _shorten_reason(reason: str) -> str:
    return shorten_text(" ".join(reason.split()), REASON_CHARACTERS)


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="progress_ledger",
    description="Leads a team: says after each turn how it stands, who speaks next and with which instruction.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say how the research in this task envelope stands, and who speaks next.",
        answer=ProgressLedger,
        shown=build_task,
        passages=False,
    ),
    input=LeadingInput,
    output=ProgressLedger,
    starts="judging",
    completes="judging",
    output_tokens=500,
    needs=list_needs,
    faults=find_ledger_faults,
    settled=resolve_answer,
    begins=lambda given: f"how it stands, {turn_of(given)}",
    summary=summarize_next_turn,
)
