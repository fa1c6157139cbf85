"""What an attempt may still use of what its call may, and when it is the last."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.calls.attempt import Attempt
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


@pytest.mark.parametrize(("attempt", "last"), [(1, False), (2, True)])
def test_an_answer_in_the_wrong_form_is_asked_for_by_two_attempts(attempt: int, last: bool) -> None:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=attempt)
    error = environment.run(classify_failure, AnswerUnusable("no JSON"))
    assert (error.type, error.non_retryable) == (FailureType.MODEL_OUTPUT, last)
