"""Time limits of calls of models: each is a setting, and one preset makes all of them patient."""

from datetime import timedelta

import pytest

from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.service.runs.model_checks import assign_model_queues
from elcano.settings import Settings
from elcano.settings.research import SLOW
from elcano.workflows.retry_policies import AGENT, MODEL_QUEUE_PATIENCE, ask_in


def read_limits(settings: Settings) -> dict[str, float]:
    return {name: getattr(settings, name) for name in SLOW}


@pytest.mark.parametrize("said", ["true", "1", "on", "Yes"])
def test_slow_models_get_more_time(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("ELCANO_SLOW_MODELS", said)
    assert read_limits(Settings()) == SLOW


def test_a_limit_that_is_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_SLOW_MODELS", "true")
    monkeypatch.setenv("ELCANO_MODEL_TIMEOUT_SECONDS", "45")
    assert read_limits(Settings()) == {**SLOW, "model_timeout_seconds": 45.0}


def test_without_it_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_SLOW_MODELS", "false")
    assert read_limits(Settings()) == {
        "model_timeout_seconds": 120.0,
        "first_token_seconds": 0.0,
        "call_seconds": 600.0,
    }


def test_a_run_takes_the_time_of_calls_from_the_api() -> None:
    asked = ResearchInput(run_id="run-1", question="Why?", mode="simple", graph=MODES["simple"])
    assert "call_seconds" not in asked.model_dump(mode="json")
    assigned = assign_model_queues(asked, Settings.model_validate({"slow_models": True}))
    assert assigned.call_seconds == 7_200.0
    assert ResearchInput.model_validate_json(assigned.model_dump_json()).call_seconds == 7_200.0


def test_the_policy_of_a_call_has_its_time() -> None:
    assert ask_in("", 600.0) == AGENT
    assert ask_in("", 90.0)["start_to_close_timeout"] == timedelta(seconds=90)
    queued = ask_in("elcano-model-openai", 90.0)
    assert queued["schedule_to_start_timeout"] == MODEL_QUEUE_PATIENCE
    assert queued["start_to_close_timeout"] == timedelta(seconds=90)
    assert AGENT["start_to_close_timeout"] == timedelta(minutes=10)
