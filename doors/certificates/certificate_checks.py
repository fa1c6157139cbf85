"""Recomputes values from the parts of a certificate, which must match those recorded.

Hashes only prove that nothing was changed since someone computed them. These checks prove that the parts
agree: a change of one requires a change of all others so that they fit.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.report_builder import build_report, build_report_ref
from elcano.activities.tools.tool_activities import build_evidence_ref
from elcano.doors.certificates.certificate_format import Contents, Fault
from elcano.doors.certificates.log_checks import (
    agents_asked,
    doubtful_sections,
    find_log_mismatch,
    journal_of,
    models_asked,
    own_usage,
)
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.step_history import iter_fanout_visits, section_id
from elcano.graphs.records import RunLog
from elcano.graphs.report.places import Box, Cell, Line, find_marks
from elcano.graphs.report.report import CheckedCitation, ReportDraft
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.graphs.text import format_utc_day
from elcano.storage.evidence import Evidence
from elcano.storage.ledger import LedgerEntry
from elcano.storage.lineage import days_of

OUTSIDE: Final = 0.02
"""Share of a page by which a box may lie beyond its edge: the boxes of letters have room around the ink."""


def of_places(held: Contents) -> Iterator[Fault]:
    """Lines are in order and on their pages, and the words of each quote are in the lines that its marks are of."""
    texts = {text.content_hash: text.text for text in held.texts}
    passages = {passage.id: passage for passage in held.evidence}
    for passage in held.evidence:
        why = _find_line_fault(passage.places.lines)
        if why is None and (text := texts.get(passage.content_hash)) is not None:
            why = _find_cell_fault(passage.places.cells, text)
        if why is not None:
            yield Fault("evidence", f"the places of the passage {passage.id!r} cannot be: {why}")
    for cited in held.published.citations:
        text = texts.get(cited.content_hash)
        if not cited.marks or cited.evidence not in passages or text is None:
            continue
        if (why := _find_quote_fault(cited, passages[cited.evidence], text)) is not None:
            yield Fault("report", f"the place of the quote {cited.quote[:60]!r} does not fit: {why}")


def _find_line_fault(lines: Sequence[Line]) -> str | None:
    last = 0
    for line in lines:
        if line.start >= line.end or line.start < last:
            return f"the line at {line.start} is empty or out of order"
        on_page = _is_on_page(line.box) and all(-OUTSIDE <= edge <= 1 + OUTSIDE for edge in line.edges)
        if line.page < 1 or not on_page:
            return f"the line at {line.start} is beyond its page {line.page}"
        last = line.start
    return None


def _find_cell_fault(cells: Sequence[Cell], text: str) -> str | None:
    """Cells follow each other in the text, each with its row on one line; else their heads name others."""
    for before, cell in zip((None, *cells), cells, strict=False):
        where = f"the cell at row {cell.row} and column {cell.column}"
        if not 0 <= cell.start <= cell.end <= len(text) or "\n" in text[cell.start : cell.end]:
            return f"{where} is not in a row of the text"
        if before is None or cell.row == cell.column == 0:  # a table begins
            continue
        if cell.start < before.end or (cell.row, cell.column) <= (before.row, before.column):
            return f"{where} is out of order"
        if text.count("\n", before.end, cell.start) != cell.row - before.row:
            return f"{where} is in another row of the text"
    return None


def _is_on_page(box: Box) -> bool:
    low, high = -OUTSIDE, 1 + OUTSIDE
    return low <= box.left <= box.right <= high and low <= box.top <= box.bottom <= high


def _find_quote_fault(cited: CheckedCitation, passage: Evidence, text: str) -> str | None:
    start, end = cited.start or 0, cited.end or 0
    if cited.marks != find_marks(text, passage.places, start, end):
        return "its marks are not those of its lines"
    if cited.page != cited.marks[0].page:
        return f"it is said to be on page {cited.page}, and its first line is on page {cited.marks[0].page}"
    bare = _find_uncovered_word(text, passage.places.lines, start, end)
    return f"no line has the word {bare!r}" if bare else None


def _find_uncovered_word(text: str, lines: Iterable[Line], start: int, end: int) -> str:
    """The first word of the characters `start` to `end` of which nothing is in a line; empty: there is none."""
    covered = bytearray(end - start)
    for line in lines:
        first, last = max(line.start, start) - start, min(line.end, end) - start
        if first < last:
            covered[first:last] = b"\x01" * (last - first)
    at = start
    for word in text[start:end].split():
        at = text.index(word, at)
        if any(map(str.isalnum, word)) and not any(covered[at - start : at - start + len(word)]):
            return word
        at += len(word)
    return ""


CLOCKS = 300.0
"""Seconds by which the clocks of the machines that worked on a run may differ."""


def of_log(held: Contents) -> Iterator[Fault]:
    """The entries give the recorded state, of the run and of each section; sections left what the run holds of them."""
    yield from (Fault("graph", fault) for fault in find_graph_faults(held.log.asked.graph))
    if (why := find_log_mismatch(held.log)) is not None:
        yield Fault("entries", why)
    for section in held.sections.values():
        if (why := find_log_mismatch(section)) is not None:
            yield Fault("sections", why)
    for log in (held.log, *held.sections.values()):
        yield from (Fault(doubt.part, doubt.text) for doubt in doubtful_sections(log, held.sections))


def of_run(held: Contents) -> Iterator[Fault]:
    """The run's record is what its log says of it."""
    run, asked, state = held.run, held.log.asked, held.log.run
    if not (held.about.run_id == run.run_id == asked.run_id):
        yield Fault("certificate", f"its parts name several runs: {held.about.run_id}, {run.run_id} and {asked.run_id}")
    if fields := [name for name in ("question", "mode", "tenant") if getattr(run, name) != getattr(asked, name)]:
        yield Fault("asked", f"the run's record disagrees on {', '.join(fields)}")
    journal = journal_of(held.log)
    status = finish.status_of(journal, state.failure, run.report, cancelled=False)
    again = finish.build_archived_run(
        asked, journal, status, state.failure, run.report, run.finished_at or 0.0, run.engine, run.execution
    )
    compared = (
        "status",
        "sources",
        "ending",
        "failure",
        "iterations",
        "steps",
        "branch_of",
        "choice",
        "domain",
        "ledger",
    )
    fields = [name for name in compared if getattr(run, name) != getattr(again, name)]
    spent = ("tokens", "cost_usd", "iterations", "steps", "sections")
    fields += [f"budget.{name}" for name in spent if run.budget.get(name) != again.budget.get(name)]
    if fields:
        yield Fault("run", f"the log disagrees on {', '.join(fields)}")


def of_times(held: Contents) -> Iterator[Fault]:
    """Check that calls were made while the run was open, and that its agents were given the day on which it began."""
    run = held.run
    finished = run.finished_at or 0.0
    made = [line.at for line in held.ledger if not line.undone]
    if not all(run.started_at - CLOCKS <= at <= finished + CLOCKS for at in made):
        yield Fault("run", "the ledger has calls from before it began or after it ended")
    began = format_utc_day(run.started_at)
    if held.log.asked.today not in ("", began):
        yield Fault("asked", f"its agents were given the date {held.log.asked.today}, but it began on {began}")
    own = (log for run_id, log in held.sections.items() if run_id.startswith(f"{run.run_id}."))
    if any(log.asked.today not in ("", began) for log in own):
        yield Fault("sections", f"their agents were given another date than {began}")


def of_models(held: Contents) -> Iterator[Fault]:
    """The ledger has each answer of an agent by the model that the log says."""
    answered = {(line.run_id, line.step, line.model) for line in held.ledger if line.outcome == "completed"}
    for log in (held.log, *_of_this_run(held)):
        for step, model in sorted(models_asked(log).items()):
            if (log.asked.run_id, step, model) not in answered:
                yield Fault("ledger", f"it has no answer by {model} for step {step} of {log.asked.run_id}")


def of_versions(held: Contents) -> Iterator[Fault]:
    """Check that the builds are those of the ledger, and that the report names the ones that made its calls."""
    if held.versions.rules != held.log.asked.rules:
        yield Fault("versions", f"the run used the rules {held.log.asked.rules}")
    if set(held.versions.builds) != {line.build for line in held.ledger} - {""}:
        yield Fault("versions", "the ledger names other builds")
    worked = {line.build for line in held.ledger if line.kind != "publish" and not line.undone} - {""}
    if not worked <= set(held.published.builds):
        missing = ", ".join(sorted(worked - set(held.published.builds)))
        yield Fault("report", f"it does not name {missing} among the builds that worked on it")


def of_usage(held: Contents) -> Iterator[Fault]:
    """Check that each step's usage matches the ledger's calls, and that all of it is the run's usage."""
    lines: dict[tuple[str, int], list[LedgerEntry]] = {}
    for line in held.ledger:
        if not line.undone:
            lines.setdefault((line.run_id, line.step), []).append(line)
    undone = _list_undone_steps(held)
    for log in (held.log, *_of_this_run(held)):
        for step, used in own_usage(log).items():
            if (log.asked.run_id, step) in undone:
                continue
            written = sum_usages(line.usage for line in lines.get((log.asked.run_id, step), ()))
            if used != written and not _is_estimated_usage(used, written):
                yield Fault(
                    "ledger",
                    f"step {step} of {log.asked.run_id} used {_format_usage(used)}; it has {_format_usage(written)}",
                )
        for step in sorted(agents_asked(log)):
            if (log.asked.run_id, step) not in lines.keys() | undone:
                yield Fault("ledger", f"step {step} of {log.asked.run_id} called an agent; it has no entry for it")
    if not any(line.kind == "publish" and line.outcome == "completed" for line in held.ledger):
        yield Fault("ledger", "it has no entry for writing the report")
    whole, used = sum_usages(line.usage for line in held.ledger if not line.undone), held.log.run.budget.used
    if whole != used and not _is_estimated_usage(used, whole):
        yield Fault("ledger", f"it adds up to {_format_usage(whole)}, but the run used {_format_usage(used)}")


def of_evidence(held: Contents) -> Iterator[Fault]:
    """Check that passages are those that the run found, and that the cited ones are in their texts."""
    refs = {ref.id: ref for ref in held.log.run.state.evidence}
    if [passage.id for passage in held.evidence] != list(refs):
        yield Fault("evidence", "its passages are not those that the run found")
    texts = {text.content_hash: text for text in held.texts}
    documents = {(passage.content_hash, passage.document) for passage in held.evidence}
    for text in held.texts:
        if sha256(text.text.encode()).hexdigest() != text.content_hash:
            yield Fault("texts", f"the text of {text.document!r} does not match its hash")
    for passage in held.evidence:
        ref, stored = refs.get(passage.id), texts.get(passage.content_hash)
        if ref is not None and build_evidence_ref(passage, ref.duplicate_of) != ref:
            yield Fault("evidence", f"the passage {passage.id!r} is not the one that the run found")
        if stored is not None and stored.text[passage.start : passage.end] != passage.text:
            yield Fault("evidence", f"the passage {passage.id!r} is not in its text")
        # Several documents may have the same text, which is attributed to one of them.
        attributed = stored is None or (stored.content_hash, stored.document) in documents
        if stored is not None and passage.work is None and not attributed:
            yield Fault("texts", f"the text of the passage {passage.id!r} is attributed to {stored.document!r}")


def of_drafts(held: Contents) -> Iterator[Fault]:
    """Drafts match the hashes under which the log names them."""
    for key, content in held.drafts.items():
        if sha256(content.encode()).hexdigest() != key:
            yield Fault("drafts", f"the draft {key} does not match its hash")
    named = {section.draft for section in held.log.run.state.sections if section.draft}
    call = finish.publish_call(held.log.asked, journal_of(held.log))
    named |= {*call.attachments.values(), *([call.draft] if call.draft is not None else [])}
    for key in sorted(named - held.drafts.keys()):
        yield Fault("drafts", f"the draft {key} is missing")


def of_report(held: Contents) -> Iterator[Fault]:
    """Check that the report can be rebuilt, byte for byte, from the log, the draft and the evidence."""
    if held.run.report is None:
        yield Fault("run", "it has no report")
        return
    key = sha256(held.report.encode()).hexdigest()
    if key != held.run.report.artifact:
        yield Fault("report", f"its hash is {key}, but the run's report is {held.run.report.artifact}")
    call = finish.publish_call(held.log.asked, journal_of(held.log))
    if held.published.searched != days_of(held.ledger, call.searched):
        yield Fault("report", "the ledger has searches on other days")
    if held.markdown != held.published.markdown:
        yield Fault("markdown", "it differs from the report's text")
    if build_report_ref(held.published, held.run.report.artifact) != held.run.report:
        yield Fault("run", "its figures differ from the report's")
    if not {*call.attachments.values(), *([call.draft] if call.draft else [])} <= held.drafts.keys():
        return  # reported as a fault of the drafts
    draft = None if call.draft is None else ReportDraft.model_validate_json(held.drafts[call.draft])
    attached = {name: json.loads(held.drafts[key]) for name, key in call.attachments.items()}
    published = held.published
    material = ReportMaterial(call, draft, held.evidence, published.accounts, attached)
    if material.unknown:
        yield Fault("report", f"to check it, load the plugins that add {', '.join(material.unknown)} to reports")
        return
    texts = {text.content_hash: text for text in held.texts}
    if missing := _without_text(held.evidence, material.cited, texts):
        yield Fault("texts", f"the text of the cited passage {missing!r} is missing")
        return
    again = build_report(material, texts, published.builds, published.searched)
    fields = [name for name in type(again).model_fields if getattr(again, name) != getattr(held.published, name)]
    if fields:
        yield Fault("report", f"rebuilt from the recorded draft and evidence, it differs in {', '.join(fields)}")
    elif again.model_dump_json() != held.report:
        yield Fault("report", "rebuilt, it has the same content in different bytes")


ALL: Final[Mapping[str, Callable[[Contents], Iterator[Fault]]]] = {
    "Replaying the logs of the run and its sections leads to the recorded state.": of_log,
    "The run's record agrees with its log.": of_run,
    "All calls were made while the run was open.": of_times,
    "The ledger names the model that answered each step.": of_models,
    "The builds that worked on the run are those in the ledger.": of_versions,
    "The usage of its steps is what the ledger adds up to.": of_usage,
    "Every cited passage is in its stored text, and every text matches its hash.": of_evidence,
    "Drafts match the hashes under which the log names them.": of_drafts,
    "The words of each quote stand in lines on the page that its citation names.": of_places,
    "Every quote was looked up again, and the rebuilt report is identical, byte for byte.": of_report,
}
"""The checks by what they show if they find no fault."""


def _of_this_run(held: Contents) -> Iterator[RunLog]:
    """Sections whose calls this run paid for."""
    paid = {line.run_id for line in held.ledger if not line.undone}
    return (log for run_id, log in held.sections.items() if run_id in paid)


def _list_undone_steps(held: Contents) -> set[tuple[str, int]]:
    """List steps of sections that others continued and repeated: they no longer belong to the run."""
    of_others = (iter_fanout_visits(log) for log in (held.log, *held.sections.values()))
    used = {section_id(visit, outcome) for found in of_others for visit in found for outcome in visit.outcomes}
    struck = {(line.run_id, line.step) for line in held.ledger if line.undone and line.run_id in held.sections}
    kept = {(line.run_id, line.step) for line in held.ledger if not line.undone}
    return {(run_id, step) for run_id, step in struck - kept if run_id not in used}


def _without_text(evidence: Iterable[Evidence], cited: set[str], texts: Mapping[str, object]) -> str | None:
    return next((one.id for one in evidence if one.id in cited and one.content_hash not in texts), None)


def _is_estimated_usage(used: Usage, written: Usage) -> bool:
    """Return whether the estimate of a cancelled call without usage was charged; the ledger may have less."""
    return used.estimated and used.tokens >= written.tokens


def _format_usage(usage: Usage) -> str:
    return f"{usage.tokens:,} tokens in {usage.requests} requests, {usage.cost_microusd} millionths of a dollar"
