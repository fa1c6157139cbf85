"""The manager of a team as its two agents: the task ledger and the progress ledger.

In the task ledger stands what is assumed, what has to be found out, and a plan for the team; in the progress ledger,
after each turn, whether the request is satisfied, and who speaks next. What the latter says is checked by code as far
as code can know it: that the participant exists, and that the turn is not one that was made before on the same
evidence. Both go back to its model once; whatever is left counts as a stall.

The manager is shown its team, the state of its plan and the turns so far, but neither whole instructions of old nor all
turns: the repetition of any of them is seen by code.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.team import (
    FACT_CHARACTERS,
    INSTRUCTION_CHARACTERS,
    MOST_FACTS,
    REASON_CHARACTERS,
    REPORTER,
    Hypothesis,
    Ledger,
    TaskLedger,
    Turn,
)
from elcano.graphs.text import ensure_list, format_count, shorten_text
from elcano.subjects.research.agents.judge import JudgeAssessment
from elcano.subjects.research.agents.loop_context import ResearchContext, build_research_task, needs_of, turn_of
from elcano.subjects.teams.reducers import ProgressLedger, ReasonedName, ReasonedRuling

SHOWN_TURNS: Final = 12
"""The latest."""
TURN_CHARACTERS: Final = 200

TEAM: Final[Mapping[str, str]] = {
    "searcher": "searches the sources for what the instruction asks for; tell it what to find, not which words to use",
    "hypothesizer": "reads the passages and states two to four hypotheses, with what is for and against each",
    "judge": "reads the passages and says whether they suffice, what is missing and what to search for next",
    REPORTER: "writes the report from what was found; its turn ends the research",
}


class LeadingInput(ResearchContext):
    """The input of a manager; it is shown passages only if its definition says so."""

    ledger: Ledger | None = None
    """Null: nothing was planned yet."""
    participants: dict[str, str] = dict(TEAM)
    """Participants by name, each with its purpose. One called `reporter` ends the research."""
    sources: tuple[str, ...] = ()
    """Names of the sources that may be searched."""
    hypotheses: tuple[Hypothesis, ...] = ()
    assessment: JudgeAssessment | None = None
    """The last verdict of the judge; null: there is none yet."""
    found: int = 0
    """Passages that were found so far."""
    max_iterations: int = 10
    """Rounds that there may be."""


def build_manager_task(kind: str, given: LeadingInput, loaded: Loaded) -> TaskEnvelope:
    """The envelope of a manager: the research so far, its ledger, its team."""
    ledger = given.ledger or Ledger()
    turns: list[Json] = [_describe_turn(turn) for turn in ledger.turns[-SHOWN_TURNS:]]
    said: list[Json] = [_in_short(one) for one in given.hypotheses]
    own: JsonObject = {
        "participants": {**given.participants},
        "ledger": ledger.task.model_dump(mode="json", exclude_defaults=True),
        "turns": turns,
        "turns_by_this_plan": len(ledger.since_plan),
        "resets": ledger.resets,
        "passages_found": given.found,
        "hypotheses": said,
        "judge": given.assessment.model_dump(mode="json", exclude={"criteria"}) if given.assessment else None,
    }
    kept = {name: value for name, value in own.items() if value not in (None, [], {})}
    return build_research_task(kind, given, loaded).model_copy(
        update={"given": kept, "sources": loaded.sources, "max_iterations": given.max_iterations}
    )


def clean_facts(texts: Sequence[str]) -> tuple[str, ...]:
    """Facts as they are kept: each on one line, once, none empty, so many at most."""
    cut = (shorten_text(" ".join(text.split()), FACT_CHARACTERS) for text in texts)
    return tuple(dict.fromkeys(filter(None, cut)))[:MOST_FACTS]


def _describe_turn(turn: Turn) -> Json:
    shown: JsonObject = {
        "round": turn.round,
        "speaker": turn.speaker or "nobody",
        "instruction": shorten_text(turn.instruction, TURN_CHARACTERS),
        "passages_then": turn.evidence,
    }
    return {**shown, "stall": turn.stall} if turn.stall else shown


def _in_short(hypothesis: Hypothesis) -> Json:
    return {
        "statement": hypothesis.statement,
        "supported_by": len(hypothesis.supports),
        "contradicted_by": len(hypothesis.contradicts),
        "searches": [*hypothesis.searches],
    }


TASK_INSTRUCTIONS: Final = """\
You lead a team that researches a question. Before it begins, and again whenever it has come to a stand, you write \
down what you go by.

- Given: facts that the question, its background or a passage states. Of a passage name its key.
- To look up: facts that have to be found, each with the source where it probably stands.
- To derive: what has to be concluded or calculated once those are there.
- Guesses: what you think likely from what you remember, each said to be a guess. They are no evidence.
- Plan: the steps in their order, as few as do the work, each with the name of one of `participants` and what it is to \
do. The last step is the reporter's.

If the envelope has a `ledger`, its plan led nowhere: `turns` shows what was tried, and what a round was a stall for. \
Keep the facts that still hold, add what was learnt since, and plan another way: other places to look, other words, \
another part of the question first. Do not plan again what brought nothing.
"""


def resolve_task_ledger(said: TaskLedger, given: LeadingInput, ids: Mapping[str, str]) -> TaskLedger:
    """Cut the ledger to its maximum lengths."""
    return TaskLedger.model_validate({name: clean_facts(texts) for name, texts in said})


def summarize_task_ledger(output: JsonObject) -> tuple[str, JsonObject]:
    """The plan, and how many facts of each kind."""
    facts: JsonObject = {
        name: len(ensure_list(output.get(name))) for name in ("given", "to_look_up", "to_derive", "guesses")
    }
    plan = [str(step) for step in ensure_list(output.get("plan"))]
    return f"Planned in {format_count(len(plan), 'step')}: {' · '.join(plan)}", {**facts, "plan": [*plan]}


TASK_LEDGER: Final[AgentDefinition] = AgentDefinition(
    name="task_ledger",
    description="Leads a team: notes what is given and what has to be found out, and plans.",
    asks=Question(
        instructions=TASK_INSTRUCTIONS,
        request="Write the ledger for the research described in this task envelope.",
        answer=TaskLedger,
        shown=partial(build_manager_task, "task_ledger"),
    ),
    input=LeadingInput,
    output=TaskLedger,
    starts="judging",
    completes="judging",
    output_tokens=900,
    evidence_tokens=4_000,
    needs=lambda given: needs_of(given, offered=given.sources, searched=given.sources),
    settled=resolve_task_ledger,
    begins=lambda given: "noting new facts and a new plan" if given.get("ledger") else "noting the facts and a plan",
    summary=summarize_task_ledger,
)


PROGRESS_INSTRUCTIONS: Final = """\
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


def find_ledger_faults(said: ProgressLedger, given: LeadingInput, ids: Mapping[str, str]) -> Sequence[str]:
    """Faults of a ledger, as messages for the manager's model."""
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


def resolve_progress(said: ProgressLedger, given: LeadingInput, ids: Mapping[str, str]) -> ProgressLedger:
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


PROGRESS_LEDGER: Final[AgentDefinition] = AgentDefinition(
    name="progress_ledger",
    description="Leads a team: says after each turn how it stands, who speaks next and with which instruction.",
    asks=Question(
        instructions=PROGRESS_INSTRUCTIONS,
        request="Say how the research in this task envelope stands, and who speaks next.",
        answer=ProgressLedger,
        shown=partial(build_manager_task, "progress_ledger"),
        passages=False,
    ),
    input=LeadingInput,
    output=ProgressLedger,
    starts="judging",
    completes="judging",
    output_tokens=500,
    # No passages: it goes by what the others say of them.
    needs=lambda given: Needs(offered=given.sources, weighed=given.question, searched=given.sources),
    faults=find_ledger_faults,
    settled=resolve_progress,
    begins=lambda given: f"looking at how it stands, {turn_of(given)}",
    summary=summarize_next_turn,
)
