"""The figures of default budgets in OpenAPI are those of the code."""

import pytest

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.mode_choice import MODES
from elcano.service.runs.run_request import BudgetRequest, CountedLimitName, describe_defaults


@pytest.mark.parametrize("limit", ["tokens", "seconds", "iterations", "steps", "stalls", "resets", "sections"])
def test_openapi_has_the_defaults_of_every_mode(limit: CountedLimitName) -> None:
    described = BudgetRequest.model_json_schema()["properties"][limit]["description"]
    assert described.endswith(f"Left out: {describe_defaults(limit)}.")


def test_each_mode_is_described_with_its_own_default() -> None:
    for part in describe_defaults("tokens").split("), "):
        figure, _, modes = part.rstrip(")").partition(" (")
        for mode in modes.replace("`", "").split(", "):
            assert default_limits(MODES[mode]).tokens == int(figure.replace(",", ""))
