"""What a run with rules of its own takes over from the run that it follows: only what these rules let in.

Passages that are refused stay behind and are counted. Of earlier answers only those statements stay that cite nothing
else; a query to a database stays only where the run may ask databases.
"""

from collections.abc import Mapping

from elcano.api.process import Services
from elcano.api.runs.follow_up import extract_answer_text, list_cited_evidence
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.report.report import Report
from elcano.graphs.run_contracts import FollowedRun
from elcano.graphs.state.state import HistoryEntry
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import Trust, find_passage_kind
from elcano.storage.evidence import Evidence


async def drop_untrusted(
    follows: FollowedRun, trust: Trust, specs: Mapping[str, SourceSpec], services: Services
) -> FollowedRun:
    """The run that is followed, as one with these rules may know it.

    Args:
        follows: as it is known without rules.
        trust: of the run that follows it.
        specs: of the sources that there are.
        services: of its tenant.
    """

    def may_take(passage: Evidence) -> bool:
        spec = specs.get(passage.source.partition(":")[0])
        kind = find_passage_kind(passage.source, spec.kind if spec else "")
        private = services.settings.private_hosts
        return not trust.explain_passage_refusal(kind, passage.locator, passage.work, private)

    async def find_allowed(ids: tuple[str, ...]) -> set[str]:
        return {one.id for one in await services.store.evidence.get(ids) if may_take(one)}

    async def trim_entry(entry: HistoryEntry) -> HistoryEntry:
        may_ask = trust.egress != "public" and not trust.explain_kind_refusal("database")
        kept = await services.store.artifacts.get(entry.report) if entry.report else None
        if kept is None:
            return entry if may_ask else entry.model_copy(update={"sql": ()})
        report = Report.model_validate_json(kept)
        cited = list_cited_evidence(report)
        allowed = await find_allowed(cited)
        if allowed.issuperset(cited) and may_ask:
            return entry
        answer = shorten_text(extract_answer_text(report, allowed), len(entry.answer))
        evidence = tuple(id for id in entry.evidence if id in allowed)
        return entry.model_copy(
            update={"answer": answer, "evidence": evidence, "report": "", "sql": entry.sql if may_ask else ()}
        )

    allowed = await find_allowed(tuple(ref.id for ref in follows.evidence))
    kept = tuple(ref for ref in follows.evidence if ref.id in allowed)
    there = {ref.id for ref in kept}
    evidence = tuple(
        ref if ref.duplicate_of in there else ref.model_copy(update={"duplicate_of": None}) for ref in kept
    )
    return follows.model_copy(
        update={
            "evidence": evidence,
            "left_out": follows.left_out + len(follows.evidence) - len(kept),
            "history": tuple([await trim_entry(entry) for entry in follows.history]),
        }
    )
