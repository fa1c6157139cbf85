"""Errors as problem documents: when to ask again is what the error says, or else what its kind does."""

import pytest

from elcano.api.http.problems import known_problem
from elcano.service.errors import PROBLEMS, QuotaUsedUp


@pytest.mark.parametrize("own", [None, 17])
def test_who_is_refused_is_told_when_to_ask_again(own: int | None) -> None:
    error = QuotaUsedUp("runs_a_day is used up")
    error.retry_after = own
    usual = PROBLEMS[QuotaUsedUp].retry_after
    told = own if own is not None else usual
    answer = known_problem(error, "/v1/runs")
    assert answer.headers.get("Retry-After") == (None if told is None else str(told))
