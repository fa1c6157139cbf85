"""What the scripted model answers: it depends on the prompt alone, so a call made again is answered as before."""

import re
from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.testing.answers import plain

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

_FIGURES: Final = re.compile(r"\((\d+) turns(?:, (\d+) sections)?\)")
_PLACE: Final = re.compile(r"of part (\d+)")
CALL_TOKENS: Final = 3_000
"""What every answer uses beside its text, so that budgets are used up by few of them."""


def documents() -> dict[str, str]:
    """The collection that is searched, by the names of its files."""
    return {f"{word}.md": f"# The {word}\n\n{text}" for word, text in TOPICS}


def output(task: TaskEnvelope) -> JsonObject:
    """What the agent that `task` is for answers.

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
            return plain(task)


def tokens(prompt: str, answered: str) -> tuple[int, int]:
    """What an answer uses: input and output."""
    return CALL_TOKENS + len(prompt) // 4, len(answered) // 4


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
