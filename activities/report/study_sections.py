"""The sections that code alone writes about studies: statistics, the tables of a literature review, the judge's scores.

Each study leads to its reference, and its row has the literal words that its numbers are from; no number of it is
anybody's but code's or its source's. What a text does not say is `not stated`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.activities.phrases import Phrases
from elcano.activities.report.markdown import escape_markdown
from elcano.graphs.report.analysis import (
    NAMES,
    Analysis,
    OmittedMeasurement,
    Pool,
    StudyEffect,
    format_estimate,
    format_figure,
    format_pool_subject,
    plot_path,
    plot_title,
    told_p,
)
from elcano.graphs.report.draft import Citation
from elcano.graphs.report.report import Cell, Review, SourceRecords
from elcano.graphs.report.statements import CheckedCitation
from elcano.graphs.state.rubric import SCALE, RubricScores
from elcano.graphs.text import format_count, shorten_text

ROWS: Final = 60
"""Studies of one pool that stand in the report, the heaviest; the others are in the figures as JSON and CSV."""
LEFT_OUT: Final = 30
CELL_CHARACTERS: Final = 300


def cited_by(analysis: Analysis | None) -> tuple[Citation, ...]:
    """The words that the studies of the tables rest on, each once, as code cites them."""
    rows = (row for pool in analysis.pools for row in pool.studies[:ROWS]) if analysis else ()
    return tuple(dict.fromkeys(Citation(evidence=row.evidence, quote=row.quote) for row in rows))


def has_decided_verdict(analysis: Analysis | None) -> bool:
    """Whether a hypothesis was supported or refuted."""
    return analysis is not None and any(one.verdict != "inconclusive" for one in analysis.tested)


def number_analysis_references(analysis: Analysis | None, citations: Iterable[CheckedCitation]) -> Analysis | None:
    """The analysis with the numbers of its references."""
    if analysis is None:
        return None
    numbers = {(one.evidence, one.quote): one.number for one in citations}
    pools = tuple(
        pool.model_copy(update={"studies": tuple(_with_number(row, numbers) for row in pool.studies)})
        for pool in analysis.pools
    )
    return analysis.model_copy(update={"pools": pools})


def render_statistics(analysis: Analysis | None, marks: Mapping[int, str], words: Phrases) -> list[str]:
    """The section; nothing of a run that analyzed nothing."""
    if analysis is None:
        return []
    verdicts = [
        f"- **{words.verdicts[one.verdict]}:** {escape_markdown(one.hypothesis.statement)} — "
        f"{escape_markdown(one.reason)}."
        for one in analysis.tested
    ]
    return [
        f"## {words.analysis}",
        "\n".join(verdicts),
        *(block for pool in analysis.pools for block in _render_pool(pool, marks)),
        *_render_capped_list("Not pooled with each other", analysis.apart, len(analysis.apart)),
        *_render_capped_list("Left out", map(_left_out, analysis.left_out), analysis.left_out_count),
        f"{escape_markdown(analysis.rule)} {escape_markdown(analysis.methods)}",
    ]


def _with_number(row: StudyEffect, numbers: Mapping[tuple[str, str], int | None]) -> StudyEffect:
    return row.model_copy(update={"number": numbers.get((row.evidence, row.quote))})


def _render_pool(pool: Pool, marks: Mapping[int, str]) -> Iterable[str]:
    yield f"### {escape_markdown(format_pool_subject(pool))}"
    if pool.plot:
        yield f"![{escape_markdown(plot_title(pool))}]({plot_path(pool.number)})"
    unit = f", {escape_markdown(pool.unit)}" if pool.unit else ""
    measure = NAMES[pool.measure]
    estimate = f"{measure[0].upper()}{measure[1:]} \\[95 % interval\\]{unit}"
    head = ("Reference", "Study", "As it is reported", estimate, "Weight")
    rows = [_format_study_row(row, marks) for row in pool.studies[:ROWS]]
    yield "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))
    if (more := pool.count - len(rows)) > 0:
        yield f"And {format_count(more, 'further study', 'further studies')} of less weight."
    if pool.count > 1:
        yield escape_markdown(_summarize_pool(pool))


def _format_study_row(row: StudyEffect, marks: Mapping[int, str]) -> Sequence[str]:
    mark = marks.get(row.number or 0)
    cited = f"[{row.number}, {mark}]" if mark else f"[{row.number}]" if row.number else ""
    notes = f" ({'; '.join(row.notes)})" if row.notes else ""
    return (
        cited,
        escape_markdown(row.study),
        f"“{escape_markdown(shorten_text(' '.join(row.quote.split()), CELL_CHARACTERS))}”{escape_markdown(notes)}",
        f"{format_figure(row.estimate)} \\[{format_figure(row.low)}, {format_figure(row.high)}\\]",
        f"{row.weight:.1f} %",
    )


def _summarize_pool(pool: Pool) -> str:
    parts = [
        f"Fixed effect: {format_estimate(pool.fixed, pool.unit)}.",
        f"Random effects: {format_estimate(pool.random, pool.unit)}.",
        f"Random effects with the interval of Hartung and Knapp: {format_estimate(pool.adjusted)}."
        if pool.adjusted
        else "",
        f"Differences between studies: Q = {pool.q:.2f} on {pool.count - 1} degrees of freedom",
    ]
    p = f" (p {told_p(pool.q_p)})" if pool.q_p is not None else ""
    parts[-1] += f"{p}, I² = {pool.i2:.1f} %, tau² = {pool.tau2:.4g}."
    if pool.predicted:
        low, high = pool.predicted
        parts.append(f"A further study is expected between {format_figure(low)} and {format_figure(high)}, with 95 %.")
    if pool.asymmetry_p is not None:
        parts.append(f"Begg's test for asymmetry: p {told_p(pool.asymmetry_p)}.")
    return " ".join(filter(None, parts))


def _left_out(one: OmittedMeasurement) -> str:
    of = f"{one.outcome}: " if one.outcome else ""
    return f"{of}“{shorten_text(' '.join(one.quote.split()), CELL_CHARACTERS)}” — {one.reason}."


def _render_capped_list(heading: str, lines: Iterable[str], count: int) -> list[str]:
    shown = [f"- {escape_markdown(line)}" for line in lines][:LEFT_OUT]
    if not shown:
        return []
    more = [f"- and {count - len(shown)} more"] if count > len(shown) else []
    return [f"### {heading}", "\n".join([*shown, *more])]


HEADING: Final = "How the evidence was scored"


def render_rubric_scores(scored: RubricScores | None) -> list[str]:
    """Return a table of the scores, the names found, and what is lacking; nothing if no rubric was used."""
    if scored is None:
        return []
    rubric = escape_markdown(scored.rubric)
    if scored.unscored:
        return [f"## {HEADING}", f"By the rubric {rubric} nothing was scored. {escape_markdown(scored.unscored)}"]
    blocks = [
        f"## {HEADING}",
        f"By the rubric {rubric}, each from 0 to {SCALE}. The scores and their reasons are the judge's; that they are "
        "on the scale, and what is lacking, was found by code.",
    ]
    if scored.scores:
        rows = [
            f"| {escape_markdown(one.name)} | {one.score:g} | {escape_markdown(one.reason) or '—'} |"
            for one in scored.scores
        ]
        blocks.append("\n".join(["| Score | Of 10 | Why |", "| --- | --- | --- |", *rows]))
    blocks += [f"Named {escape_markdown(one.kind)}: {escape_markdown(', '.join(one.names))}." for one in scored.names]
    if scored.lacking:
        blocks.append(f"**Lacking:** {escape_markdown('; '.join(scored.lacking))}.")
    return blocks


NOT_STATED: Final = "not stated"

_RECORDS: Final = (
    "Source",
    "Searches",
    "Passages found",
    "Records found",
    "After removing duplicates",
    "Kept",
    "Cited",
)
_STUDIES: Final = ("Reference", "Study", "Design", "Size", "Outcome, as the report quotes it")


def render_record_table(review: Review | None) -> list[str]:
    """How many records each source gave and what became of them; nothing of a report that is no review."""
    if review is None:
        return []
    rows = [_format_record_row(one) for one in (*review.sources, review.total)]
    told = (
        "A record is a work, however many sources found it; after the removal of duplicates it is counted where it was "
        "found first. Kept are those that say what no older passage says. Counted by code."
    )
    return ["## Records", told, _format_markdown_table(_RECORDS, rows)]


def render_study_table(review: Review | None, marks: dict[int, str]) -> list[str]:
    """The studies that are cited, with what stands in their texts."""
    if review is None or not review.studies:
        return []
    rows = [
        (
            f"[{one.number}, {marks[one.number]}]" if one.number in marks else f"[{one.number}]",
            escape_markdown(one.name) or NOT_STATED,
            escape_markdown(shorten_text(one.design, CELL_CHARACTERS)) or NOT_STATED,
            _format_study_cell(one.size),
            _format_study_cell(one.outcome),
        )
        for one in review.studies
    ]
    return ["## Studies cited", _format_markdown_table(_STUDIES, rows)]


def _format_record_row(one: SourceRecords) -> Sequence[str]:
    searches = f"{one.searches:,} ({one.failed:,} failed)" if one.failed else f"{one.searches:,}"
    counts = (one.found, one.records, one.unique, one.kept, one.cited)
    return (escape_markdown(one.source) or "All", searches, *(f"{count:,}" for count in counts))


def _format_study_cell(cell: Cell) -> str:
    text = shorten_text(" ".join(cell.text.split()), CELL_CHARACTERS)
    if not text:
        return NOT_STATED
    return f"“{escape_markdown(text)}”" if cell.content_hash else escape_markdown(text)


def _format_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
