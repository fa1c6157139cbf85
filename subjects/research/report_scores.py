"""The section of a report with the scores that its evidence was given by the rubric of its field."""

from typing import Final

from elcano.activities.report.additions import AddedText, ReportAddition
from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.markdown import escape_markdown, render_table
from elcano.graphs.state.rubric import SCALE, RubricScores
from elcano.text.phrases import Phrases

HEADING: Final = "How the evidence was scored"


class ScoresAddition(ReportAddition):
    """The last scores of a run whose judge went by a rubric."""

    name = "scores"

    def render(self, checked: CheckedDraft | None, words: Phrases) -> AddedText:
        """The scores as data, and as a table; nothing if no rubric was used."""
        scored = self.material.call.scored
        if scored is None:
            return AddedText()
        return AddedText(data=scored.model_dump(mode="json"), closing=_render_rubric_scores(scored))


def _render_rubric_scores(scored: RubricScores) -> list[str]:
    """Return a table of the scores, the names found, and what is lacking."""
    rubric = escape_markdown(scored.rubric)
    if scored.unscored:
        return [f"## {HEADING}", f"Nothing was scored by the rubric {rubric}. {escape_markdown(scored.unscored)}"]
    blocks = [
        f"## {HEADING}",
        f"Scores from 0 to {SCALE} by the rubric {rubric}. The scores and reasons are the judge's; code checked their "
        "range and found what is lacking.",
    ]
    if scored.scores:
        rows = (
            (escape_markdown(one.name), f"{one.score:g}", escape_markdown(one.reason) or "—") for one in scored.scores
        )
        blocks.append(render_table(("Criterion", f"Score (0 to {SCALE})", "Reason"), rows))
    blocks += [f"Named {escape_markdown(one.kind)}: {escape_markdown(', '.join(one.names))}." for one in scored.names]
    if scored.lacking:
        blocks.append(f"**Lacking:** {escape_markdown('; '.join(scored.lacking))}.")
    return blocks
