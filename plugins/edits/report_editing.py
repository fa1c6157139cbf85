"""Loads the report that is to be changed, compares it with what was found if it is updated, and has the editor write.

The editor sees the stored draft, which has the mark of every citation. Passages keep the numbers that their references
had. What code wrote into the report for its own run, such as statistics, is not repeated, and that is said.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Final

from elcano.activities.agents.answer_drafts import draft_from_prose, map_citations, with_canonical_ids
from elcano.activities.agents.prompt_parts import build_question_agent
from elcano.activities.agents.prompt_passages import name_passages
from elcano.activities.calls.attempt import Attempt
from elcano.activities.report.checked_draft import cited_ids
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.envelope import Loaded, ShownPassages, TaskEnvelope
from elcano.graphs.agents.writing import ReportProse
from elcano.graphs.errors import BudgetExhausted, InputInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Citation, Report, ReportDraft
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.text import ensure_list, format_count, format_utc_day
from elcano.plugins.edits.editor import EditorInput
from elcano.plugins.edits.outdated_citations import find_citation_changes, list_new_passages
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
    known, found = [
        await store.evidence.get([str(id) for id in ensure_list(needs[name])]) for name in ("known", "found")
    ]
    cited = {one.id: one for one in await store.evidence.get(cited_ids(draft))}
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
        "draft": map_citations(draft, changes.follow).model_dump(mode="json"),
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
