"""From the keys by which a model cites to the ids of passages, and what the state is told of a draft."""

from collections.abc import Mapping

from elcano.graphs.values.report import Claim, DraftRef, ReportDraft


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


def reference(draft: ReportDraft, artifact: str, ids: Mapping[str, str]) -> DraftRef:
    """What the state holds of `draft`, which is stored as `artifact`; `ids` are those of the passages it was given."""
    claims = draft.claims
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
