"""Loads the report that is to be changed, and has the editor write it anew.

The editor sees the stored draft, which has the mark of every citation. Passages keep the numbers that their references
had. What code wrote into the report for its own run, such as statistics, is not repeated, and that is said.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from elcano.activities.agents.answer_drafts import OwnDraft, draft_from_prose, with_canonical_ids
from elcano.activities.agents.prompt_parts import build_question_agent
from elcano.activities.agents.prompt_passages import name_passages
from elcano.activities.calls.attempt import Attempt
from elcano.activities.report.checked_draft import cited_ids
from elcano.doors.edits.editor import EditorInput
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.agents.writing import ReportProse
from elcano.graphs.errors import BudgetExhausted, InputInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Report, ReportDraft
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.storage.store import TenantStore

PARTS: Final = tuple(name for name in ReportProse.model_fields if name in ReportDraft.model_fields)
"""Parts of a draft that are shown, in the order in which they are answered."""


async def load_report(store: TenantStore, needs: JsonObject, tokens: int) -> JsonObject:
    """The draft of the report with the numbers of its references, and what has to be said of it: the `loader`.

    Raises: as `load_written_draft`.
    """
    draft, report = await load_written_draft(store, needs, tokens)
    remark = f"Rewritten from the report of the run {report.run_id}; nothing was searched for it."
    return describe_written_draft(draft, report, remark)


async def load_written_draft(store: TenantStore, needs: JsonObject, tokens: int) -> tuple[ReportDraft, Report]:
    """The draft that `needs` names, and the report that was made of it.

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
    return draft, report


def describe_written_draft(draft: ReportDraft, report: Report, *notes: str) -> JsonObject:
    """The draft, the numbers of its references, and the remarks on it, of which `notes` come first."""
    remarks = [*notes]
    if report.partial is not None:
        remarks.append(f"That report is incomplete: {report.partial}.")
    if report.attachments:
        remarks.append(f"These parts, which code added to its text, are not repeated: {', '.join(report.attachments)}.")
    numbers: JsonObject = {one.evidence: one.number for one in report.citations if one.number is not None}
    return {"draft": draft.model_dump(mode="json"), "numbers": numbers, "remarks": [*remarks]}


async def write_changed_report(
    attempt: Attempt, agent: AgentDefinition, given: EditorInput, loaded: Loaded, task: TaskEnvelope
) -> OwnDraft:
    """The changed draft, which may cite the passages shown and those cited before.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
    """
    more = loaded.more
    before = ReportDraft.model_validate(more["draft"])
    numbers = await attempt.store.evidence.numbers_of_run(attempt.call.run_id)
    keys = name_passages(list(dict.fromkeys((*loaded.shown.ids.values(), *cited_ids(before)))), numbers)
    ids = {key: id for id, key in keys.items()}
    task = task.model_copy(update={"given": {"report": _describe_report(before, keys)}})
    answer = await attempt.ask(build_question_agent(agent.asks, task), agent.asks.request, task, loaded.shown.order)
    changed = await asyncio.to_thread(draft_from_prose, answer.output, cut_off=answer.cut_off)
    written = with_canonical_ids(changed, ids)
    remarks = more["remarks"]
    assert isinstance(remarks, list)
    details: JsonObject = {
        "numbers": more["numbers"],
        "remarks": [*written.remarks, *remarks],
        # What stays word for word with its quotes was found to hold, and is not read again.
        "judgements": [one.model_dump(mode="json") for one in before.judgements if one.support == "supported"],
    }
    draft = ReportDraft.model_validate(written.model_dump() | details)
    return OwnDraft(draft, loaded.shown.model_copy(update={"ids": ids}))


def _describe_report(before: ReportDraft, keys: Mapping[str, str]) -> JsonObject:
    """The report in its parts, citing by keys, and what of it was doubted."""
    said = with_canonical_ids(before, keys).model_dump(mode="json", exclude_defaults=True)
    report: JsonObject = {name: said[name] for name in PARTS if name in said}
    if doubted := [one.statement for one in before.judgements if one.support in ("partly", "not_supported")]:
        report["doubted"] = [*doubted]
    return report
