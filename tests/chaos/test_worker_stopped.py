"""A worker stands still in the middle of paid calls, as in a throttled container: none of them is made again."""

import asyncio
import os
import signal
from collections import Counter

import pytest

from elcano.dev.stack import open_stack
from elcano.settings import Settings
from tests.chaos.conftest import RULES, ask, completed, ledger, told
from tests.chaos.researcher import Place, Researcher
from tests.unit.dev.test_dev import until

PLACES = [Place("Which harbour froze?", "thinking", 1), Place("Which voyage took three years?", "writer", 3)]
"""Where each of the runs is when the worker stops; both are answered while nobody hears it."""
STANDS_STILL = 12.0
"""Seconds."""


@pytest.mark.timeout(300)
async def test_calls_are_made_once_though_their_worker_stood_still(chosen: Settings, researcher: Researcher) -> None:
    chosen = chosen.model_copy(update={"plugins": (RULES,)})  # with the product's own patience
    async with open_stack(chosen) as running, asyncio.timeout(280):
        researcher.hold(PLACES)
        runs = [await ask(chosen, place.question) for place in PLACES]
        following = [asyncio.create_task(told(chosen, run)) for run in runs]
        await until(lambda: researcher.holds)
        stopped = running.worker.pid
        assert stopped is not None
        os.kill(stopped, signal.SIGSTOP)
        researcher.release()
        await asyncio.sleep(STANDS_STILL)
        os.kill(stopped, signal.SIGCONT)
        assert [(await seen)[-1].event for seen in following] == ["complete", "complete"]
        assert running.worker.pid == stopped
        for run in runs:
            assert set((await completed(chosen, run)).values()) == {1}
            assert {line.attempt for line in await ledger(chosen, run)} == {1}
    asked = Counter(researcher.prompts)
    assert set(asked.values()) == {1}
    assert {place for place, _ in asked} >= set(PLACES)
