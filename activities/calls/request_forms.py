"""The form in which an unanswered request is sent again: with a shorter prompt, for a shorter answer, or told why.

A form that was refused is never sent a second time. Each cause has its own change and its own end: a prompt is halved a
few times, an answer that was cut off is asked for once more, shorter and with more room, one that was withheld once
more in plainer words. A wrong form of the answer is another matter: the model is told in the same conversation.
"""

import weakref
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from pydantic_ai.models import Model

from elcano.activities.calls.envelope_trimmer import trim_task
from elcano.graphs.agents.envelope import TaskEnvelope, render_task_prompt
from elcano.graphs.errors import ActivityFault, AnswerCutOff, AnswerDeclined, PromptTooLong, RequestRefused

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
    told: str = ""
    """What the model is told beside its instructions."""
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
        """What to ask after `fault`; None if nothing else can be tried with this model.

        Args:
            fault: what became of the request in this form.
            tokens_left: what its answer may use; None: not limited.
        """
        if isinstance(fault, PromptTooLong):
            return self.shorter()
        if isinstance(fault, AnswerCutOff) and not self.told:
            return replace(self, told=SHORTER, max_tokens=_compute_larger_output_limit(fault.tokens, tokens_left))
        if isinstance(fault, AnswerDeclined) and not self.told:
            return replace(self, told=PLAINER)
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
"""Of this process."""
