"""The draft that a team wrote before, as its judge and its next writer read it: by the keys of the passages beside it.

It shares the room that there is for passages and takes a quarter of it at most, so that who writes again can still be
shown what was found since. Of a draft that is longer as many claims are shown as fit, and how many are left out.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from elcano.graphs.agents.envelope import SectionItem
from elcano.graphs.agents.synthesis_context import claim_characters, select_fitting_claims
from elcano.graphs.values.report import Claim, ReportDraft
from elcano.graphs.values.state import SectionResult
from elcano.graphs.values.tokens import CHARACTERS_PER_TOKEN, SO_FAR_TOKENS

SHARE: Final = 0.25
NOT_SHOWN: Final = "not shown"
"""In place of the key of a passage for which there was no room: its quote still stands."""


def fit_last_draft(
    results: Sequence[SectionResult], drafts: Sequence[ReportDraft | None], room: int
) -> tuple[tuple[SectionItem, ...], int]:
    """As much of `drafts` as fits, citing by id, and the tokens that it takes.

    Args:
        results: what the drafts are of, in the same order.
        drafts: those that there are.
        room: tokens for passages and drafts together.
    """
    sections = tuple(
        SectionItem(
            title=result.title,
            key_question=result.key_question,
            claims=draft.claims if draft else (),
            limitations=draft.limitations if draft else (),
        )
        for result, draft in zip(results, drafts, strict=True)
    )
    kept = select_fitting_claims(sections, min(SO_FAR_TOKENS, int(room * SHARE)))
    taken = sum(claim_characters(claim) for section in kept for claim in section.claims)
    return kept, taken // CHARACTERS_PER_TOKEN


def by_keys(sections: Sequence[SectionItem], ids: Mapping[str, str]) -> tuple[SectionItem, ...]:
    """`sections`, citing by the keys of the passages that are shown; `ids` are theirs by key."""
    keys = {id: key for key, id in ids.items()}
    return tuple(
        section.model_copy(update={"claims": tuple(_with_keys(claim, keys) for claim in section.claims)})
        for section in sections
    )


def _with_keys(claim: Claim, keys: Mapping[str, str]) -> Claim:
    citations = [one.model_copy(update={"evidence": keys.get(one.evidence, NOT_SHOWN)}) for one in claim.citations]
    return claim.model_copy(update={"citations": tuple(citations)})
