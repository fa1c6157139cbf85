"""What is searched, asked and answered: drawn from a seed, in the sizes that real documents and models have."""

import random
import re
from collections.abc import Iterator, Mapping
from typing import Final

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.testing.default_answers import build_plain_answer, generate_prose

COLLECTION: Final = "library"
DOCUMENTS: Final = 400
PARAGRAPHS: Final = 12
PARAGRAPH_WORDS: Final = 120
"""About 900 characters."""
VOCABULARY: Final = 400
"""Words that are searched for: each stands in hundreds of paragraphs, so a search finds as many passages as it may."""
SEARCHES: Final = 3
"""Of one iteration."""
CITED: Final = 20
"""Passages that a draft cites."""
QUOTED: Final = 240
"""Characters of a quote."""
_SIZES: Final = re.compile(r"\((\d+) turns(?:, (\d+) sections)?\)")
_SYLLABLES: Final = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "xo", "zu")


def list_words(seed: int) -> list[str]:
    """The vocabulary of a seed."""
    drawn = random.Random(f"words/{seed}")
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(drawn.choices(_SYLLABLES, k=4))] = None
    return list(found)


def write_documents(seed: int) -> Iterator[tuple[str, str]]:
    """Every document of a seed: its file's name and its text."""
    words = list_words(seed)
    for number in range(DOCUMENTS):
        drawn = random.Random(f"document/{seed}/{number}")
        paragraphs = (_write_paragraph(drawn, words) for _ in range(PARAGRAPHS))
        yield f"document-{number:03d}.md", f"# Document {number}\n\n" + "\n\n".join(paragraphs)


def _write_paragraph(drawn: random.Random, words: list[str]) -> str:
    text = generate_prose(PARAGRAPH_WORDS).split()
    for place in range(0, PARAGRAPH_WORDS, 6):
        text[place] = drawn.choice(words)
    return " ".join(text)


def ask_question(seed: int, number: int, turns: int, sections: int) -> str:
    """The question of run `number`; it says how many iterations and sections its research has."""
    one, other = random.Random(f"question/{seed}/{number}").sample(list_words(seed), 2)
    parts = f", {sections} sections" if sections else ""
    return f"What is known of {one} and {other}? ({turns} turns{parts})"


def answer_task(task: TaskEnvelope, seed: int) -> JsonObject:
    """What the model answers: it depends on the task alone.

    Raises:
        ValueError: the question is not one of ours.
    """
    turns, sections = _read_sizes(task.question)
    match task.kind:
        case "thinking":
            return {"thought": generate_prose(60)}
        case "knowledge_gap":
            complete = task.iteration >= turns
            return {"research_complete": complete, "outstanding_gaps": [] if complete else [generate_prose(20)]}
        case "tool_selector":
            return {"tasks": [_search(task, seed, place) for place in range(SEARCHES)]}
        case "judge":
            return {
                "sufficient": task.iteration >= turns,
                "confidence": 0.5,
                "recommendation": "continue" if task.iteration < turns else "synthesize",
                "reasoning": generate_prose(45),
            }
        case "planner":
            outline: list[Json] = [
                {"title": f"Part {part}", "key_question": ask_question(seed, part, turns, 0)}
                for part in range(1, sections + 1)
            ]
            return {"report_title": "A plan", "background_context": generate_prose(30), "report_outline": outline}
        case "writer" | "drafter":
            return {"title": "A report", "key_findings": [_cite(one) for one in task.evidence[:CITED]]}
        case "input_parser":
            answer: Mapping[str, Json] = build_plain_answer(task)
            return {**answer, "research_mode": "deep" if sections else "iterative"}
        case _:
            return build_plain_answer(task)


def _search(task: TaskEnvelope, seed: int, place: int) -> JsonObject:
    drawn = random.Random(f"search/{seed}/{task.question}/{task.iteration}/{place}")
    query = " ".join(drawn.sample(list_words(seed), 2))
    return {"source": COLLECTION, "query": query, "gap": generate_prose(15)}


def _cite(passage: EvidenceItem) -> Json:
    return {
        "text": generate_prose(20),
        "citations": [{"evidence": passage.key, "quote": passage.text[:QUOTED].rpartition(" ")[0]}],
    }


def _read_sizes(question: str) -> tuple[int, int]:
    found = _SIZES.search(question)
    if found is None:
        raise ValueError(f"no question of this load: {question!r}")
    return int(found[1]), int(found[2] or 0)
