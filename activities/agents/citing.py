"""From the keys by which a model cites to the ids of passages, and what the state is told of a draft."""

from collections.abc import Mapping

from elcano.activities.agents.drafts import claims_of
from elcano.graphs.values.report import Claim, DraftRef, ReportDraft


def with_canonical_ids(draft: ReportDraft, ids: Mapping[str, str]) -> ReportDraft:
    """`draft` with evidence ids for keys. A key that was never given stays, so that the check reports it."""

    def renamed(claim: Claim) -> Claim:
        citations = [
            cited.model_copy(update={"evidence": ids.get(cited.evidence, cited.evidence)}) for cited in claim.citations
        ]
        return claim.model_copy(update={"citations": tuple(citations)})

    sections = [
        section.model_copy(update={"claims": tuple(renamed(claim) for claim in section.claims)})
        for section in draft.sections
    ]
    return draft.model_copy(
        update={
            "key_findings": tuple(renamed(claim) for claim in draft.key_findings),
            "sections": tuple(sections),
            "related": tuple(ids[key] for key in draft.related if key in ids),
        }
    )


def reference(draft: ReportDraft, artifact: str, ids: Mapping[str, str]) -> DraftRef:
    """What the state holds of `draft`, which is stored as `artifact`; `ids` are those of the passages it was given."""
    claims = claims_of(draft)
    given = set(ids.values())
    cited = dict.fromkeys(one.evidence for claim in claims for one in claim.citations if one.evidence in given)
    return DraftRef(
        artifact=artifact,
        title=draft.title,
        answered=draft.answered,
        claims=len(claims),
        cited=len(cited),
        evidence=tuple(dict.fromkeys((*cited, *draft.related))),
    )
