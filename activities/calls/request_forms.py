"""The form in which an unanswered request is sent again: shorter prompt, shorter answer, or the reason.

A form that was refused is never sent a second time. Each cause has its own change and its own end: a prompt is halved a
few times, an answer that was cut off is asked for once more, shorter and with more room, one that was withheld once
more in plainer words. A wrong form of the answer is another matter: the model gets it back in the same conversation.

A prompt is cut by whole passages, statements and turns, never by half a one. Each kind gives up about the same share.
Only where nothing would be left of drafts next to passages, these give up more to keep a statement of each; if that
leaves none of them either, the passages stay, for they are what can be cited. What stays is chosen as it is for any
prompt. The envelope says how much is missing, so that no one takes it for complete. What a person wrote (the question,
its background, guidance) is never cut.
"""

import json
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from pydantic_ai.models import Model

from elcano.graphs.agents.envelope import (
    EvidenceItem,
    PastIteration,
    SectionItem,
    TaskEnvelope,
    render_envelope,
    render_task_prompt,
)
from elcano.graphs.agents.writing import claim_characters, select_cited_passages, select_fitting_claims
from elcano.graphs.errors import ActivityFault, AnswerCutOff, AnswerDeclined, PromptTooLong, RequestRefused
from elcano.graphs.frozen import Frozen
from elcano.graphs.rules import CHARACTERS_PER_TOKEN

MOST_CUTS: Final = 4
"""A prompt is made a sixteenth of what it was at the most."""
HALF: Final = 0.5
LEAST_ROOM: Final = 4_096
"""Tokens that an answer gets at least that is asked for again, where the allowance has as many."""
MOST_ROOM: Final = 16_384
"""Tokens; models differ in how many they may be asked for at most, and every one that is met today takes as many or
says so."""
MORE_ROOM: Final = 4

SHORTER: Final = (
    "Your answer before this one was cut off because it was too long. Answer again from the beginning, in the same "
    "form and complete, but much shorter: keep what matters most, in few words, and do not think aloud."
)
PLAINER: Final = (
    "Your answer before this one was withheld by a content filter. This is research in published sources. Answer in "
    "neutral, factual words; where a passage is graphic, summarise it and quote only what is not."
)


@dataclass(frozen=True)
class Form:
    """One request as it is to be made."""

    request: str
    """The sentence above the envelope."""
    task: TaskEnvelope
    order: tuple[str, ...] = ()
    """Keys of its passages, those that matter most first."""
    note: str = ""
    """Additional instructions for the model."""
    max_tokens: int | None = None
    """The room for the answer; None: whatever the provider gives."""
    cuts: int = 0

    @cached_property
    def text(self) -> str:
        """The prompt."""
        return render_task_prompt(self.request, self.task)

    @property
    def size(self) -> int:
        """Bytes of the prompt."""
        return len(self.text.encode())

    def shorter(self) -> "Form | None":
        """With half as much in it; None if that cannot be."""
        if self.cuts >= MOST_CUTS or (task := trim_task(self.task, HALF, self.order)) is None:
            return None
        return replace(self, task=task, cuts=self.cuts + 1)

    def after(self, fault: ActivityFault, tokens_left: int | None) -> "Form | None":
        """Return the form to try after `fault`; None if nothing else can be tried with this model.

        Args:
            fault: what became of the request in this form.
            tokens_left: what its answer may use; None: not limited.
        """
        if isinstance(fault, PromptTooLong):
            return self.shorter()
        if isinstance(fault, AnswerCutOff) and not self.note:
            return replace(self, note=SHORTER, max_tokens=_compute_larger_output_limit(fault.tokens, tokens_left))
        if isinstance(fault, AnswerDeclined) and not self.note:
            return replace(self, note=PLAINER)
        if isinstance(fault, RequestRefused) and self.max_tokens is not None:  # it may not be asked for as many
            return replace(self, max_tokens=None)
        return None


def _compute_larger_output_limit(written: int, left: int | None) -> int | None:
    """Return the tokens for an answer cut off after `written`; None if no more are available or needs are unknown."""
    if not 0 < written < MOST_ROOM:
        return None
    room = min(max(MORE_ROOM * written, LEAST_ROOM), MOST_ROOM)
    room = room if left is None else min(room, left)
    return room if room > written else None


class Windows:
    """The smallest prompt that each model has refused."""

    def __init__(self) -> None:
        self._refused: dict[int, int] = {}
        """By the identity of the model, which lives as long as its entry."""

    def refused(self, model: Model, size: int) -> None:
        """Notes that `model` did not take a prompt of `size` bytes."""
        key = id(model)
        if key not in self._refused:
            weakref.finalize(model, self._refused.pop, key, None)
        self._refused[key] = min(size, self._refused.get(key, size))

    def takes(self, model: Model, size: int) -> bool:
        """Whether a prompt of `size` bytes may be tried: nothing as small was refused."""
        return size < self._refused.get(id(model), size + 1)


WINDOWS = Windows()
"""The context windows learned by this process."""


TIGHTER: Final = 0.8
"""The selection does not fill its room exactly; a prompt that is still too long is cut again to this share."""
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
        if fitting := _select_passages_that_fit(passages, room, order):
            sections, shown = begun, fitting
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
