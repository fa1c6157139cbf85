"""Runs against experts' answers: what they find and cite of the experts' passages, and how well claims are checked.

    python -m benchmarks.quality scholarqa FOLDER [retrieval] [rubrics] [claims] [runs]
        [--model NAME] [--mode MODE] [--sections N] [--iterations N] [--encoder NAME]
        [--question ID ...] [--sample N] [--seed N] [--withhold] [--table]

FOLDER is the development half of ScholarQABench: `expert_answers.jsonl`, `rubrics.jsonl` and `claims.jsonl`. All
passages of all experts are one collection, each a document.

- `retrieval`: recall@20 of the passages that an expert cites, the question searched as it is; beside it that of bm25s
  over the same texts. With `--encoder` also that of `search_related`, as if all of them were passages of one run.
- `rubrics`: what an answer has to say is there if one of its snippets is among the first 20 found, by weight.
- `claims`: true and false claims told apart by the check of support: by code, or by the reviewer with a model.
- `runs`: each question is researched. Recall of the expert's passages among those found and those cited, citations
  that hold, statements that the check calls supported, at the first draft and in the end, and tokens by agent.
  With `--withhold` the passages of the expert are not there: what does a run say that finds no answer?

Without parts it makes the first three with the offline model; `runs` of all questions take long and, with a model,
cost. `--model` takes any name that runs take, with its key in the environment; a model behind a base URL is one with
ELCANO_MODEL_BASE_URL. With `--table` all figures stand at
the end as a table, with tokens, price and time of a run. Beside each rate stands how many of how many it is over.
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from uuid import uuid4

from temporalio.testing import ActivityEnvironment

from benchmarks.quality.asking import LIMIT_BYTES, document_of
from benchmarks.quality.figures import Figures
from benchmarks.quality.rankings import rank_by_bm25s, rank_by_encoder
from benchmarks.quality.spending import Spending, print_spending
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.review import ReviewedStatement, ReviewerInput, ReviewVerdicts
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.contracts import AgentCall
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import OFFLINE, ModelChoice
from elcano.graphs.text import format_count
from elcano.settings import Settings
from elcano.storage.store import open_store
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource
from elcano.testing.research import run_research
from elcano.text.support.missing_facts import Statement
from elcano.text.support.statement_check import judge_statement

PARTS: Final = ("retrieval", "rubrics", "claims", "runs")
DEPTH: Final = 20
BATCH: Final = 20
_MARK: Final = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True)
class ExpertQuestion:
    """A question, and the documents that its expert cites."""

    id: str
    question: str
    cited: frozenset[str]
    own: frozenset[str]
    """All documents that the expert was given, cited or not."""


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def pool_passages(rows: Iterable[dict[str, Any]]) -> tuple[dict[str, str], list[ExpertQuestion]]:
    """All passages as documents by key, each once, and the questions with the documents that experts cite."""
    keys: dict[str, str] = {}
    questions = []
    for row in rows:
        texts = [f"# {' '.join(one['title'].split())}\n\n{one['text']}\n" for one in row["passages"]]
        own = [keys.setdefault(text, f"{len(keys):04}.md") for text in texts]
        marks = {int(found) for found in _MARK.findall(row["answer"])}
        cited = frozenset(own[mark] for mark in marks if mark < len(own))
        questions.append(ExpertQuestion(row["id"], row["question"], cited, frozenset(own)))
    return {key: text for text, key in keys.items()}, [one for one in questions if one.cited]


@asynccontextmanager
async def open_library(documents: dict[str, str], work: Path) -> AsyncIterator[DocumentsSource]:
    """The documents as a source, indexed below `work`."""
    folder = work / f"papers-{uuid4().hex[:6]}"
    folder.mkdir()
    for key, text in documents.items():
        (folder / key).write_text(text, encoding="utf-8")
    spec = build_collection_spec("papers", "Passages of papers.")
    source = DocumentsSource(spec, Folder(folder, LIMIT_BYTES), work / f"{folder.name}.sqlite", clock=lambda: 0.0)
    try:
        yield source
    finally:
        await source.close()


async def search_documents(source: DocumentsSource, question: str) -> list[str]:
    """The first documents, best first; of each several passages may be found."""
    found = await source.search(question, 3 * DEPTH)
    return list(dict.fromkeys(document_of(passage) for passage in found.evidence))[:DEPTH]


async def measure_retrieval(
    folder: Path, work: Path, asked: Sequence[ExpertQuestion], encoder: str, figures: Figures
) -> None:
    """Prints recall@20 of cited passages, by the product and by bm25s in the same run."""
    documents, _ = pool_passages(read_rows(folder / "expert_answers.jsonl"))
    questions = [one.question for one in asked]

    def recall(found: Sequence[Sequence[str]]) -> list[float]:
        return [len(one.cited.intersection(docs)) / len(one.cited) for one, docs in zip(asked, found, strict=True)]

    theirs = recall(rank_by_bm25s(documents, questions, DEPTH))
    async with open_library(documents, work) as source:
        own = recall([await search_documents(source, question) for question in questions])
    figures.add_rates("retrieval", f"recall@{DEPTH} of cited passages", own)
    if encoder:
        ranked = await asyncio.to_thread(rank_by_encoder, documents, questions, encoder, DEPTH)
        figures.add_rates("retrieval", f"recall@{DEPTH}, with the encoder", recall(ranked))
    figures.add_rates("retrieval", f"recall@{DEPTH}, bm25s", theirs)
    share = fmean(own) / fmean(theirs) if any(theirs) else None
    figures.add("retrieval", "share of bm25s", share, f"of {len(documents)} passages")


async def measure_rubrics(folder: Path, work: Path, sample: Sequence[dict[str, Any]], figures: Figures) -> None:
    """Prints how much of what answers have to say is found, by weight."""
    rows = read_rows(folder / "rubrics.jsonl")
    snippets = {text: None for row in rows for item in row["items"] for text in item["evidence"] if text.strip()}
    keys = {text: f"{number:04}.md" for number, text in enumerate(snippets)}
    shares, covered = [], 0
    async with open_library({key: text for text, key in keys.items()}, work) as source:
        for row in sample:
            found = set(await search_documents(source, row["question"]))
            items = [(item["weight"], [keys[one] for one in item["evidence"] if one in keys]) for item in row["items"]]
            told = [(weight, bool(found.intersection(one))) for weight, one in items if one]
            covered += bool(told)
            if told:
                shares.append(sum(weight for weight, held in told if held) / sum(weight for weight, _ in told))
    figures.add_rates("rubrics", f"key ingredients among the first {DEPTH}", shares, of=len(sample))


async def measure_claims(folder: Path, work: Path, model: str, spending: Spending, figures: Figures) -> None:
    """Prints how well true and false claims are told apart."""
    rows = read_rows(folder / "claims.jsonl")
    supported = _check_claims(rows) if model == OFFLINE else await _review_claims(rows, work, model, spending, figures)
    read = [(row["label"] == "true", held) for row, held in zip(rows, supported, strict=True) if held is not None]
    true = [held for label, held in read if label]
    false = [not held for label, held in read if not label]
    if true and false:
        figures.add_rates(
            "claims", "true claims called supported", true, of=sum(row["label"] == "true" for row in rows)
        )
        figures.add_rates("claims", "false claims doubted", false, of=sum(row["label"] != "true" for row in rows))
        balanced = (fmean(true) + fmean(false)) / 2
        figures.add("claims", "balanced accuracy", balanced, f"of {len(read)} read of {len(rows)}")


def _check_claims(rows: Sequence[dict[str, Any]]) -> list[bool | None]:
    checked = (
        Statement(
            row["claim"], tuple(one["text"] for one in row["passages"]), tuple(one["title"] for one in row["passages"])
        )
        for row in rows
    )
    return [judge_statement(one).support not in ("partly", "not_supported") for one in checked]


async def _review_claims(
    rows: Sequence[dict[str, Any]], work: Path, model: str, spending: Spending, figures: Figures
) -> list[bool | None]:
    """Each claim read by the reviewer against its passages; None: it gave no verdict."""
    verdicts: dict[int, bool] = {}
    settings = Settings(_env_file=None, data_dir=work, model=model)
    async with open_store(work / "claims") as store:
        agents = AgentActivities(store, Sources({}), settings, within=spending.within)
        for begin in range(0, len(rows), BATCH):
            shown = tuple(
                ReviewedStatement(
                    id=number,
                    statement=row["claim"],
                    works=tuple(dict.fromkeys(one["title"] for one in row["passages"])),
                    quotes=tuple(one["text"] for one in row["passages"]),
                )
                for number, row in enumerate(rows[begin : begin + BATCH], start=begin)
            )
            given = ReviewerInput(question="Which of these claims do their passages support?", statements=shown)
            call = AgentCall(
                run_id="claims",
                step=begin // BATCH + 1,
                node="reviewer",
                agent="reviewer",
                input=given.model_dump(mode="json"),
                models=ModelChoice(default=model),
            )
            answered = await ActivityEnvironment().run(agents.run_agent, call)
            figures.used += answered.usage
            said = ReviewVerdicts.model_validate(answered.output)
            verdicts.update({one.id: one.support == "supported" for one in said.verdicts})
    return [verdicts.get(number) for number in range(len(rows))]


async def measure_runs(
    arguments: argparse.Namespace,
    documents: dict[str, str],
    work: Path,
    asked: Sequence[ExpertQuestion],
    spending: Spending,
    figures: Figures,
) -> None:
    """Researches each question in `documents` and prints what reports find, cite and support."""
    model, mode = arguments.model, arguments.mode
    wanted = {name: value for name in ("sections", "iterations") if (value := getattr(arguments, name)) is not None}
    limits = default_limits(MODES[mode]).model_copy(update=wanted)
    found, cited, held, supported, read = list[float](), list[float](), [0, 0], [0, 0], 0
    try:
        async with open_library(documents, work) as source:
            for one in asked:
                store, began = work / f"store-{one.id}", time.perf_counter()
                report, journal = await run_research(
                    one.question,
                    folder=store,
                    sources=(source,),
                    model=model,
                    mode=mode,
                    review=model != OFFLINE,
                    limits=limits,
                    within=spending.within,
                )
                used = journal.run.budget.used
                figures.add_run(used, time.perf_counter() - began)
                seen = {_document_of_id(ref.id) for ref in journal.run.state.evidence}
                quoted = {_document_of_id(each.evidence) for each in report.citations if each.verdict == "verified"}
                there = one.cited & documents.keys()
                if there:
                    found.append(len(there & seen) / len(there))
                    cited.append(len(there & quoted) / len(there))
                held[0] += sum(each.verdict == "verified" for each in report.citations)
                held[1] += len(report.citations)
                supported[0] += report.support.supported
                supported[1] += report.support.total - report.support.unchecked
                read += report.support.total
                (work / f"{one.id}.md").write_text(report.markdown, encoding="utf-8")
                shares = f"found {found[-1]:.2f} cited {cited[-1]:.2f}" if there else "withheld"
                print(
                    f"{one.id:10} {shares} {len(report.markdown.split())} words, "
                    f"{journal.run.state.iteration} iterations, {used.requests} calls, {used.tokens} tokens",
                    flush=True,
                )
    finally:  # of the runs that came to an end
        figures.add_rates("runs", "expert's passages found", found)
        figures.add_rates("runs", "expert's passages cited", cited)
        figures.add("runs", "citations that hold", held[0] / max(1, held[1]), f"of {held[1]}")
        share = supported[0] / supported[1] if supported[1] else None
        figures.add("runs", "statements supported", share, f"of {supported[1]} read of {read}")
        if count := spending.first.total():
            figures.add("runs", "supported at the first draft", spending.first["supported"] / count, f"of {count}")


def _document_of_id(id: str) -> str:
    """The file of a passage, by its canonical id: `papers:0001.md@...`."""
    return id.partition(":")[2].partition("@")[0]


async def measure(arguments: argparse.Namespace) -> None:
    """Measures what `arguments` ask for, in a folder that is removed again unless one is named."""
    _, questions = pool_passages(read_rows(arguments.folder / "expert_answers.jsonl"))
    asked = [one for one in questions if not arguments.question or one.id in arguments.question]
    parts = arguments.parts or PARTS[:3]
    rows = read_rows(arguments.folder / "rubrics.jsonl") if "rubrics" in parts else []
    chance = random.Random(arguments.seed)
    if arguments.sample is not None:
        asked = chance.sample(asked, min(arguments.sample, len(asked)))
        rows = chance.sample(rows, min(arguments.sample, len(rows)))
    spending, figures = Spending(), Figures()
    try:
        with tempfile.TemporaryDirectory() as temporary:
            await _measure_parts(arguments, parts, asked, rows, arguments.keep or Path(temporary), spending, figures)
    finally:  # what was paid for is shown, though a later run fails
        if spending.calls:
            print_spending(spending)
        if arguments.table:
            chosen = f", seed {arguments.seed}" if arguments.sample is not None and not arguments.question else ""
            about = f"{format_count(len(asked), 'question')}, `{arguments.mode}`{chosen}"
            print(f"\n{figures.render_table(arguments.model, about)}")


async def _measure_parts(
    arguments: argparse.Namespace,
    parts: Sequence[str],
    asked: Sequence[ExpertQuestion],
    rows: Sequence[dict[str, Any]],
    work: Path,
    spending: Spending,
    figures: Figures,
) -> None:
    await asyncio.to_thread(work.mkdir, parents=True, exist_ok=True)
    if "retrieval" in parts:
        await measure_retrieval(arguments.folder, work, asked, arguments.encoder, figures)
    if "rubrics" in parts:
        await measure_rubrics(arguments.folder, work, rows, figures)
    if "claims" in parts:
        await measure_claims(arguments.folder, work, arguments.model, spending, figures)
    if "runs" in parts:
        withheld = {key for one in asked for key in one.own} if arguments.withhold else set()
        documents, _ = pool_passages(read_rows(arguments.folder / "expert_answers.jsonl"))
        pool = {key: text for key, text in documents.items() if key not in withheld}
        await measure_runs(arguments, pool, work, asked, spending, figures)


def main(argv: Sequence[str]) -> None:
    """The program."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality scholarqa",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--model", default=OFFLINE, help="the model of `claims` and `runs`")
    parser.add_argument("--encoder", default="", help="of `retrieval` as well, as ELCANO_EMBEDDINGS names it")
    parser.add_argument("--mode", default="iterative", help="the mode of `runs`")
    parser.add_argument("--sections", type=int, metavar="N", help="at most, of `runs` in a mode that plans them")
    parser.add_argument("--iterations", type=int, metavar="N", help="at most, of `runs`")
    parser.add_argument("--question", nargs="*", default=(), metavar="ID", help="only these questions")
    parser.add_argument("--withhold", action="store_true", help="research without the expert's own passages")
    parser.add_argument("--sample", type=int, help="only so many questions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", action="store_true", help="print all figures as a table in Markdown at the end")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep reports and stores there")
    arguments = parser.parse_args(argv)
    if unknown := sorted(set(arguments.parts) - set(PARTS)):
        parser.error(f"there is no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    if not (arguments.folder / "expert_answers.jsonl").is_file():
        parser.error(f"there is no expert_answers.jsonl in {arguments.folder}")
    asyncio.run(measure(arguments))
