"""What a report costs in prompt tokens, with a model that answers by a script: by agent, by part of the prompt, cached.

    python -m benchmarks.quality price FOLDER [--question ID ...]

FOLDER as for `scholarqa`. Each question is researched in `iterative` (two rounds) and in `deep` (three sections) by a
script whose answers are as long as a model's; one statement of each draft is doubted, and the judge finds one in three
new passages off topic. It is measured with a judge that calls the searches of the second round the last ones, and with
one that judges what they find. Tokens are a quarter of characters. Next to each run stands what one plain call would be
sent: the writer's prompt with every passage that the run found. `prefix` is the share of a prompt that an earlier call
of the same agent in the same run began with, letter by letter, which providers read from their cache; first calls of an
agent have none. `in long ones` counts beginnings of 1,024 tokens and more alone: providers keep no shorter ones.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Final

from benchmarks.quality.prompt_sizes import PromptSizes
from benchmarks.quality.scholarqa import ExpertQuestion, open_library, pool_passages, read_rows
from elcano.activities.agents.prompt_parts import shorten_schema
from elcano.activities.agents.prompt_passages import fit_passages_to_tokens
from elcano.graphs.agents.envelope import EvidenceItem, Loaded, TaskEnvelope, render_task_prompt
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.tenants import DEFAULT_TENANT
from elcano.graphs.text import ensure_list
from elcano.storage.evidence import Evidence
from elcano.storage.store import open_store
from elcano.subjects.research.agents.loop_context import WriterInput
from elcano.subjects.research.agents.writer import AGENT as WRITER
from elcano.testing.model import ScriptedModel
from elcano.testing.research import run_research
from elcano.text.words import sentence_ends

ROUNDS: Final = 2
SECTIONS: Final = 3
LIMITS: Final = {"iterations": 3, "sections": SECTIONS, "tokens": 400_000}
QUESTIONS: Final = ("multi-002", "multi-030", "multi-062", "multi-082")
"""One of each field; those of `docs/quality.md` are others."""


@dataclass(frozen=True)
class Player:
    """Answers of the length that models write, from the passages shown."""

    judges_again: bool
    """Whether its judge wants to see what the searches of the second round find; otherwise it calls them the last."""

    def model(self) -> ScriptedModel:
        """The model that gives them."""
        return ScriptedModel(default=self.answer)

    def answer(self, task: TaskEnvelope) -> JsonObject:
        """The answer to `task`.

        Raises:
            LookupError: it is the task of an agent that is not known here.
        """
        keys: list[Json] = [item.key for item in task.evidence]
        match task.kind:
            case "thinking":
                return self._think(task, keys)
            case "judge":
                return self._judge(task, keys)
            case "planner":
                return self._plan(task, keys)
            case "writer":
                return self._write(task)
            case "long_writer_section":
                text, citations = self._statements(task.evidence)
                return {"text": text, "citations": citations}
            case "long_writer_summary":
                return self._summarize(task)
            case "reviewer":
                return self._review(task)
            case "reviser":
                return {"blocks": []}
        raise LookupError(f"nothing is scripted for the agent {task.kind!r}")

    def _think(self, task: TaskEnvelope, keys: list[Json]) -> JsonObject:
        words = task.question.split()
        turn = task.iteration
        return {
            "thought": f"{_prose(70)} {' '.join(map(str, keys[:3]))}",
            "research_complete": False,
            "outstanding_gaps": [f"{_prose(10)} {turn}", f"{_prose(9)} {turn + 1}"],
            "tasks": [
                {"source": "papers", "query": " ".join(words[place : place + 8]) + f" part {turn}", "closes": number}
                for number, place in enumerate((turn, turn + 3), start=1)
            ],
            "criteria": []
            if task.criteria
            else ["names the approaches", "says how well each works", "says the limits"],
        }

    def _judge(self, task: TaskEnvelope, keys: list[Json]) -> JsonObject:
        enough, words = task.iteration >= ROUNDS, task.question.split()
        met: list[Json] = [
            {"number": one.number, "met": enough or one.number == 1, "evidence": keys[:2]} for one in task.criteria
        ]
        return {
            "sufficient": enough,
            "confidence": 0.7,
            "coverage": 0.7,
            "recommendation": "synthesize" if enough or not self.judges_again else "continue",
            "missing": [] if enough else [_prose(6)],
            "next_search_queries": []
            if enough
            else [" ".join(words[place : place + 8]) + " judged" for place in (2, 5)],
            "reasoning": _prose(60),
            "beside": keys[-(task.new_evidence or 0) :][1::3],
            "criteria": met,
        }

    def _plan(self, task: TaskEnvelope, keys: list[Json]) -> JsonObject:
        third = max(1, len(keys) // SECTIONS)
        outline: list[Json] = [
            {
                "title": f"Part {number + 1}",
                "key_question": f"{' '.join(task.question.split()[:20])}: part {number + 1}?",
                "criteria": ["names the approaches", "says how well each works"],
                "evidence": [*keys[number * third : (number + 1) * third]],
            }
            for number in range(SECTIONS)
        ]
        return {"report_title": _prose(8), "background_context": _prose(30), "report_outline": outline}

    def _write(self, task: TaskEnvelope) -> JsonObject:
        text, citations = self._statements(task.evidence)
        half = text.count("\n\n") // 2
        blocks = text.split("\n\n")
        return {
            "title": _prose(8),
            "introduction": blocks[0],
            "sections": [
                {"heading": "What was found", "text": "\n\n".join(blocks[1 : half + 1])},
                {"heading": "What limits it", "text": "\n\n".join(blocks[half + 1 :])},
            ],
            "limitations": [_prose(20)],
            "citations": citations,
        }

    def _statements(self, evidence: Sequence[EvidenceItem]) -> tuple[str, list[Json]]:
        """Paragraphs of two statements, each a sentence of a passage; in one a figure is another."""
        said, citations = list[str](), list[Json]()
        for number, item in enumerate([one for one in evidence if one.text][:14]):
            texts = item.text.split("[…]")  # of a digest
            sentences = [one.strip() for text in texts for one in _split_sentences(text) if 60 < len(one.strip()) < 300]
            if not sentences:
                continue
            mark = f"m{number}"
            wrong = " in 98765 cases" if number == 1 else ""
            said.append(f"{sentences[0].rstrip('.')}{wrong} [{mark}].")
            citations.append({"mark": mark, "evidence": item.key, "quote": sentences[0]})
        return "\n\n".join(" ".join(said[place : place + 2]) for place in range(0, len(said), 2)), citations

    def _summarize(self, task: TaskEnvelope) -> JsonObject:
        said = [claim.text.partition("].")[0] for section in task.written for claim in section.claims[:1]]
        return {"introduction": " ".join(f"{one}]." for one in said), "limitations": [_prose(20)]}

    def _review(self, task: TaskEnvelope) -> JsonObject:
        shown = [one for one in ensure_list(task.given.get("statements")) if isinstance(one, dict)]
        return {"verdicts": [{"id": one.get("id"), "support": "supported"} for one in shown]}


def _split_sentences(text: str) -> list[str]:
    return [text[begin:end] for begin, end in pairwise([0, *sentence_ends(text, "en")])]


def _prose(words: int) -> str:
    said = (
        "the",
        "passages",
        "found",
        "so",
        "far",
        "speak",
        "to",
        "one",
        "part",
        "of",
        "this",
        "question",
        "not",
        "all",
    )
    return " ".join(said[place % len(said)] for place in range(words))


async def measure(folder: Path, chosen: Sequence[str]) -> None:
    """Prints the price of each question in both modes, and their mean."""
    documents, questions = pool_passages(read_rows(folder / "expert_answers.jsonl"))
    asked = [one for one in questions if one.id in chosen]
    with tempfile.TemporaryDirectory() as work:
        for mode, player in product(("iterative", "deep"), (Player(judges_again=False), Player(judges_again=True))):
            name = f"{mode}, judged again" if player.judges_again else mode
            folder_of_runs = Path(work) / name
            folder_of_runs.mkdir()
            sizes = [await _price_run(one, documents, folder_of_runs, mode, player) for one in asked]
            PromptSizes.sum(sizes).print(name)


async def _price_run(
    one: ExpertQuestion, documents: dict[str, str], work: Path, mode: str, player: Player
) -> PromptSizes:
    sizes = PromptSizes()
    store = work / one.id
    async with open_library(documents, work) as source:
        _, journal = await run_research(
            one.question,
            folder=store,
            sources=(source,),
            model=player.model(),
            within=sizes.within,
            mode=mode,
            review=True,
            limits=default_limits(MODES[mode]).model_copy(update=LIMITS),
        )
    async with open_store(store) as opened:
        ids = [ref.id for ref in journal.run.state.evidence]
        passages = await opened.of(DEFAULT_TENANT).evidence.get(ids)
    sizes.plain = sum(map(len, _render_plain_call(one.question, passages))) // CHARACTERS_PER_TOKEN
    print(f"{work.name} {one.id} {sizes.describe()}, {len(passages)} passages", flush=True)
    return sizes


def _render_plain_call(question: str, passages: Sequence[Evidence]) -> tuple[str, str, str]:
    """Schema, instructions and prompt of the writer, shown all passages."""
    shown = Loaded(shown=fit_passages_to_tokens(passages, (), 1_000_000, places=False), today="2026-01-01")
    task = WRITER.asks.shown(WriterInput(question=question), shown)
    schema = json.dumps(shorten_schema(WRITER.asks.answer.model_json_schema()))
    return schema, WRITER.asks.instructions_for(task), render_task_prompt(WRITER.asks.request, task)


def main(argv: Sequence[str]) -> None:
    """The program."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality price",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--question", nargs="*", default=QUESTIONS, metavar="ID", help="only these questions")
    arguments = parser.parse_args(argv)
    asyncio.run(measure(arguments.folder, arguments.question))
