"""What an attempt may still use of what its call may, and when it is the last."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.heartbeats import Pulse
from elcano.activities.calls.retry_classification import classify_failure
from elcano.graphs.errors import AnswerUnusable
from elcano.graphs.state.budget import Allowance, Usage
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.store import open_store
from tests.unit.activities.agents.material import call


async def test_what_earlier_attempts_used_is_gone_too(tmp_path: Path) -> None:
    asked = call("thinking", {"question": "Why?"}).model_copy(update={"allowance": Allowance(tokens=1_000)})
    nobody = cast(Any, None)
    async with open_store(tmp_path) as store:
        attempt = Attempt(asked, nobody, store.of("default"), Settings(_env_file=None), nobody)
        attempt.before, attempt.usage = Usage(input_tokens=700), Usage(output_tokens=100)
        assert attempt.left.tokens == 200


async def test_an_activity_that_is_reset_numbers_its_lines_on(tmp_path: Path) -> None:
    """It counts its attempts from 1 again, and every attempt was paid for."""
    asked = call("thinking", {"question": "Why?"})
    nobody = cast(Any, None)
    environment = ActivityEnvironment()
    first = environment.info

    async with open_store(tmp_path) as store:
        own = store.of("default")

        async def ask(tokens: int) -> Usage:
            attempt = Attempt(asked, Pulse(), own, Settings(_env_file=None), nobody)
            await attempt.look_back()
            attempt.usage = Usage(requests=1, input_tokens=tokens)
            await attempt.record("failed")
            await attempt.record("completed")
            return attempt.before

        later = first.scheduled_time + timedelta(seconds=9)
        befores = []
        for number, at, tokens in [(1, first.scheduled_time, 100), (2, later, 20), (1, later, 3), (2, later, 4)]:
            environment.info = replace(first, attempt=number, current_attempt_scheduled_time=at)
            befores.append((await environment.run(ask, tokens)).tokens)
        lines = await own.ledger.entries(asked.run_id)
        used = await own.ledger.used(asked.run_id)
    assert [(line.attempt, line.usage.tokens) for line in lines] == [(1, 100), (2, 20), (3, 3), (4, 4)]
    assert befores == [0, 100, 120, 123]
    assert used.tokens == 127


@pytest.mark.parametrize(("attempt", "last"), [(1, False), (2, True)])
def test_an_answer_in_the_wrong_form_is_asked_for_by_two_attempts(attempt: int, last: bool) -> None:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=attempt)
    error = environment.run(classify_failure, AnswerUnusable("no JSON"))
    assert (error.type, error.non_retryable) == (FailureType.MODEL_OUTPUT, last)
