"""Renders a report as Markdown: question and outcome come first, and nothing that failed verification is left out.

The words of a report are the writer's or the sources'; all of them pass through `prose` or `markdown`, and only code
writes numbers. A statement that does not hold is marked where it is and listed with the reason.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Final

from elcano.activities.report.additions import AddedText
from elcano.activities.report.checked_draft import REASONS, CheckedDraft
from elcano.activities.report.markdown import (
    escape_markdown,
    render_bullets,
    render_link,
    render_references,
    render_work_flag,
    sanitize_markdown,
)
from elcano.activities.report.quoted_words import list_quoted_words
from elcano.activities.report.table_marks import name_cell
from elcano.activities.report.work_merge import Works
from elcano.graphs.contracts import PublishCall
from elcano.graphs.lifecycle.finish import list_made_queries
from elcano.graphs.report.report import CheckedCitation, Part, heading_for
from elcano.graphs.report.works import describe_work_flags
from elcano.graphs.spec.graph import MISSING
from elcano.graphs.state.budget import usd_from_microusd
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.plan import SectionGap, SectionResult
from elcano.graphs.text import format_utc_day, shorten_text
from elcano.storage.evidence import Evidence
from elcano.text.phrases import ENGLISH, Phrases, describe_early_end, translate_reason
from elcano.text.words import first_sentences

PASSAGE_CHARACTERS: Final = 1_000
"""Maximum characters of a passage where there is no report; the evidence store has the whole."""
NEAREST_CHARACTERS: Final = 400
"""Maximum characters of a passage where nothing may be quoted as an answer."""
FOLLOWED_CHARACTERS: Final = 300
"""Maximum length of the previous question."""


def partial_reason(ending: Ending | None) -> str | None:
    """Why a run ended early, in words without a full stop; None if it did not."""
    if ending is None:
        return None
    return _describe_ending(ending, ENGLISH)


def _describe_ending(ending: Ending, words: Phrases) -> str:
    detail = ending.detail.strip().rstrip(".")
    return f"{words.endings[ending.kind]}: {detail}" if detail else words.endings[ending.kind]


def render_report(
    call: PublishCall,
    checked: CheckedDraft,
    parts: Sequence[Part],
    words: Phrases,
    doubts: Sequence[str] = (),
    searched: Sequence[str] = (),
    added: Sequence[AddedText] = (),
) -> str:
    """The report of a run whose writer handed over a draft.

    Args:
        call: what the run hands over.
        checked: its draft.
        parts: that draft, rendered.
        words: the fixed words in the language of the report.
        doubts: which references do not stand.
        searched: the first and the last day on which there was a search.
        added: what plugins add.
    """
    draft = checked.draft
    passage = partial(_render_passage_entry, checked.works)
    untold = not draft.answered and words.other_language in draft.limitations
    nothing_searched = call.ending is not None and call.ending.kind == "sources" and not call.evidence
    untrue = {words.other_language} if untold else set()
    untrue |= {words.nothing_found, words.nothing_holds} if nothing_searched else set()
    limitations = render_bullets(
        words.limitations, map(sanitize_markdown, (one for one in draft.limitations if one not in untrue))
    )
    related = render_bullets(words.related, map(passage, checked.related)) if draft.answered else []
    silent = words.not_answered if draft.quoted or not call.evidence else words.silent_passages
    refused = words.other_language if untold else _first_said(one.refusal for one in added) or silent
    refusal = [] if draft.answered or nothing_searched else [f"**{refused}**"]
    nearest = [] if draft.answered else _render_nearest_passages(checked, words)
    retrieved = _list_retrieval_days(checked.given)
    searches = _render_searches(call, words, retrieved, searched)
    day = retrieved[0] if len(retrieved) == 1 else ""
    explained = bool(parts)  # what a model says of a question without an answer comes before what it lacks
    return _join_blocks(
        [
            f"# {escape_markdown(draft.title)}",
            _render_header(call, words, _render_authorship(call, words, checked, added), doubts),
            *refusal,
            *([] if draft.answered or explained else [*limitations, *nearest]),
            *_render_opening_parts(parts),
            *(block for one in added for block in one.opening),
            *_render_sections(call, parts, words),
            *(block for one in added for block in one.middle),
            *_render_closing_parts(parts),
            *(block for one in added for block in one.closing),
            *(limitations if draft.answered or explained else []),
            *(nearest if explained else []),
            *render_bullets(words.unverified, dict.fromkeys(_list_unverified_claims(checked, words, added))),
            *related,
            *render_bullets(words.warnings, map(escape_markdown, (*draft.remarks, *call.warnings))),
            *searches,
            *(block for one in added for block in one.end),
            *render_references(
                checked.references, words.references, list_quoted_words(checked, words), day if searches else ""
            ),
        ]
    )


def render_evidence(
    call: PublishCall,
    title: str,
    evidence: Sequence[Evidence],
    works: Works | None = None,
    searched: Sequence[str] = (),
    added: Sequence[AddedText] = (),
) -> str:
    """Render the evidence as found, in place of a report without a draft, and say that it is no more than that."""
    why = f" ({escape_markdown(call.failure.message)})" if call.failure else ""
    if evidence:
        shown = _first_said(one.shows for one in added)
        below = f"Below are {shown} and" if shown else "Below is"
        notice = f"**There is no report: none was written{why}.** {below} the evidence as it was found, in that order."
    else:
        notice = f"**There is no report: none was written{why}, and no evidence was found.**"
    known = works or Works(evidence)
    elsewhere = {id for one in added for id in one.passages}
    passages = (
        f"{_render_passage_entry(known, passage)}\n\n  > "
        f"{escape_markdown(shorten_text(passage.text, PASSAGE_CHARACTERS))}"
        for passage in evidence
        if passage.id not in elsewhere
    )
    return _join_blocks(
        [
            f"# {escape_markdown(title)}",
            _render_header(call, ENGLISH, "No language model wrote any of this."),
            notice,
            *(block for one in added for block in one.opening),
            *_without_text(call.sections, ENGLISH),
            *(block for one in added for block in (*one.middle, *one.closing)),
            *render_bullets("Evidence", passages),
            *render_bullets("Warnings", map(escape_markdown, call.warnings)),
            *_render_searches(call, ENGLISH, _list_retrieval_days(evidence), searched),
            *(block for one in added for block in one.end),
        ]
    )


def _render_header(call: PublishCall, words: Phrases, author: str, doubts: Sequence[str] = ()) -> str:
    state = f"{_render_partial_notice(call.ending, words)} " if call.ending else ""
    warned = "".join(f"\n>\n> {words.warning} {escape_markdown(doubt)}" for doubt in doubts)
    asked = f"{words.asked} {escape_markdown(call.question)}{_render_followed_run(call, words)}"
    return f"> {asked}\n>\n> {state}{author}{_render_mode_choice(call, words)}{warned}"


def _render_partial_notice(ending: Ending, words: Phrases) -> str:
    said = words.incomplete if ending.kind in MISSING else words.partial
    return said.format(reason=sanitize_markdown(_describe_ending(ending, words)))


def _render_followed_run(call: PublishCall, words: Phrases) -> str:
    """Which run this one follows, and what that was asked."""
    if not call.follows:
        return ""
    asked = escape_markdown(shorten_text(" ".join(call.follows_question.split()), FOLLOWED_CHARACTERS))
    return f"\n>\n> {words.follows.format(run=escape_markdown(call.follows), question=asked)}"


def _render_mode_choice(call: PublishCall, words: Phrases) -> str:
    """Which mode a run chose that was left to choose, and why."""
    if not call.choice.mode:
        return ""
    mode, chosen, reason = map(escape_markdown, (call.mode, call.choice.mode, call.choice.reason))
    return f"\n>\n> {words.mode_choice.format(mode=mode, chosen=chosen, reason=reason)}"


def _render_authorship(call: PublishCall, words: Phrases, checked: CheckedDraft, added: Sequence[AddedText]) -> str:
    """Render the authors of the report, and how much of it was checked."""
    models = escape_markdown(", ".join(call.models) or words.unnamed)
    author = words.quoted if checked.draft.quoted else words.written.format(models=models)
    support = next((one.support for one in added if one.support is not None), None)
    checks = _summarize_support(checked, words) if support is None else support
    return f"{_first_said(one.author for one in added) or author}{checks}"


def _summarize_support(checked: CheckedDraft, words: Phrases) -> str:
    """Say how much of a reviewed report is supported; for an unreviewed one, say that it was not reviewed."""
    counts = checked.support
    if checked.draft.quoted or not counts.total:
        return ""
    if not checked.draft.judgements:
        return f" {words.unread}"
    summary = (words.read_one if counts.total == 1 else words.read_many).format(
        total=f"{counts.total:,}",
        supported=counts.supported,
        partly=counts.partly,
        beyond=words.read_beyond.format(count=counts.in_passage) if counts.in_passage else "",
        refused=counts.not_supported,
        rest=words.unread_rest.format(count=counts.unchecked) if counts.unchecked else "",
    )
    return f" {summary}"


def _render_nearest_passages(checked: CheckedDraft, words: Phrases) -> list[str]:
    """List the nearest passages with their first sentences, for a report without quotes: they may hold the answer."""
    shown = (
        f"{_render_passage_entry(checked.works, one)}\n\n  > "
        f"{escape_markdown(first_sentences(one.text, NEAREST_CHARACTERS))}"
        for one in checked.related
    )
    heading, *listed_ = render_bullets(words.nearest, shown) or [""]
    return [heading, words.nearest_passages, *listed_] if listed_ else []


def _render_opening_parts(parts: Iterable[Part]) -> Iterable[str]:
    """Render the immediate answer: the introduction, and the key findings as bullets, if they are single lines."""
    for part in parts:
        texts = [block.markdown for block in part.blocks]
        if part.kind == "introduction":
            yield from texts
        elif part.kind == "key_findings":
            lines = all(one.kind in ("paragraph", "quotation") and "\n" not in one.markdown for one in part.blocks)
            yield from render_bullets(part.heading, texts) if lines else (f"## {part.heading}", *texts)


def _render_closing_parts(parts: Iterable[Part]) -> Iterable[str]:
    """Render the parts below the sections."""
    for part in parts:
        if part.kind in ("disputed", "strength", "conclusion"):
            yield f"## {part.heading}"
            yield from (block.markdown for block in part.blocks)


def _render_sections(call: PublishCall, parts: Iterable[Part], words: Phrases) -> Iterable[str]:
    """Render the draft's sections, with a reason for each without claims; then those that the draft does not name."""
    planned = {heading_for(section.title): section for section in call.sections}
    for section in (part for part in parts if part.kind == "section"):
        result = planned.pop(heading_for(section.heading), None)
        yield f"## {escape_markdown(section.heading)}"
        yield from (block.markdown for block in section.blocks)
        yield from _render_section_remarks(result, words, empty=not section.blocks)
    yield from _without_text(planned.values(), words)


def _without_text(sections: Iterable[SectionResult], words: Phrases) -> Iterable[str]:
    for section in sections:
        if section.gap is not None or section.unanswered:
            yield f"## {escape_markdown(heading_for(section.title))}"
            yield from _render_section_remarks(section, words, empty=True)


def _render_section_remarks(section: SectionResult | None, words: Phrases, *, empty: bool) -> Iterable[str]:
    """Yield remarks on a section: that it is missing and why, that it has no answer, or that it ended early."""
    if section is not None and section.gap is not None:
        yield words.section_missing.format(reason=_describe_gap(section.gap))
    elif empty or (section is not None and section.unanswered):
        yield f"**{words.section_unanswered}**"
    if section is not None and section.ending and section.gap is None:
        reason = describe_early_end(section.ended_by, section.ending.rstrip("."), words)
        yield words.section_ended.format(reason=escape_markdown(reason))


def _describe_gap(gap: SectionGap) -> str:
    figures = [
        f"tried {gap.attempts} times" if gap.attempts > 1 else "tried once" if gap.attempts else "",
        f"{gap.tokens:,} tokens used" if gap.tokens else "",
        f"{usd_from_microusd(gap.cost_microusd):.4f} USD spent" if gap.cost_microusd else "",
    ]
    return f"{escape_markdown(gap.reason.rstrip('.'))} ({', '.join(filter(None, figures)) or 'never started'})."


def _list_unverified_claims(checked: CheckedDraft, words: Phrases, added: Iterable[AddedText]) -> Iterable[str]:
    titles = {one.id: one.title for one in checked.given}
    reasons: dict[str, list[str]] = {}  # a statement is listed once, with all its citations that do not hold
    for cited, context in _iter_unverified(checked):
        statement = name_cell(shorten_text(cited.claim, NEAREST_CHARACTERS), context)  # a whole table may cite nothing
        reason = f"{translate_reason(REASONS[cited.verdict], words)}."
        title = titles.get(cited.evidence, "")
        work = f" {words.cited_work.format(title=escape_markdown(title))}" if title else ""
        quoted = f"{work} {words.cited_words.format(words=escape_markdown(cited.quote))}"
        reasons.setdefault(statement, []).append(reason if cited.verdict == "no_citation" else f"{reason}{quoted}")
    for statement, found in reasons.items():
        yield " — ".join([sanitize_markdown(statement), *dict.fromkeys(found)])
    for one in checked.doubted:
        reason = translate_reason(one.reason.rstrip("."), words)
        yield f"{sanitize_markdown(name_cell(one.text, one.context))} — {escape_markdown(reason)}."
    yield from (line for one in added for line in one.doubts)


def _iter_unverified(checked: CheckedDraft) -> Iterable[tuple[CheckedCitation, str]]:
    """The citations that do not hold, each with the row and column of its table cell; empty: it is in none."""
    for claim in checked.claims:
        contexts = (one.context for one in claim.statements for _ in one.citations)
        pairs = zip(claim.citations, chain(contexts, repeat("")), strict=False)
        yield from ((one, context) for one, context in pairs if one.verdict != "verified")


def _render_passage_entry(works: Works, passage: Evidence) -> str:
    known = works.of(passage)
    warned = render_work_flag(describe_work_flags(known.work)) if known else ""
    return f"{warned}{render_link(passage.title, passage.locator)} — {escape_markdown(passage.source)}"


def _list_retrieval_days(evidence: Iterable[Evidence]) -> list[str]:
    """The days on which texts were retrieved, in order: that of a result may have been stored before its search."""
    return sorted({format_utc_day(passage.retrieved_at) for passage in evidence} - {""})


def _render_searches(call: PublishCall, words: Phrases, retrieved: Sequence[str], searched: Sequence[str]) -> list[str]:
    """Render the sources, queries and dates of the searches; of days that are the same, only those of searching."""
    sources = words.sources.format(names=escape_markdown(", ".join(call.sources))) if call.sources else ""
    queries = [f"“{escape_markdown(query)}”" for query in list_made_queries(call.records, call.sections)]
    asked = words.searched_for.format(queries=queries[0]) if len(queries) == 1 else ""
    when = [_format_day_span(searched, words.searched_on, words.searched_from)]
    if {*retrieved[:1], *retrieved[-1:]} != set(searched):
        when.append(_format_day_span(retrieved, words.retrieved_on, words.retrieved_from))
    head = " ".join(filter(None, (sources, asked, *when)))
    before = words.searched_for.partition("{queries}")[0].strip()
    listed = [before, "\n".join(f"- {query}" for query in queries)] if len(queries) > 1 else []
    blocks = list(filter(None, (head, *listed)))
    return [f"## {words.what_was_searched}", *blocks] if sources or queries else []


def _format_day_span(days: Sequence[str], one: str, several: str) -> str:
    if not days:
        return ""
    return one.format(day=days[0]) if days[0] == days[-1] else several.format(first=days[0], last=days[-1])


def _first_said(texts: Iterable[str]) -> str:
    return next(filter(None, texts), "")


def _join_blocks(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"
