"""The manager's view of the research that it leads: its team, the state of its plan and the turns so far.

It is shown neither whole instructions of old nor all turns: the repetition of any of them is seen by code.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.team import FACT_CHARACTERS, MOST_FACTS, REPORTER, Hypothesis, Ledger, Turn
from elcano.graphs.text import shorten_text
from elcano.plugins.research.agents.judge import JudgeAssessment
from elcano.plugins.research.agents.loop_context import ResearchContext, build_research_task

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
    """Who can be told to do something, by name, with what it is there for. One called `reporter` ends the research."""
    sources: tuple[str, ...] = ()
    """Names of the sources that may be searched."""
    hypotheses: tuple[Hypothesis, ...] = ()
    assessment: JudgeAssessment | None = None
    """What the judge said last; null: it has not spoken."""
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
    told: JsonObject = {
        "round": turn.round,
        "speaker": turn.speaker or "nobody",
        "instruction": shorten_text(turn.instruction, TURN_CHARACTERS),
        "passages_then": turn.evidence,
    }
    return {**told, "stall": turn.stall} if turn.stall else told


def _in_short(hypothesis: Hypothesis) -> Json:
    return {
        "statement": hypothesis.statement,
        "supported_by": len(hypothesis.supports),
        "contradicted_by": len(hypothesis.contradicts),
        "searches": [*hypothesis.searches],
    }
