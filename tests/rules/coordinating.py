"""The manager of a team, by rules: search, say what may be so, judge, search for what the judge misses, report.

It weighs nothing up and guesses nothing. Whether there was progress is whether passages came, and the judge's word
decides when the reporter speaks; the ledgers say that rules wrote them.
"""

from typing import Any, Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.team import TaskLedger
from elcano.graphs.text import ensure_list
from elcano.subjects.quoting.passages import in_question_language
from elcano.subjects.quoting.planning import QUERY_CHARACTERS
from elcano.subjects.quoting.question_parts import split_into_parts
from elcano.subjects.teams.reducers import ProgressLedger, ReasonedName, ReasonedRuling

BY_RULE: Final = "By rule, no model thought about it"
JUDGING: Final = "Judge whether the passages suffice"
EXPLAINING: Final = "Say what the passages may answer, and by which of them"


@in_question_language
def plan_team(task: TaskEnvelope) -> TaskLedger:
    """The question's parts to look up, and the one plan that the rules follow."""
    return TaskLedger(
        given=(f"Asked is: {task.question}",),
        to_look_up=split_into_parts(task.question),
        guesses=(f"{BY_RULE}: there are no guesses.",),
        plan=(
            "searcher: search for the question in its own words",
            "hypothesizer: note which part of the question which passages may answer",
            "judge: say whether they suffice and what is missing",
            "searcher: search for what the judge misses, as long as that is something new",
            "reporter: write the report",
        ),
    )


@in_question_language
def lead(task: TaskEnvelope) -> ProgressLedger:
    """Whose turn follows from who spoke last and what came of it."""
    turns = _turns(task)
    last = turns[-1]["speaker"] if turns else ""
    found = _found(task)
    if not turns:
        words, reason = _first_words(task)
        return _said("searcher", words, reason, progress=True)
    if last == "searcher":
        spoke = any(turn["speaker"] == "hypothesizer" for turn in turns)
        brought = _brought(task)
        if found and not spoke:
            return _said("hypothesizer", f"{EXPLAINING}, of {found}", "passages were found", progress=brought)
        return _said("judge", f"{JUDGING}, of {found}", "the last searches are judged", progress=brought)
    if last == "hypothesizer":
        return _said("judge", f"{JUDGING}, of {found}", "the hypotheses are stated", progress=True)
    judged = task.given.get("judge")
    verdict: JsonObject = judged if isinstance(judged, dict) else {}
    queries = [str(query) for query in ensure_list(verdict.get("next_search_queries"))]
    fresh = [query for query in queries if query not in _searched(task)]
    if verdict.get("recommendation") == "synthesize" or not fresh:
        satisfied = verdict.get("sufficient") is True
        reason = str(verdict.get("reasoning") or "nothing is left to search for")
        return _said("reporter", "Write the report", reason, progress=True, satisfied=satisfied)
    return _said("searcher", fresh[0], "the judge misses it", progress=True)


def _first_words(task: TaskEnvelope) -> tuple[str, str]:
    """What a plan begins to search for: the question; after a reset one of its parts that was not searched alone."""
    resets = task.given.get("resets", 0)
    parts = split_into_parts(task.question)
    if isinstance(resets, int) and resets and len(parts) >= resets:
        return parts[resets - 1][:QUERY_CHARACTERS], "after a reset each part is searched for by itself"
    return task.question, "nothing was searched for by this plan"


def _turns(task: TaskEnvelope) -> list[JsonObject]:
    """The turns that were made by this plan."""
    by_plan: Any = task.given.get("turns_by_this_plan", 0)
    turns = [turn for turn in ensure_list(task.given.get("turns")) if isinstance(turn, dict)]
    return turns[-by_plan:] if isinstance(by_plan, int) and by_plan else []


def _found(task: TaskEnvelope) -> int:
    found = task.given.get("passages_found", 0)
    return found if isinstance(found, int) else 0


def _brought(task: TaskEnvelope) -> bool:
    """Whether the latest searches brought anything new."""
    made = [turn.searches for turn in task.conversation if turn.searches]
    return bool(made) and any(search.new for search in made[-1])


def _searched(task: TaskEnvelope) -> set[str]:
    return {search.query for turn in task.conversation for search in turn.searches}


def _said(name: str, instruction: str, reason: str, *, progress: bool, satisfied: bool = False) -> ProgressLedger:
    why = f"{BY_RULE}: {reason}."
    return ProgressLedger(
        request_satisfied=ReasonedRuling(answer=satisfied, reason=why if satisfied else ""),
        in_loop=ReasonedRuling(answer=False),
        progress=ReasonedRuling(answer=progress, reason="" if progress else "The last searches brought nothing new."),
        next_speaker=ReasonedName(answer=name, reason=why),
        instruction=ReasonedName(answer=instruction),
    )
