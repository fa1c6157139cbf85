"""What the scripted model answers: it depends on the prompt alone, so a call made again is answered as before."""

import re
from typing import Final

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.testing.default_answers import build_plain_answer
from tests.chaos.storm import tables

TOPICS: Final = (
    ("harbour", "The harbour froze in the winter of 1519, and no ship left it before March."),
    ("island", "On the island the crew found water, wood and a bay that no chart had shown."),
    ("voyage", "The voyage took three years; of five ships one came home, with eighteen men."),
    ("mutiny", "The mutiny began on the night of Easter, and three captains had joined it."),
    ("strait", "The strait was found in October, and it took them thirty-eight days to pass it."),
    ("hunger", "Against hunger they ate the leather of the yards, softened for days in the sea."),
    ("spices", "The spices of the last ship paid for the whole fleet and left a profit."),
    ("storm", "A storm drove the smallest ship ashore, and its men walked back for eleven days."),
    ("widow", "The widow of the astronomer was paid his wages twenty years later."),
)
"""What can be searched: a word, and the document that has it."""
TRIALS: Final = (("lime", 3, 40, 11, 42), ("lemon", 2, 38, 9, 37), ("orange", 4, 51, 12, 50))
"""Trials against scurvy: what was given, and how many of how many fell ill with it and without."""
TEAM: Final = {
    2: ("searcher", "judge", "hypothesizer", "searcher"),
    3: ("searcher", "judge", "hypothesizer", "searcher", "searcher", "judge"),
}
"""Who speaks in the rounds of a led run, by its turns; the reporter after them."""
STALLED: Final = {3: (2, 3, 4)}
"""Rounds that the manager says brought nothing, by turns: after three of them it begins again with a new plan."""

_FIGURES: Final = re.compile(r"\((\d+) turns(?:, (\d+) sections)?\)")
_PLACE: Final = re.compile(r"of part (\d+)")
CALL_TOKENS: Final = 3_000
"""What every answer uses beside its text, so that budgets are used up by few of them."""


def documents() -> dict[str, str]:
    """The collection that is searched, by the names of its files."""
    told = {f"{word}.md": f"# The {word}\n\n{text}" for word, text in TOPICS}
    return told | {f"{one[0]}.md": f"# Scurvy and {one[0]}\n\n{_trial(*one)}" for one in TRIALS}


def _trial(fruit: str, ill: int, given: int, without: int, others: int) -> str:
    return f"With {fruit}, {ill} of {given} men had scurvy, and without it {without} of {others} men had scurvy."


def output(task: TaskEnvelope, run: str) -> JsonObject:
    """What the agent that `task` is for answers, of a run that the model is called `run` by.

    Raises:
        ValueError: it is not a prompt of a run of ours.
    """
    match task.kind:
        case "thinking":
            return {"thought": f"Turn {task.iteration}: {len(task.evidence)} passages."}
        case "knowledge_gap":
            complete = task.iteration >= _figures(task.question)[0]
            gap = f"What is missing after turn {task.iteration} of part {_part(task.question)}."
            return {"research_complete": complete, "outstanding_gaps": [] if complete else [gap]}
        case "tool_selector":
            searches: list[Json] = [{"source": task.sources[0].name, "query": word} for word in _words(task)]
            return {"tasks": searches}
        case "progress_ledger":
            return _led(task)
        case "team_judge":
            good = task.iteration >= _figures(task.question)[0]
            return {"sufficient": good, "feedback": "" if good else f"Say more of part {_part(task.question)}."}
        case "analyst":
            return {"measurements": [one for passage in task.evidence for one in _measured(passage)]}
        case "splitter" | "sql_writer" | "sql_repairer" | "data_writer":
            return tables.answer(task, run)
        case "judge":
            again = task.iteration < _figures(task.question)[0]
            return {
                "sufficient": not again,
                "confidence": 0.5,
                "recommendation": "continue" if again else "synthesize",
                "reasoning": "Not yet." if again else "Enough.",
                "next_search_queries": list(_words(task)) if again else [],
            }
        case "input_parser":
            mode = "deep" if _figures(task.question)[1] else "iterative"
            return {"original_query": task.question, "improved_query": task.question, "research_mode": mode}
        case "planner":
            turns, sections = _figures(task.question)
            outline: list[Json] = [
                {"title": f"Part {part}", "key_question": f"What does the log say of part {part}? ({turns} turns)"}
                for part in range(1, sections + 1)
            ]
            return {"report_title": "The log of the voyage", "report_outline": outline}
        case _:
            return build_plain_answer(task)


def tokens(prompt: str, answered: str) -> tuple[int, int]:
    """What an answer uses: input and output."""
    return CALL_TOKENS + len(prompt) // 4, len(answered) // 4


def _led(task: TaskEnvelope) -> JsonObject:
    """A turn of the manager: no instruction is given twice, for that would count as a stall."""
    turns, _ = _figures(task.question)
    speaker = dict(enumerate(TEAM[turns], start=1)).get(task.iteration, "reporter")
    said: JsonObject = {
        "request_satisfied": speaker == "reporter",
        "in_loop": False,
        "progress": task.iteration not in STALLED.get(turns, ()),
        "next_speaker": speaker,
        "instruction": f"Do what is to be done in round {task.iteration}.",
    }
    return {name: {"answer": answer, "reason": f"Round {task.iteration}."} for name, answer in said.items()}


def _measured(passage: EvidenceItem) -> list[Json]:
    """The trial that a passage tells of, if it tells of one."""
    measured: list[Json] = []
    for fruit, ill, given, without, others in TRIALS:
        quote = _trial(fruit, ill, given, without, others)
        if quote in passage.text:
            first: JsonObject = {"name": "fruit", "events": ill, "size": given}
            second: JsonObject = {"name": "no fruit", "events": without, "size": others}
            told: JsonObject = {"evidence": passage.key, "outcome": "scurvy", "reports": "counts", "quote": quote}
            measured.append({**told, "first": first, "second": second})
    return measured


def _figures(question: str) -> tuple[int, int]:
    found = _FIGURES.search(question)
    if found is None:
        raise ValueError(f"no question of ours: {question!r}")
    return int(found[1]), int(found[2] or 0)


def _part(question: str) -> int:
    found = _PLACE.search(question)
    return int(found[1]) if found else 0


def _words(task: TaskEnvelope) -> tuple[str, str]:
    """Two words, others in each turn and each part."""
    first = 2 * (task.iteration - 1) + 3 * _part(task.question)
    return TOPICS[first % len(TOPICS)][0], TOPICS[(first + 1) % len(TOPICS)][0]
