"""A research by a model that thinks 2,500 tokens unseen in each call, in memory: what tests and the benchmark play.

Its library is as wordy as a real one: every search finds as many passages as a source gives, of a thousand characters
each, and others than the search before it. The judge is content once a loop has gone round `rounds` times.
"""

from collections.abc import Sequence
from pathlib import Path

from elcano.activities.sources.base import SearchResults
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.state.budget import Limits
from elcano.testing import Reply, ScriptedModel, ScriptedSource, run_research
from elcano.testing.default_answers import build_cited_claim, build_plain_answer, generate_prose
from elcano.testing.research import ResearchOutcome

HIDDEN_TOKENS = 2_500
PASSAGE_WORDS = 150
THOUGHT_WORDS = 120


class Library(ScriptedSource):
    """Finds new passages for every query that is new."""

    def __init__(self) -> None:
        super().__init__("library", {})

    async def search(self, query: str, limit: int) -> SearchResults:
        """`limit` passages that nobody found before, or those that this query found."""
        found = {
            f"{query[:60]} {number}": f"{query}. Number {number}. {generate_prose(PASSAGE_WORDS)}"
            for number in range(limit)
        }
        once = ScriptedSource("library", found, answers={query: list(found)})
        self.queries.append(query)
        return await once.search(query, limit)


def reasoning(sections: int, rounds: int, *, hidden: int = HIDDEN_TOKENS) -> ScriptedModel:
    """A model whose plan has so many sections, each of which it wants to go round so often."""

    def answer(task: TaskEnvelope) -> Reply:
        return Reply(output=_output(task, sections, rounds), reasoning_tokens=hidden)

    return ScriptedModel(default=answer, name="reasoning")


def _output(task: TaskEnvelope, sections: int, rounds: int) -> dict[str, object]:
    match task.kind:
        case "planner":
            most = min(sections, task.max_sections or sections)
            outline = [{"title": f"Part {n}", "key_question": f"What of part {n} of the matter?"} for n in range(most)]
            return {"report_title": "The matter", "report_outline": outline}
        case "thinking":
            return {
                "thought": generate_prose(THOUGHT_WORDS),
                "research_complete": False,
                "outstanding_gaps": [f"gap {task.iteration}"],
                "tasks": [{"source": "library", "query": f"{task.question} round {task.iteration}"}],
            }
        case "judge":
            over = task.iteration >= rounds
            return {
                "sufficient": over,
                "confidence": 0.9,
                "recommendation": "synthesize" if over else "continue",
                "reasoning": generate_prose(THOUGHT_WORDS),
                "next_search_queries": [] if over else [f"{task.question} round {task.iteration + 1}"],
            }
        case "writer":
            return {
                "title": task.question,
                "key_findings": [build_cited_claim(passage) for passage in task.evidence[:6]],
            }
        case _:
            return dict(build_plain_answer(task))


async def played(
    folder: Path, mode: str, sections: int, rounds: int, limits: Limits | None = None, *, hidden: int = HIDDEN_TOKENS
) -> ResearchOutcome:
    """The research of `mode` with its default limits, or others."""
    model = reasoning(sections, rounds, hidden=hidden)
    asked = "How does the matter stand?"
    return await run_research(asked, folder=folder, sources=[Library()], model=model, mode=mode, limits=limits)


def searches(outcome: ResearchOutcome) -> Sequence[int]:
    """How often each section was searched."""
    return [len(section.searches) for section in outcome.journal.run.state.sections]
