"""The section of a report with the statistics of its run, which code alone writes.

Each study leads to its reference, and its row has the literal words that its numbers are from; no number of it is
anyone's but code's or its source's. What a text does not say is `not stated`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.activities.report.additions import AddedText, ReportAddition, ReportMaterial
from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.markdown import escape_markdown, render_number, render_table
from elcano.graphs.report.report import CheckedCitation, Citation
from elcano.graphs.text import format_count, shorten_text
from elcano.subjects.analysis.analysis import (
    ATTACHED,
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
from elcano.text.phrases import Phrases

ROWS: Final = 60
"""Studies of one pool that stand in the report, the heaviest; the others are in the figures as JSON and CSV."""
LEFT_OUT: Final = 30
CELL_CHARACTERS: Final = 300


class StatisticsAddition(ReportAddition):
    """Verdicts, pools and forest plots of a run that analyzed numbers."""

    name = ATTACHED

    def __init__(self, material: ReportMaterial) -> None:
        super().__init__(material)
        found = material.attached.get(self.name)
        self._analysis = None if found is None else Analysis.model_validate(found)
        rows = [row for pool in self._analysis.pools for row in pool.studies[:ROWS]] if self._analysis else []
        self.citations = tuple(dict.fromkeys(Citation(evidence=row.evidence, quote=row.quote) for row in rows))
        # A writer that quotes finds no sentence for what only figures together say.
        self.answers = any(one.verdict != "inconclusive" for one in self._analysis.tested) if self._analysis else False

    def render(self, checked: CheckedDraft | None, words: Phrases) -> AddedText:
        """The analysis with the numbers of its references, and its section."""
        if self._analysis is None:
            return AddedText()
        analysis = _number_references(self._analysis, checked.beside if checked else ())
        return AddedText(
            data=analysis.model_dump(mode="json"),
            pictures={plot_path(pool.number): pool.plot for pool in analysis.pools if pool.plot},
            opening=_render_statistics(analysis, checked.marks if checked else {}, words),
        )


def _number_references(analysis: Analysis, citations: Iterable[CheckedCitation]) -> Analysis:
    numbers = {(one.evidence, one.quote): one.number for one in citations}
    pools = tuple(
        pool.model_copy(update={"studies": tuple(_with_number(row, numbers) for row in pool.studies)})
        for pool in analysis.pools
    )
    return analysis.model_copy(update={"pools": pools})


def _render_statistics(analysis: Analysis, marks: Mapping[int, str], words: Phrases) -> list[str]:
    verdicts = [
        f"- **{words.verdicts[one.verdict]}:** {escape_markdown(one.hypothesis.statement)} — "
        f"{escape_markdown(one.reason)}."
        for one in analysis.tested
    ]
    return [
        f"## {words.analysis}",
        "\n".join(verdicts),
        *(block for pool in analysis.pools for block in _render_pool(pool, marks, words)),
        *_render_capped_list(words.apart, analysis.apart, len(analysis.apart)),
        *_render_capped_list(words.left_out, map(_left_out, analysis.left_out), analysis.left_out_count),
        f"{escape_markdown(analysis.rule)} {escape_markdown(analysis.methods)}",
    ]


def _with_number(row: StudyEffect, numbers: Mapping[tuple[str, str], int | None]) -> StudyEffect:
    return row.model_copy(update={"number": numbers.get((row.evidence, row.quote))})


def _render_pool(pool: Pool, marks: Mapping[int, str], words: Phrases) -> Iterable[str]:
    yield f"### {escape_markdown(format_pool_subject(pool))}"
    if pool.plot:
        yield f"![{escape_markdown(plot_title(pool))}]({plot_path(pool.number)})"
    unit = f", {escape_markdown(pool.unit)}" if pool.unit else ""
    measure = NAMES[pool.measure]
    named = words.interval.format(measure=f"{measure[0].upper()}{measure[1:]}")
    estimate = f"{escape_markdown(named)}{unit}"
    head = (words.reference, words.study, words.as_reported, estimate, words.weight)
    rows = [_format_study_row(row, marks) for row in pool.studies[:ROWS]]
    yield render_table(head, rows)
    if (more := pool.count - len(rows)) > 0:
        yield f"And {format_count(more, 'further study', 'further studies')} with smaller weights."
    if pool.count > 1:
        yield escape_markdown(_summarize_pool(pool))


def _format_study_row(row: StudyEffect, marks: Mapping[int, str]) -> Sequence[str]:
    cited = render_number(row.number, marks) if row.number else ""
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
        f"Random effects with the Hartung-Knapp interval: {format_estimate(pool.adjusted)}." if pool.adjusted else "",
        f"Heterogeneity: Q = {pool.q:.2f} on {pool.count - 1} degrees of freedom",
    ]
    p = f" (p {told_p(pool.q_p)})" if pool.q_p is not None else ""
    parts[-1] += f"{p}, I² = {pool.i2:.1f} %, tau² = {pool.tau2:.4g}."
    if pool.predicted:
        low, high = pool.predicted
        parts.append(f"95 % prediction interval for a further study: {format_figure(low)} to {format_figure(high)}.")
    if pool.asymmetry_p is not None:
        parts.append(f"Begg's test for funnel-plot asymmetry: p {told_p(pool.asymmetry_p)}.")
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
