"""Maps the keys by which a model cites to passage ids, and summarises a draft for the run's state."""

from collections.abc import Iterable, Mapping
from typing import Final

from elcano.graphs.report.draft import Claim, DraftRef
from elcano.graphs.report.report import ReportDraft

BESIDE: Final = 4
"""As many passages that a draft does not cite are handed on with it."""


def with_canonical_ids(draft: ReportDraft, ids: Mapping[str, str]) -> ReportDraft:
    """`draft` with evidence ids for keys. A key that was never given stays, so that the check reports it."""

    def renamed(claim: Claim) -> Claim:
        citations = [
            cited.model_copy(update={"evidence": ids.get(cited.evidence, cited.evidence)}) for cited in claim.citations
        ]
        return claim.model_copy(update={"citations": tuple(citations)})

    def all_of(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
        return tuple(map(renamed, claims))

    return draft.model_copy(
        update={
            "introduction": all_of(draft.introduction),
            "key_findings": all_of(draft.key_findings),
            "sections": tuple(one.model_copy(update={"claims": all_of(one.claims)}) for one in draft.sections),
            "disputed": all_of(draft.disputed),
            "strength": all_of(draft.strength),
            "conclusion": all_of(draft.conclusion),
            "related": tuple(ids[key] for key in draft.related if key in ids),
        }
    )


def build_draft_ref(draft: ReportDraft, artifact: str, given: Iterable[str], best: Iterable[str] = ()) -> DraftRef:
    """What the state holds of `draft`, which is stored as `artifact`.

    `given` are the ids of the passages that it was written from, `best` of them those that matter most, in this order.
    """
    claims, known = draft.claims, set(given)
    cited = dict.fromkeys(one.evidence for claim in claims for one in claim.citations if one.evidence in known)
    named = dict.fromkeys((*cited, *draft.related))
    beside = [one for one in best if one not in named]
    return DraftRef(
        artifact=artifact,
        title=draft.title,
        answered=draft.answered,
        claims=len(claims),
        cited=len(cited),
        evidence=tuple(named),
        beside=tuple(beside[:BESIDE]),
    )
