"""A checked draft as the report of its run."""

from collections.abc import Sequence

from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.rendering import render_report
from elcano.activities.report.report_builder import render_parts
from elcano.graphs.contracts import PublishCall
from elcano.text.phrases import choose_phrases


def render_draft(
    call: PublishCall, checked: CheckedDraft, doubts: Sequence[str] = (), searched: Sequence[str] = ()
) -> str:
    words = choose_phrases(call.question, (one.text for one in checked.given), checked.rewritten)
    return render_report(call, checked, render_parts(checked, checked.marks, words), words, doubts, searched)
