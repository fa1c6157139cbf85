"""Every page that says when a killed worker's calls are repeated says what the policy of calls says."""

from pathlib import Path

import pytest

from elcano.workflows.retry_policies import HEARTBEAT

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("docs/runs.md", "its calls are repeated after {}"),
        ("docs/automation.md", "another worker continues after {}"),
        ("benchmarks/README.md", "another worker repeats the step, {} after the first fell silent"),
        ("docs/deploy.md", "SIGKILL costs {}"),
        ("docs/temporal.md", "once its heartbeat has been silent for {}"),
        ("docs/temporal.md", "| another worker repeats them after {} |"),
    ],
)
def test_calls_of_a_killed_worker_are_repeated_after_one_time(page: str, said: str) -> None:
    text = " ".join((ROOT / page).read_text("utf-8").split())
    assert said.format(f"{HEARTBEAT.total_seconds():.0f} seconds") in text
