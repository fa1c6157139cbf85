"""Reads the text that an agent is writing, from the heartbeats of its call, while a client watches.

Whether one writes is known from the events. The server is asked twice a second then, just after the next heartbeat is
due, and less often as long as there is nothing new. Words are void when the step ends, and when their attempt does.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.contracts import BEAT_SECONDS
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.service.events.feed import Streaming
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.writing import Writing, list_writers

SLOW_SECONDS: Final = 2.0
"""Maximum polling interval while an agent has nothing new to show: words after a silence are seen so much later."""
IDLE_SECONDS: Final = 5.0
"""The longest pause while none does that should: the call waits for a worker or a provider, or Temporal is away."""
LAG_SECONDS: Final = 0.04
"""From a heartbeat to when the server has it; measured, with room for the SDK's own bundling of heartbeats."""

_OVER: Final = frozenset({"error", "ending_early"})
"""Events of a node that end its agent's writing, besides its own: beginning and end may have the same type."""
_UNDOES: Final = frozenset({"rolling_back", "rolled_back", "run_resumed", "execution_ended"})

_words_log = logging.getLogger("api.words")


class WordsReader:
    """Reads the text that one workflow writes; `show` receives it, and a notice when it becomes void."""

    def __init__(self, run_id: str, temporal: Temporal, show: Callable[[Streaming], None]) -> None:
        self._run_id = run_id
        self._temporal = temporal
        self._show = show
        self._begun: AgentEvent | None = None
        """The events by which agents announced that they write."""
        self._shown: Streaming | None = None
        self._writes = asyncio.Event()

    def drop_written(self, events: Sequence[AgentEvent]) -> None:
        """Learns from further events of the workflow whether an agent writes; a step is one agent's."""
        for event in events:
            if self._begun is not None and _is_end_of_step(event, self._begun):
                over, self._begun = self._begun, None
                if (event.step, event.node) == (over.step, over.node):
                    continue
            if self._begun is None and event.type in _list_begins() and event.node:
                self._begun = event
        if self._begun is not None:
            self._writes.set()
        else:
            self._writes.clear()
            self._void()

    async def run(self) -> None:
        """Reads until it is cancelled."""
        while True:
            await self._writes.wait()
            pause = BEAT_SECONDS
            await asyncio.sleep(pause)  # the first words come with the first beat
            while self._writes.is_set():
                pause = await self._look(pause)
                await asyncio.sleep(pause)

    async def _look(self, pause: float) -> float:
        """Shows new text and returns the seconds until the next look. `pause` is the time since the last one."""
        try:
            async with self._temporal.turns.words.take():
                writing = await self._temporal.writing(self._run_id)
        except (RunForgotten, TemporalRefused, TemporalUnavailable) as error:
            _words_log.info("what %s writes cannot be seen at the moment: %s", self._run_id, error)
            return min(2 * pause, IDLE_SECONDS)
        begun = self._begun
        if begun is None:
            return BEAT_SECONDS
        words = None if writing is None else writing.words
        if words is None or words.step != begun.step or not words.text:
            self._void()
            waits = writing is None or not writing.is_started
            return min(2 * pause, IDLE_SECONDS if waits else SLOW_SECONDS)
        found = Streaming.from_record(words, path=begun.path, section=begun.section)
        if found == self._shown:
            return min(2 * pause, SLOW_SECONDS)
        self._shown = found
        self._show(found)
        return _until_beat(writing)

    def _void(self) -> None:
        if self._shown is not None:
            self._show(self._shown.model_copy(update={"text": "", "characters": 0}))
            self._shown = None


def _until_beat(writing: Writing | None) -> float:
    """Seconds until the next heartbeat should have come; some more if that is nearly now."""
    if writing is None or writing.beaten is None:
        return BEAT_SECONDS
    pause = BEAT_SECONDS - writing.beaten % BEAT_SECONDS + LAG_SECONDS
    return pause if pause > 0.8 * BEAT_SECONDS else pause + BEAT_SECONDS


def _is_end_of_step(event: AgentEvent, begun: AgentEvent) -> bool:
    """Whether `event` says that the step ended that `begun` began; that its call is held does not."""
    if event.terminal or event.type in _UNDOES or event.step > begun.step:
        return True
    return event.node == begun.node and event.type in _OVER | _list_begins() | _list_completions()


def _list_begins() -> frozenset[str]:
    """The events with which agents begin to write."""
    return frozenset(AGENTS[name].starts for name in list_writers())


def _list_completions() -> frozenset[str]:
    """The events with which they end."""
    return frozenset(AGENTS[name].completes for name in list_writers())
