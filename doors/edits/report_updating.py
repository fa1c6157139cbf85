"""Compares a report with what was found now, has the updater say what changes, and puts that into the report.

A citation still holds if its passage, or another one of the same stored text, was found again; or if its quote stands
in the newer text of its document. It is outdated if that text does not have its words. Of a document that was not
found again nothing is known: what rests on it stays as it was. A passage is new if no known text of its document has
its words, and its collection did not have it before: that a search ranks a document higher than last time is no news.

The updater is shown the text of every block under a number, without the quotes of its citations: those that hold stay,
by code. A citation that is outdated names the text that took the place of its own, so the check finds it in whatever
block it is left. Blocks that stay word for word are not read again, nor given back to be mended.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count

from elcano.activities.agents.answer_drafts import OwnDraft, map_citations, with_canonical_ids
from elcano.activities.agents.prompt_parts import build_question_agent
from elcano.activities.calls.attempt import Attempt
from elcano.activities.report.checked_draft import cited_ids
from elcano.doors.edits.report_editing import describe_written_draft, load_written_draft
from elcano.doors.edits.updater import ReportUpdate, UpdatedBlock, UpdaterInput
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import Citation, Claim, ReportDraft, title_for
from elcano.graphs.text import ensure_list, format_count, format_utc_day
from elcano.storage.evidence import INDEXED_AT, Evidence, StoredText
from elcano.storage.store import TenantStore
from elcano.text.prose.blocks import ClaimCollector
from elcano.text.prose.markdown_parser import mark_of
from elcano.text.support.quotes import QuoteIndex


@dataclass
class CitationChanges:
    """Changes to the citations of a report."""

    moved: dict[tuple[str, str], str] = field(default_factory=dict)
    """By id of the passage and quote: the id of the newer passage that has the quote."""
    outdated: dict[tuple[str, str], str] = field(default_factory=dict)
    """Passages of the newer text of documents that lost the quote, by the same keys."""
    unseen: set[str] = field(default_factory=set)
    """Ids of cited passages whose document was not found again."""

    def apply_to(self, draft: ReportDraft) -> ReportDraft:
        """`draft` with each citation, and each judgement of a statement, as it is now.

        An outdated one names the newer text of its document, so readers of its quote see that it is gone.
        """
        newer = {old: new for (old, _), new in self.moved.items()}
        judgements = (
            one.model_copy(update={"evidence": tuple(newer.get(id, id) for id in one.evidence)})
            for one in draft.judgements
        )
        return map_citations(draft, self._follow).model_copy(update={"judgements": tuple(judgements)})

    def _follow(self, cited: Citation) -> Citation:
        place = cited.evidence, cited.quote
        newer = self.moved.get(place) or self.outdated.get(place)
        return cited if newer is None else cited.model_copy(update={"evidence": newer})


def find_citation_changes(
    draft: ReportDraft, passages: Mapping[str, Evidence], found: Sequence[Evidence], texts: Mapping[str, StoredText]
) -> CitationChanges:
    """Find the changes to the citations of `draft`.

    Args:
        draft: of the report.
        passages: that it cites, by id.
        found: the passages that its searches find now.
        texts: the stored texts of these, by content hash.
    """
    changes = CitationChanges()
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
        elif not any(index(text).find(cited.quote) for text in whole):
            beneath = (one.id for one in now if one.heading == passage.heading)
            changes.outdated[cited.evidence, cited.quote] = next(beneath, now[0].id)
    return changes


def list_new_passages(
    found: Sequence[Evidence], known: Sequence[Evidence], texts: Mapping[str, StoredText], since: float
) -> frozenset[str]:
    """The ids of the passages that are new.

    Args:
        found: now.
        known: the passages of the run before.
        texts: the stored texts of these, by content hash.
        since: when that run began, in seconds since the epoch; 0: unknown.
    """
    before: defaultdict[str, list[str]] = defaultdict(list)
    for one in known:
        before[name_document(one)].append(one.text)
    for document, hash in {(name_document(one), one.content_hash) for one in known}:
        before[document] += [texts[hash].text] if hash in texts else []

    def is_new(passage: Evidence) -> bool:
        indexed = passage.metadata.get(INDEXED_AT)
        if isinstance(indexed, int | float) and 0 < indexed < since:
            return False
        return not any(passage.text in text for text in before[name_document(passage)])

    return frozenset(passage.id for passage in found if is_new(passage))


def name_document(passage: Evidence) -> str:
    """The document of a passage, whichever version of its text that is: ids of files end in the hash of theirs."""
    return passage.document.removesuffix(f"@{passage.content_hash[:8]}")


async def load_report_to_update(store: TenantStore, needs: JsonObject, tokens: int) -> JsonObject:
    """The `loader`: the draft of the report, citing what holds now, and which passages are new.

    Raises: as `load_written_draft`.
    """
    draft, report = await load_written_draft(store, needs, tokens)
    known, found, looked_up = [
        await store.evidence.get([str(id) for id in ensure_list(needs.get(name))])
        for name in ("known", "evidence", "looked_up")
    ]
    cited = {one.id: one for one in await store.evidence.get(cited_ids(draft))}
    places = {(name_document(one), one.heading) for one in cited.values()}
    there = {one.id for one in found}
    found += [one for one in looked_up if one.id not in there and (name_document(one), one.heading) in places]
    documents = {name_document(one) for one in found}
    known = [one for one in known if name_document(one) in documents]
    texts = await store.evidence.texts([*found, *known])
    changes = await asyncio.to_thread(find_citation_changes, draft, cited, found, texts)
    since = needs.get("since")
    began = since if isinstance(since, int | float) else 0.0
    new = await asyncio.to_thread(list_new_passages, found, known, texts, began)
    remarks = [
        f"Brought up to date on {format_utc_day(time.time())} from the report of the run {report.run_id}: "
        f"{format_count(len(new), 'new passage')}, {format_count(len(changes.outdated), 'quote')} outdated."
    ]
    if changes.unseen:
        remarks.append(
            f"Not found again: {format_count(len(changes.unseen), 'cited passage')}; what they say is of before."
        )
    described = describe_written_draft(changes.apply_to(draft), report, *remarks)
    numbers = described["numbers"]
    assert isinstance(numbers, dict)
    newer = changes.moved | changes.outdated
    numbers |= {now: numbers[old] for (old, _), now in newer.items() if old in numbers}
    return {
        **described,
        "new": [*sorted(new)],
        "outdated": [[now, quote] for (_, quote), now in changes.outdated.items()],
        "replaced": [*{old: None for old, _ in changes.outdated}],
    }


async def write_updated_report(
    attempt: Attempt, agent: AgentDefinition, given: UpdaterInput, loaded: Loaded, task: TaskEnvelope
) -> OwnDraft:
    """The report with what has changed; no model is asked if nothing has.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
    """
    more = loaded.more
    remarks = ensure_list(more["remarks"])
    before = ReportDraft.model_validate(more["draft"])
    before = before.model_copy(update={"numbers": more["numbers"], "remarks": tuple(map(str, remarks))})
    new = {*ensure_list(more["new"])}
    outdated = {(str(id), str(quote)) for id, quote in map(ensure_list, ensure_list(more["outdated"]))}
    shown = loaded.shown.only(tuple(one for one in task.evidence if loaded.shown.ids[one.key] in new))
    # A quote is moved to whatever passage has it, and the text that an outdated one stood in has it still.
    cited = {id: id for id in cited_ids(before) if id not in ensure_list(more["replaced"])}
    settled = frozenset(one for one in before.claims if not _list_outdated(one, outdated))
    if not new and not outdated:
        return OwnDraft(before, shown.model_copy(update={"ids": cited}), settled)
    parts = [*describe_parts(before, outdated)]
    task = task.model_copy(update={"evidence": shown.items, "given": {"parts": parts}})
    order = tuple(key for key in shown.order if key in shown.ids)
    answer = await attempt.ask(build_question_agent(agent.asks, task), agent.asks.request, task, order)
    draft = await asyncio.to_thread(apply_update, before, answer.output)
    ids = shown.ids | cited
    return OwnDraft(with_canonical_ids(draft, ids), shown.model_copy(update={"ids": ids}), settled)


def _list_outdated(claim: Claim, outdated: Collection[tuple[str, str]]) -> list[Citation]:
    return [one for one in claim.citations if (one.evidence, one.quote) in outdated]


def describe_parts(draft: ReportDraft, outdated: Collection[tuple[str, str]]) -> Iterator[JsonObject]:
    """The blocks of a draft under their parts, as the updater sees them: numbered from 1, its limitations last.

    `outdated` are passages and the quotes that they do not have.
    """
    numbers = count(1)
    parts: list[tuple[str, Sequence[Claim]]] = [
        ("introduction", draft.introduction),
        ("key_findings", draft.key_findings),
        *((f"section: {one.heading}", one.claims) for one in draft.sections),
        ("disputed", draft.disputed),
        ("strength", draft.strength),
        ("conclusion", draft.conclusion),
        ("limitations", [Claim(text=one) for one in draft.limitations]),
    ]
    yield {"part": "title", "text": draft.title}
    for part, claims in parts:
        if claims:
            yield {
                "part": part,
                "blocks": [_describe_block(next(numbers), mark_citations(one), outdated) for one in claims],
            }


def _describe_block(number: int, claim: Claim, outdated: Collection[tuple[str, str]]) -> JsonObject:
    gone: list[Json] = [{"mark": one.mark, "quote": one.quote} for one in _list_outdated(claim, outdated)]
    block: JsonObject = {"id": number, "text": claim.text}
    return block | {"outdated": gone} if gone else block


def mark_citations(claim: Claim) -> Claim:
    """`claim` with a mark for each citation; those that supported the whole of it are marked at its end."""
    used = {mark_of(one.mark) for one in claim.citations}
    free = (mark for mark in map("s{}".format, count(1)) if mark not in used)
    citations = tuple(one if one.mark else one.model_copy(update={"mark": next(free)}) for one in claim.citations)
    marks = [now.mark for now, was in zip(citations, claim.citations, strict=True) if not was.mark]
    return Claim(text=f"{claim.text} [{', '.join(marks)}]" if marks else claim.text, citations=citations)


def apply_update(draft: ReportDraft, update: ReportUpdate) -> ReportDraft:
    """`draft` with what changes in it; citations of what was written now name passages by key still."""
    claims = draft.claims
    last = len(claims) + len(draft.limitations)
    replaced: dict[int, tuple[Claim, ...]] = {}
    behind: defaultdict[int, tuple[Claim, ...]] = defaultdict(tuple)
    remarks: list[str] = []
    for block in update.blocks:
        if not 1 <= block.id <= last:
            remarks.append("A change was left out that named no block of the report.")
            continue
        old = claims[block.id - 1] if block.id <= len(claims) and not block.added else None
        written, left_out = _read_block(block, old)
        remarks += left_out
        if block.added:
            behind[block.id] += written
        else:
            replaced.setdefault(block.id, written)
    numbers = count(1)

    def follow(blocks: Iterable[Claim]) -> tuple[Claim, ...]:
        following = ((next(numbers), one) for one in blocks)
        return tuple(now for n, old in following for now in (*replaced.get(n, (old,)), *behind[n]))

    followed = {
        "introduction": follow(draft.introduction),
        "key_findings": follow(draft.key_findings),
        "sections": tuple(
            one.model_copy(update={"claims": blocks})
            for one in draft.sections
            if (blocks := follow(one.claims)) or not one.claims
        ),
        "disputed": follow(draft.disputed),
        "strength": follow(draft.strength),
        "conclusion": follow(draft.conclusion),
    }
    limitations = [one.text for one in follow([Claim(text=one) for one in draft.limitations])]
    now = draft.model_copy(
        update={
            **followed,
            "title": title_for(update.title) if update.title.strip() else draft.title,
            "limitations": tuple(dict.fromkeys((*limitations, *update.limitations))),
            "remarks": tuple(dict.fromkeys((*remarks, *draft.remarks))),
        }
    )
    answered = draft.answered if update.answered is None else update.answered
    return now.model_copy(update={"answered": answered and bool(now.claims)})


def _read_block(block: UpdatedBlock, old: Claim | None) -> tuple[tuple[Claim, ...], Sequence[str]]:
    """Read the present content of a block, and remarks; marks of the `old` one that it replaces keep their meaning."""
    text = block.text.strip()
    if text.startswith("#") and "\n" not in text:  # a heading whose text follows in the next block
        return (Claim(text=f"### {text.lstrip('# ')}"),), ()
    anew = {mark_of(one.mark) for one in block.citations}
    kept = [one for one in mark_citations(old).citations if mark_of(one.mark) not in anew] if old is not None else []
    written = ClaimCollector((*block.citations, *kept))
    return written.claims(text), written.remarks
