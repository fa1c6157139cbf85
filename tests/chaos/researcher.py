"""A provider that researches: it reads the task envelope of a prompt and answers as the agent that is asked.

What it answers depends on the envelope alone, so a call that is made again is answered as before. It can hold back its
answer at chosen places, so that whatever is done meanwhile is done in the middle of a run.
"""

import re
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.provider import Provider, Reply, Request, make_completion, scripted_provider
from tests.chaos.storm import tables

HOLD_SECONDS = 300.0
"""After so long an answer is given even if nobody released it."""


class Place(NamedTuple):
    """A call of an agent in a run; runs are told apart by their question."""

    question: str
    agent: str
    iteration: int


class Researcher:
    """Answers every agent of a research loop that is complete in the third iteration."""

    def __init__(self, *, delay: float = 0.0) -> None:
        self.delay = delay
        """Seconds that every answer takes."""
        self.prompts: list[tuple[Place, str]] = []
        """What was asked, in the order of asking, with the texts of passages for their keys."""
        self._holding: set[Place] = set()
        self._held: set[Place] = set()
        self._halved: Place | None = None
        self._released = threading.Event()

    def halve(self, place: Place) -> None:
        """Forgets what was asked, and from now on gives half of the answer at `place`, and the rest on `release`."""
        self.hold(())
        self._halved = place

    def hold(self, places: Collection[Place]) -> None:
        """Forgets what was asked, and from now on holds back the answers at `places` until `release`."""
        self.prompts.clear()
        self._held.clear()
        self._released.clear()
        self._holding = set(places)
        self._halved = None

    @property
    def holds(self) -> bool:
        """All places were reached, and their answers are held back."""
        return self._held == self._holding and not self._released.is_set()

    def release(self) -> None:
        """Gives the answers that are held back, and holds no more."""
        self._released.set()

    def __call__(self, request: Request) -> Reply:
        """The reply to one request."""
        prompt = request["messages"][-1]["content"]
        envelope = parse_envelope(prompt)
        assert envelope is not None, "not a prompt of ours"
        place = Place(envelope.question, envelope.kind, envelope.iteration)
        self.prompts.append((place, _without_keys(prompt, envelope)))
        if place in self._holding and not self._released.is_set():
            self._held.add(place)
            self._released.wait(HOLD_SECONDS)
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        reply = make_completion(output(envelope), usage=usage)
        half = self._released if place == self._halved else None
        return Reply(reply.status, reply.body, reply.headers, self.delay, half=half)


def _without_keys(prompt: str, task: TaskEnvelope) -> str:
    """`prompt` as it is in every run: which of several searches is over first decides what keys passages have."""
    texts = {passage.key: passage.text for passage in task.evidence}
    return re.sub(r"\be\d+\b", lambda found: texts.get(found[0], found[0]), prompt)


def output(task: TaskEnvelope) -> JsonObject:
    """What the agent that `task` is for answers."""
    if tables.way_of(task.question) is not None:
        return tables.answer(task, task.question)
    match task.kind:
        case "thinking":
            return {"thought": f"Turn {task.iteration}: {len(task.evidence)} passages."}
        case "knowledge_gap":
            complete = task.iteration >= 3
            return {"research_complete": complete, "outstanding_gaps": [] if complete else [f"gap {task.iteration}"]}
        case "tool_selector":
            words = ("harbour", "island") if task.iteration == 1 else ("voyage", "strait")
            searches: list[Json] = [{"source": task.sources[0].name, "query": word} for word in words]
            return {"tasks": searches}
        case _:
            return build_plain_answer(task)


@contextmanager
def researching(researcher: Researcher) -> Iterator[Provider]:
    """Serves it; what is still held back is released at the end."""
    with scripted_provider(researcher) as provider:
        try:
            yield provider
        finally:
            researcher.release()
