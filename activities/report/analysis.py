"""The statistics of a report: verdicts, a table and a plot for each pool, and all that does not count, with its reason.

Written by code alone. Each study leads to its reference, and its row has the literal words that its numbers are from;
no number of it is anybody's but code's or its source's.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.activities.phrases.wording import Phrases
from elcano.activities.report.markdown import plain
from elcano.graphs.shortening import shortened
from elcano.graphs.values.analysis import NAMES, Analysis, LeftOut, Pool, StudyEffect
from elcano.graphs.values.analysis_wording import estimated, number, plot_path, plot_title, subject, told_p
from elcano.graphs.values.report import Citation
from elcano.graphs.values.statements import CheckedCitation
from elcano.graphs.values.wording import counted

ROWS: Final = 60
"""Studies of one pool that stand in the report, the heaviest; the others are in the figures as JSON and CSV."""
LEFT_OUT: Final = 30
CELL_CHARACTERS: Final = 300


def cited_by(analysis: Analysis | None) -> tuple[Citation, ...]:
    """The words that the studies of the tables rest on, each once, as code cites them."""
    rows = (row for pool in analysis.pools for row in pool.studies[:ROWS]) if analysis else ()
    return tuple(dict.fromkeys(Citation(evidence=row.evidence, quote=row.quote) for row in rows))


def decided(analysis: Analysis | None) -> bool:
    """Whether a hypothesis was supported or refuted."""
    return analysis is not None and any(one.verdict != "inconclusive" for one in analysis.tested)


def numbered(analysis: Analysis | None, citations: Iterable[CheckedCitation]) -> Analysis | None:
    """The analysis with the numbers of its references."""
    if analysis is None:
        return None
    numbers = {(one.evidence, one.quote): one.number for one in citations}
    pools = tuple(
        pool.model_copy(update={"studies": tuple(_with_number(row, numbers) for row in pool.studies)})
        for pool in analysis.pools
    )
    return analysis.model_copy(update={"pools": pools})


def statistics(analysis: Analysis | None, marks: Mapping[int, str], words: Phrases) -> list[str]:
    """The section; nothing of a run that analyzed nothing."""
    if analysis is None:
        return []
    verdicts = [
        f"- **{words.verdicts[one.verdict]}:** {plain(one.hypothesis.statement)} — {plain(one.reason)}."
        for one in analysis.tested
    ]
    return [
        f"## {words.analysis}",
        "\n".join(verdicts),
        *(block for pool in analysis.pools for block in _pool(pool, marks)),
        *_listed("Not pooled with each other", analysis.apart, len(analysis.apart)),
        *_listed("Left out", map(_left_out, analysis.left_out), analysis.left_out_count),
        f"{plain(analysis.rule)} {plain(analysis.methods)}",
    ]


def _with_number(row: StudyEffect, numbers: Mapping[tuple[str, str], int | None]) -> StudyEffect:
    return row.model_copy(update={"number": numbers.get((row.evidence, row.quote))})


def _pool(pool: Pool, marks: Mapping[int, str]) -> Iterable[str]:
    yield f"### {plain(subject(pool))}"
    if pool.plot:
        yield f"![{plain(plot_title(pool))}]({plot_path(pool.number)})"
    unit = f", {plain(pool.unit)}" if pool.unit else ""
    measure = NAMES[pool.measure]
    estimate = f"{measure[0].upper()}{measure[1:]} \\[95 % interval\\]{unit}"
    head = ("Reference", "Study", "As it is reported", estimate, "Weight")
    rows = [_row(row, marks) for row in pool.studies[:ROWS]]
    yield "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))
    if (more := pool.count - len(rows)) > 0:
        yield f"And {counted(more, 'further study', 'further studies')} of less weight."
    if pool.count > 1:
        yield plain(_together(pool))


def _row(row: StudyEffect, marks: Mapping[int, str]) -> Sequence[str]:
    mark = marks.get(row.number or 0)
    cited = f"[{row.number}, {mark}]" if mark else f"[{row.number}]" if row.number else ""
    notes = f" ({'; '.join(row.notes)})" if row.notes else ""
    return (
        cited,
        plain(row.study),
        f"“{plain(shortened(' '.join(row.quote.split()), CELL_CHARACTERS))}”{plain(notes)}",
        f"{number(row.estimate)} \\[{number(row.low)}, {number(row.high)}\\]",
        f"{row.weight:.1f} %",
    )


def _together(pool: Pool) -> str:
    parts = [
        f"Fixed effect: {estimated(pool.fixed, pool.unit)}.",
        f"Random effects: {estimated(pool.random, pool.unit)}.",
        f"Random effects with the interval of Hartung and Knapp: {estimated(pool.adjusted)}." if pool.adjusted else "",
        f"Differences between studies: Q = {pool.q:.2f} on {pool.count - 1} degrees of freedom",
    ]
    p = f" (p {told_p(pool.q_p)})" if pool.q_p is not None else ""
    parts[-1] += f"{p}, I² = {pool.i2:.1f} %, tau² = {pool.tau2:.4g}."
    if pool.predicted:
        low, high = pool.predicted
        parts.append(f"A further study is expected between {number(low)} and {number(high)}, with 95 %.")
    if pool.asymmetry_p is not None:
        parts.append(f"Begg's test for asymmetry: p {told_p(pool.asymmetry_p)}.")
    return " ".join(filter(None, parts))


def _left_out(one: LeftOut) -> str:
    of = f"{one.outcome}: " if one.outcome else ""
    return f"{of}“{shortened(' '.join(one.quote.split()), CELL_CHARACTERS)}” — {one.reason}."


def _listed(heading: str, lines: Iterable[str], count: int) -> list[str]:
    shown = [f"- {plain(line)}" for line in lines][:LEFT_OUT]
    if not shown:
        return []
    more = [f"- and {count - len(shown)} more"] if count > len(shown) else []
    return [f"### {heading}", "\n".join([*shown, *more])]
