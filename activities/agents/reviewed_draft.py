"""A draft as it goes into the report: read by the reviewer, its faults mended by its writer, and read again."""

from collections.abc import Sequence

from elcano.activities.agents.draft_repair import repair_draft
from elcano.activities.agents.draft_review import Carry, carry_review, review_draft
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.paused_activities import end_if_given_up, given_up
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.report.report import Claim, ReportDraft
from elcano.graphs.state.budget import Estimate


async def review_and_repair(
    attempt: Attempt,
    given: AgentInput,
    draft: ReportDraft,
    best: Sequence[str] = (),
    *,
    mended: bool = False,
    already: frozenset[Claim] = frozenset(),
    carry: Carry = carry_review,
    reserve: Estimate | None = None,
) -> ReportDraft:
    """`draft`, read if that is wanted, and its blocks that do not hold once given back to its writer, and read again.

    If the run gives the call up meanwhile: as it was behind the last of these steps.

    Args: as for `review_draft` and `repair_draft`; `mended`: its writer had it back before.
    """
    if given_up():
        return draft
    review = getattr(given, "review", False)
    with end_if_given_up():
        if review:
            draft = await review_draft(attempt, given, draft, mended=mended, carry=carry, reserve=reserve)
        if mended:
            return draft
        draft, read = await repair_draft(attempt, given, draft, best, already=already, reserve=reserve), draft
        if draft is not read and review:
            draft = await review_draft(attempt, given, draft, mended=True, carry=carry, reserve=reserve)
    return draft
