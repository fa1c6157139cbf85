"""The team judge agent: whether what a team of researchers drafted will do, and what its next attempt has to mend.

It reads the draft beside the passages. What it says goes to the team as feedback, so that it is cut to what fits into
every prompt of the team, and never empty where something that was asked for is known to be missing.
"""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import STATING
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.plan import MOST_CRITERIA
from elcano.graphs.text import ensure_list, shorten_text
from elcano.subjects.research.agents.judge import by_ids
from elcano.subjects.research.agents.loop_context import (
    ResearchContext,
    build_research_task,
    drafted_before,
    passages_of,
)
from elcano.subjects.teams.reducers import TeamAssessment

FEEDBACK_CHARACTERS: Final = 2_000
"""Characters of the message to the team: some three hundred words."""
MISSING_CHARACTERS: Final = 120
MOST_MISSING: Final = 4
"""Together they fit into the `gap` of a search."""
MOST_QUERIES: Final = 5
QUERY_CHARACTERS: Final = 300


class TeamJudgeInput(ResearchContext):
    """The team judge's input, with the team's draft and the judge's previous feedback."""

    draft: str = ""
    """Artifact hash of the team's draft; empty: there is none."""
    feedback: str = ""
    """Its verdict on the previous draft."""
    max_iterations: int = 3
    """Sub-iterations that the team may make."""


INSTRUCTIONS: Final = f"""\
You judge the work of a team that researches one section of a report. Its draft is in `sections`, as claims with the \
words that they quote; the passages that it found are in `evidence`. Your feedback is all that the team learns from \
you: it searches and writes again by it, at most `max_iterations` times in all.

- Criteria: for each of the envelope's `criteria`, by its number, whether the draft meets it by a passage that can be \
quoted, and the keys of those that do. If the envelope has none, say and judge your own. {STATING}
- Sufficient: the draft answers the question, meets every criterion, and says nothing that its quotes do not say. \
Style and length are no reason to send it back, nor is what the passages cannot give however long anybody searches.
- Feedback: what the draft lacks, says wrongly or leaves unsupported, most important first, and for each what the team \
shall do: what to look for, which passage it overlooked (by its key), which claim to mend or drop. Speak to the team, \
plainly, in at most two hundred words. `given.feedback` is what you said the last time: do not repeat what was mended, \
and say it in other words where it was not understood.
- Missing: the aspects that further searching has to find, each a short phrase with the proper names of the subject; \
none if only the text has to be mended.
- Next search queries: for what is missing, one to three of three to eight words as the sought text would use them, \
none that was made already.
"""


def list_needs(given: TeamJudgeInput) -> Needs:
    """The passages that were found, and the draft."""
    return Needs(
        evidence=given.shown,
        conversation=given.conversation,
        sections=drafted_before(given.question, given.draft),
        weighed=given.question,
    )


def build_task(given: TeamJudgeInput, loaded: Loaded) -> TaskEnvelope:
    """Build the envelope: the draft, the passages, the criteria and the previous feedback."""
    new = len(given.conversation[-1].findings) if given.conversation else 0
    extra: JsonObject = {"feedback": given.feedback} if given.feedback else {}
    return build_research_task("team_judge", given, loaded).model_copy(
        update={
            "sections": loaded.drafts.sections,
            "max_iterations": given.max_iterations,
            "new_evidence": new,
            "given": extra,
        }
    )


def resolve_answer(said: TeamAssessment, given: TeamJudgeInput, ids: Mapping[str, str]) -> TeamAssessment:
    """Return the verdict cut to fit, without contradictions, and with passage ids in place of keys.

    A draft suffices only if every criterion that was judged is met. Who is not content and says not why gets the
    criteria that are not met said for him.
    """
    most = len(given.criteria) or MOST_CRITERIA
    verdicts = tuple(by_ids(one, ids) for one in said.criteria if not given.criteria or 1 <= one.number <= most)[:most]
    sufficient = said.sufficient and all(one.met for one in verdicts)
    missing = _clean_lines(said.missing, MISSING_CHARACTERS, MOST_MISSING)
    feedback = shorten_text(said.feedback.strip(), FEEDBACK_CHARACTERS)
    if not sufficient and not feedback:
        said_criteria = {number: one.text for number, one in enumerate(given.criteria, start=1)}
        open_criteria = [said_criteria.get(one.number, one.criterion) for one in verdicts if not one.met]
        feedback = shorten_text("; ".join(filter(None, missing or open_criteria)), FEEDBACK_CHARACTERS)
    return TeamAssessment(
        sufficient=sufficient,
        feedback=feedback,
        missing=() if sufficient else missing,
        next_search_queries=_clean_lines(said.next_search_queries, QUERY_CHARACTERS, MOST_QUERIES),
        criteria=verdicts,
    )


def _clean_lines(texts: tuple[str, ...], characters: int, most: int) -> tuple[str, ...]:
    """Each on one line, once, none empty."""
    lines = (shorten_text(" ".join(text.split()), characters) for text in texts)
    return tuple(dict.fromkeys(filter(None, lines)))[:most]


def describe_start(given: JsonObject) -> str:
    """Which sub-iteration it judges."""
    turn = f"sub-iteration {given.get('iteration', 1)} of at most {given.get('max_iterations')}"
    return f"judging the draft of {turn}, beside {passages_of(given)}"


def summarize_team_assessment(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize whether the draft is good enough, and the feedback to the team."""
    feedback, sufficient = output.get("feedback") or "", bool(output.get("sufficient"))
    text = "The draft will do" if sufficient else "The draft will not do yet"
    data: JsonObject = {name: output.get(name) for name in ("sufficient", "feedback", "missing")}
    if verdicts := ensure_list(output.get("criteria")):
        data["criteria"] = [*verdicts]
    return f"{text}: {feedback}" if feedback else text, data


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="team_judge",
    description="Judges the draft of a team and tells it what to mend.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Judge the draft in this task envelope.",
        answer=TeamAssessment,
        shown=build_task,
    ),
    input=TeamJudgeInput,
    output=TeamAssessment,
    starts="judging",
    completes="judge_complete",
    output_tokens=800,
    evidence_tokens=10_000,
    needs=list_needs,
    settled=resolve_answer,
    begins=describe_start,
    summary=summarize_team_assessment,
)
