"""Renders the judge's scores of the evidence by the rubric of its field, and what is lacking."""

from typing import Final

from elcano.activities.report.markdown import escape_markdown
from elcano.graphs.state.rubric import SCALE, RubricScores

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
