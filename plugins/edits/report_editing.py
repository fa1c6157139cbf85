"""Loads the report that is to be changed, compares it with what was found if it is updated, and has the editor write.

The editor sees the stored draft, which has the mark of every citation. Passages keep the numbers that their references
had. What code wrote into the report for its own run, such as statistics, is not repeated, and that is said.

A citation still holds if its passage, or another one of the same stored text, was found again; or if its quote stands
in the newer text of its document. It is outdated if that text does not have its words. Of a document that was not
found again nothing is known: what rests on it stays as it was.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from elcano.activities.agents.answer_drafts import draft_from_prose, map_citations, with_canonical_ids
from elcano.activities.agents.prompt_parts import build_question_agent
from elcano.activities.agents.prompt_passages import name_passages
from elcano.activities.calls.attempt import Attempt
from elcano.activities.report.checked_draft import cited_ids
from elcano.activities.support.quotes import QuoteIndex
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.envelope import Loaded, ShownPassages, TaskEnvelope
from elcano.graphs.agents.writing import ReportProse
from elcano.graphs.errors import BudgetExhausted, InputInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Citation, Report, ReportDraft
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.text import ensure_list, format_count, format_utc_day
from elcano.plugins.edits.editor import EditorInput
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore

PARTS: Final = tuple(name for name in ReportProse.model_fields if name in ReportDraft.model_fields)
"""What of a draft the editor is shown, in the order in which it answers."""


async def load_report(store: TenantStore, needs: JsonObject, tokens: int) -> JsonObject:
    """The draft of the report with the numbers of its references, and what has to be said of it: the `loader`.

    Raises:
        BudgetExhausted: it takes more than `tokens`: half a report cannot be changed.
        InputInvalid: it is not in the store any more.
    """
    kept = [await store.artifacts.get(str(needs[name])) for name in ("draft", "report")]
    if kept[0] is None or kept[1] is None:
        raise InputInvalid("report", "the report to change is not in the store any more; was its run deleted?")
    draft = await asyncio.to_thread(ReportDraft.model_validate_json, kept[0])
    report = await asyncio.to_thread(Report.model_validate_json, kept[1])
    if (taken := len(draft.model_dump_json(include={*PARTS}, exclude_defaults=True)) // CHARACTERS_PER_TOKEN) > tokens:
        short = f"the report to change takes some {taken:,} tokens in a prompt, and there is room for {tokens:,}"
        raise BudgetExhausted("tokens", short)
    numbers = {one.evidence: one.number for one in report.citations if one.number is not None}
    remarks = [f"That report is incomplete: {report.partial}."] if report.partial is not None else []
    if report.attachments:
        remarks.append(f"Not repeated from there is what code wrote beside its text: {', '.join(report.attachments)}.")
    if "found" in needs:
        return await _compare_with_found(store, needs, draft, report, numbers, remarks)
    remarks.insert(0, f"Rewritten from the report of the run {report.run_id}; nothing was searched for it.")
    return {"draft": draft.model_dump(mode="json"), "numbers": {**numbers}, "remarks": [*remarks]}


async def _compare_with_found(
    store: TenantStore,
    needs: JsonObject,
    draft: ReportDraft,
    report: Report,
    numbers: dict[str, int],
    remarks: Sequence[str],
) -> JsonObject:
    """The same for an update: the draft cites what holds as it stands now, and what does not hold is listed."""
    known, found, looked_up = [
        await store.evidence.get([str(id) for id in ensure_list(needs.get(name))])
        for name in ("known", "found", "looked_up")
    ]
    cited = {one.id: one for one in await store.evidence.get(cited_ids(draft))}
    places = {(name_document(one), one.heading) for one in cited.values()}
    there = {one.id for one in found}
    found += [one for one in looked_up if one.id not in there and (name_document(one), one.heading) in places]
    texts = await store.evidence.texts(found)
    changes = await asyncio.to_thread(find_citation_changes, draft, cited, found, texts)
    new = list_new_passages(known, found)
    numbers |= {newer: numbers[old] for (old, _), newer in changes.moved.items() if old in numbers}
    told = [
        f"Brought up to date on {format_utc_day(time.time())} from the report of the run {report.run_id}: "
        f"{format_count(len(new), 'new passage')}, {format_count(len(changes.outdated), 'quote')} outdated."
    ]
    if changes.unseen:
        told.append(
            f"Not found again: {format_count(len(changes.unseen), 'cited passage')}; what they say is of before."
        )
    return {
        "draft": changes.apply_to(draft).model_dump(mode="json"),
        "numbers": {**numbers},
        "remarks": [*told, *remarks],
        "outdated": [one.model_dump(mode="json") for one in changes.outdated],
        "dropped": [*sorted(changes.dropped)],
        "unchanged": not new and not changes.outdated,
    }


async def write_changed_report(
    attempt: Attempt, agent: AgentDefinition, given: EditorInput, loaded: Loaded, task: TaskEnvelope
) -> tuple[ReportDraft, ShownPassages]:
    """The changed draft, citing by ids, and the passages that it may cite: those shown, and those cited before.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
    """
    more = loaded.more
    before = ReportDraft.model_validate(more["draft"])
    told: JsonObject = {"numbers": more["numbers"], "remarks": more["remarks"]}
    numbers = await attempt.store.evidence.numbers_of_run(attempt.call.run_id)
    keys = name_passages(list(dict.fromkeys((*loaded.shown.ids.values(), *cited_ids(before)))), numbers)
    dropped = ensure_list(more.get("dropped"))
    ids = {key: id for id, key in keys.items() if id not in dropped}
    shown = loaded.shown.model_copy(update={"ids": ids})
    if more.get("unchanged"):
        return ReportDraft.model_validate(before.model_dump() | told), shown
    task = task.model_copy(update={"given": {"report": _describe_report(before, more, keys)}})
    answer = await attempt.ask(build_question_agent(agent.asks, task), agent.asks.request, task, loaded.shown.order)
    written = with_canonical_ids(await asyncio.to_thread(draft_from_prose, answer.output), ids)
    told["remarks"] = [*written.remarks, *ensure_list(more["remarks"])]
    # What stays word for word with its quotes was found to hold, and is not read again.
    told["judgements"] = [one.model_dump(mode="json") for one in before.judgements if one.support == "supported"]
    return ReportDraft.model_validate(written.model_dump() | told), shown


def _describe_report(before: ReportDraft, more: JsonObject, keys: Mapping[str, str]) -> JsonObject:
    """The report in its parts, citing by keys, and what of it does not hold."""
    said = with_canonical_ids(before, keys).model_dump(mode="json", exclude_defaults=True)
    report: JsonObject = {name: said[name] for name in PARTS if name in said}
    if doubted := [one.statement for one in before.judgements if one.support in ("partly", "not_supported")]:
        report["doubted"] = [*doubted]
    if outdated := [Citation.model_validate(one) for one in ensure_list(more.get("outdated"))]:
        report["outdated"] = [{"evidence": keys[one.evidence], "quote": one.quote} for one in outdated]
    return report


@dataclass
class CitationChanges:
    """What became of the citations of a report."""

    moved: dict[tuple[str, str], str] = field(default_factory=dict)
    """By id of the passage and quote: the id of the newer passage in which the quote stands."""
    outdated: list[Citation] = field(default_factory=list)
    """Those whose quote the newer text of their document does not have."""
    unseen: set[str] = field(default_factory=set)
    """Ids of cited passages whose document was not found again."""
    dropped: set[str] = field(default_factory=set)
    """Ids of cited passages that may not be cited any more: nothing that they were cited for still stands."""

    def apply_to(self, draft: ReportDraft) -> ReportDraft:
        """`draft` with each citation, and each judgement of a statement, as it is now."""
        newer = {old: new for (old, _), new in self.moved.items()}
        judgements = (
            one.model_copy(update={"evidence": tuple(newer.get(id, id) for id in one.evidence)})
            for one in draft.judgements
        )
        return map_citations(draft, self._follow).model_copy(update={"judgements": tuple(judgements)})

    def _follow(self, cited: Citation) -> Citation:
        newer = self.moved.get((cited.evidence, cited.quote))
        return cited if newer is None else cited.model_copy(update={"evidence": newer})


def find_citation_changes(
    draft: ReportDraft, passages: Mapping[str, Evidence], found: Sequence[Evidence], texts: Mapping[str, StoredText]
) -> CitationChanges:
    """What became of the citations of `draft`.

    Args:
        draft: of the report.
        passages: that it cites, by id.
        found: the passages that its searches find now.
        texts: the stored texts of these, by content hash.
    """
    changes, standing = CitationChanges(), set[str]()
    index = cache(QuoteIndex.of)
    current = {(name_document(one), one.content_hash) for one in found}
    newer: defaultdict[str, list[Evidence]] = defaultdict(list)
    for one in found:
        newer[name_document(one)].append(one)
    for cited in (citation for claim in draft.claims for citation in claim.citations):
        passage = passages.get(cited.evidence)
        if passage is None or ((document := name_document(passage)), passage.content_hash) in current:
            continue
        if document not in newer:
            changes.unseen.add(passage.id)
            continue
        now = newer[document]
        whole = [texts[hash].text for hash in {one.content_hash for one in now} if hash in texts]
        place = next((one.id for one in now if index(one.text).find(cited.quote)), None)
        if place is not None:
            changes.moved[cited.evidence, cited.quote] = place
        elif any(index(text).find(cited.quote) for text in whole):
            standing.add(passage.id)
        else:
            changes.outdated.append(cited)
    changes.dropped = {one.evidence for one in changes.outdated} - standing
    return changes


def list_new_passages(known: Sequence[Evidence], found: Sequence[Evidence]) -> tuple[str, ...]:
    """The ids of the passages that say what none of the known ones of their document says."""
    before = {(name_document(one), one.text) for one in known}
    ids = {one.id for one in known}
    return tuple(one.id for one in found if one.id not in ids and (name_document(one), one.text) not in before)


def name_document(passage: Evidence) -> str:
    """The document of a passage, whichever version of its text that is: ids of files end in the hash of theirs."""
    return passage.document.removesuffix(f"@{passage.content_hash[:8]}")
