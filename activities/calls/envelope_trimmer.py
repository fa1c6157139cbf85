"""Cuts an envelope that is too long for a model by whole passages, statements and turns, never by half a one.

Each kind gives up about the same share. Only where nothing would be left of drafts beside passages, these give up more
to keep a statement of each; if that leaves none of them either, the passages stay, for they are what can be cited. What
stays is chosen as it is for any prompt: passages in the order in which they matter, statements with every section
heard, the latest turns. The envelope says how much is missing, so that nobody takes it for complete. What a person
wrote (the question, its background, guidance) is never cut.
"""

import json
from collections.abc import Sequence
from typing import Final

from elcano.graphs.agents.envelope import EvidenceItem, PastIteration, SectionItem, TaskEnvelope, render_envelope
from elcano.graphs.agents.writing import claim_characters, select_cited_passages, select_fitting_claims
from elcano.graphs.frozen import Frozen
from elcano.graphs.rules import CHARACTERS_PER_TOKEN

TIGHTER: Final = 0.8
"""What is chosen does not fill its room exactly; a cut that is still too long is made again with so much of it."""
TRIES: Final = 6


def trim_task(task: TaskEnvelope, share: float, order: Sequence[str] = ()) -> TaskEnvelope | None:
    """`task` with at most `share` of its characters; None if that cannot be without leaving out all of something.

    Args:
        task: an envelope, perhaps cut before.
        share: over 0, below 1.
        order: keys of its passages, those that matter most first; others come after them.
    """
    whole = len(render_envelope(task))
    most = int(whole * share)
    loose = _count_trimmable_characters(task)
    if loose <= whole - most:
        return None
    kept = (loose - (whole - most)) / loose
    for _ in range(TRIES):
        shorter = _trim_task_parts(task, kept, order)
        if shorter is None or len(render_envelope(shorter)) <= most:
            return shorter
        kept *= TIGHTER
    return None


def _trim_task_parts(task: TaskEnvelope, kept: float, order: Sequence[str]) -> TaskEnvelope | None:
    passages = [item for item in task.evidence if item.text]
    sections, report = _trim_sections(task.sections, kept), _trim_sections(task.written, kept)
    room = sum(map(_count_json_characters, passages)) * kept
    shown = _select_passages_that_fit(passages, room, order)
    if passages and _has_lost_all_claims(
        task.sections, sections
    ):  # a draft of few long statements: passages make room for one
        begun = _keep_first_claims(task.sections)
        room -= _count_claim_characters(begun) - _count_claim_characters(task.sections) * kept
        if beside := _select_passages_that_fit(passages, room, order):
            sections, shown = begun, beside
    drafts = bool(task.sections or task.written)
    if (_has_lost_all_claims(task.sections, sections) and not shown) or _has_lost_all_claims(task.written, report):
        return None
    without_text = [item for item in task.evidence if not item.text]
    if drafts:  # what they cite is named, also where there is no room for its text
        without_text += [one.model_copy(update={"text": ""}) for one in passages if one not in shown]
        without_text = list(select_cited_passages((*sections, *report), without_text))
    stay = {item.key: item for item in (*shown, *without_text)}
    if passages and not stay:
        return None
    return task.model_copy(
        update={
            "evidence": tuple(stay[item.key] for item in task.evidence if item.key in stay),
            "evidence_left_out": task.evidence_left_out + sum(item.key not in stay for item in passages),
            "sections": sections,
            "written": report,
            "conversation": _keep_latest_turns(task.conversation, kept),
        }
    )


def _select_passages_that_fit(items: Sequence[EvidenceItem], room: float, order: Sequence[str]) -> list[EvidenceItem]:
    rank = {key: place for place, key in enumerate(order)}
    chosen: list[EvidenceItem] = []
    for item in sorted(items, key=lambda one: rank.get(one.key, len(rank))):
        if (size := _count_json_characters(item)) <= room:
            chosen.append(item)
            room -= size
    return chosen


def _trim_sections(sections: Sequence[SectionItem], kept: float) -> tuple[SectionItem, ...]:
    titles = sum(len(section.title) + len(section.key_question) for section in sections)
    claims = sum(claim_characters(claim) for section in sections for claim in section.claims)
    shorter = select_fitting_claims(sections, int(titles + claims * kept) // CHARACTERS_PER_TOKEN)
    return tuple(
        after.model_copy(update={"left_out": before.left_out + after.left_out})
        for before, after in zip(sections, shorter, strict=True)
    )


def _keep_first_claims(sections: Sequence[SectionItem]) -> tuple[SectionItem, ...]:
    """`sections` with the first statement of each alone."""
    return tuple(
        one.model_copy(update={"claims": one.claims[:1], "left_out": one.left_out + len(one.claims[1:])})
        for one in sections
    )


def _count_claim_characters(sections: Sequence[SectionItem]) -> int:
    return sum(_count_json_characters(claim) for section in sections for claim in section.claims)


def _keep_latest_turns(turns: Sequence[PastIteration], kept: float) -> tuple[PastIteration, ...]:
    """Keep the latest turns that fit; the last one always stays."""
    room = sum(map(_count_json_characters, turns)) * kept
    stay = 0
    for turn in reversed(turns):
        room -= _count_json_characters(turn)
        if room < 0 and stay:
            break
        stay += 1
    return tuple(turns[len(turns) - stay :])


def _has_lost_all_claims(before: Sequence[SectionItem], after: Sequence[SectionItem]) -> bool:
    return any(one.claims for one in before) and not any(one.claims for one in after)


def _count_trimmable_characters(task: TaskEnvelope) -> int:
    """Characters that may be left out."""
    rest = sum(map(_count_json_characters, (*(item for item in task.evidence if item.text), *task.conversation)))
    return rest + _count_claim_characters((*task.sections, *task.written))


def _count_json_characters(item: Frozen) -> int:
    return len(json.dumps(item.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, indent=1))
