"""How the judge scored the evidence by the rubric of its field, as a part of the report, and what is lacking."""

from typing import Final

from elcano.activities.report.markdown import plain
from elcano.graphs.values.rubric import SCALE, Scored

HEADING: Final = "How the evidence was scored"


def scores(scored: Scored | None) -> list[str]:
    """A table of the scores, what was named, and what is lacking; nothing where no rubric was gone by."""
    if scored is None:
        return []
    rubric = plain(scored.rubric)
    if scored.unscored:
        return [f"## {HEADING}", f"By the rubric {rubric} nothing was scored. {plain(scored.unscored)}"]
    blocks = [
        f"## {HEADING}",
        f"By the rubric {rubric}, each from 0 to {SCALE}. The scores and their reasons are the judge's; that they are "
        "on the scale, and what is lacking, was found by code.",
    ]
    if scored.scores:
        rows = [f"| {plain(one.name)} | {one.score:g} | {plain(one.reason) or '—'} |" for one in scored.scores]
        blocks.append("\n".join(["| Score | Of 10 | Why |", "| --- | --- | --- |", *rows]))
    blocks += [f"Named {plain(one.kind)}: {plain(', '.join(one.names))}." for one in scored.names]
    if scored.lacking:
        blocks.append(f"**Lacking:** {plain('; '.join(scored.lacking))}.")
    return blocks
