"""The figures: what each part asks of a data set, and what it prints."""

import random
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from benchmarks.quality.asking import Answered, Library, Mode
from benchmarks.quality.data import Asked, DataSet
from benchmarks.quality.judging import false_statements, holds_answer, quotes_result

PARTS: Final = ("retrieval", "abstention", "answers", "results", "self")
MOST_SHOWN: Final = 5
"""False statements that are printed."""


def sampled(data: DataSet, sample: int | None, seed: int) -> tuple[Asked, ...]:
    """So many of the questions, chosen by `seed`; all of them without a number."""
    asked = data.questions
    return asked if sample is None or sample >= len(asked) else tuple(random.Random(seed).sample(asked, sample))


async def measure(
    data: DataSet, asked: Sequence[Asked], foreign: Sequence[Asked], parts: Sequence[str], mode: Mode, work: Path
) -> None:
    """Asks `asked` and `foreign` of `data` and prints what `parts` want to know."""
    library = Library.of(data, work)
    began = time.perf_counter()
    try:
        if "retrieval" in parts:
            await _retrieval(data, asked, library)
        if set(parts) - {"retrieval"}:
            await _reports(data, asked, foreign, parts, mode, library)
    finally:
        await library.close()
    print(f"{data.name:9} {'seconds':28} {time.perf_counter() - began:8.1f}", flush=True)


async def _retrieval(data: DataSet, asked: Sequence[Asked], library: Library) -> None:
    ranks: list[int | None] = []
    for one in asked:
        ranked = await library.ranked(one.question)
        ranks.append(ranked.index(one.gold) + 1 if one.gold in ranked else None)
    for depth in (1, 10):
        _show(data, f"R@{depth}", [rank is not None and rank <= depth for rank in ranks])


async def _reports(
    data: DataSet, asked: Sequence[Asked], foreign: Sequence[Asked], parts: Sequence[str], mode: Mode, library: Library
) -> None:
    there = [await library.answer(one.question, mode) for one in asked]
    every = list(there)
    if {"abstention", "self"} & set(parts):
        removed = [await library.answer(one.question, mode, without=one.gold) for one in asked]
        others = [await library.answer(one.question, mode) for one in foreign]
        every += [*removed, *others]
        if "abstention" in parts:
            _show(data, "answered, gold there", [one.draft.answered for one in there])
            _show(data, "answered, gold removed", [one.draft.answered for one in removed])
            _show(data, "answered, foreign question", [one.draft.answered for one in others])
    if "answers" in parts and any(one.answers for one in asked):
        pairs = zip(there, asked, strict=True)
        _show(data, "gold answer in the report", [holds_answer(report, one.answers) for report, one in pairs])
    if "results" in parts and data.results:
        _results(data, asked, there)
    if "self" in parts:
        _self(data, every)


def _results(data: DataSet, asked: Sequence[Asked], there: Sequence[Answered]) -> None:
    labelled = [(one, gold.gold) for one, gold in zip(there, asked, strict=True) if data.results[gold.gold]]
    cited = [(one, gold) for one, gold in labelled if one.quotes(gold)]
    _show(data, "gold abstract cited", [bool(one.quotes(gold)) for one, gold in labelled])
    _show(data, "result quoted of cited gold", [quotes_result(one, gold, data.results[gold]) for one, gold in cited])


def _self(data: DataSet, reports: Sequence[Answered]) -> None:
    false = [(one.question, said) for one in reports for said in false_statements(one)]
    said = sum(1 + len(one.draft.limitations) for one in reports)
    print(f"{data.name:9} {'false statements on itself':28} {len(false):8} of {said} in {len(reports)} reports")
    for question, sentence in false[:MOST_SHOWN]:
        print(f"    {question!r}: {sentence}")


def _show(data: DataSet, what: str, held: Sequence[bool]) -> None:
    figure = f"{fmean(held):8.3f}" if held else "     n/a"
    print(f"{data.name:9} {what:28} {figure} of {len(held)}", flush=True)
