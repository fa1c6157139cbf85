"""What the model that needs no key cannot play is refused before it starts, and `auto` leaves it alone."""

import httpx
import pytest

from elcano.dev.demo import is_scripted
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import ModelChoice
from elcano.service.runs.mode_checks import find_barred_modes
from elcano.settings.settings import Settings

NEED_MODEL = ("magentic", "hierarchical", "analysis")
pytestmark = pytest.mark.usefixtures("built_in_plugins")


@pytest.mark.parametrize("mode", NEED_MODEL)
async def test_a_mode_that_needs_a_language_model_is_refused_without_one(api: httpx.AsyncClient, mode: str) -> None:
    refused = await api.post("/v1/runs", json={"question": "Why?", "mode": mode, "model": "offline"})
    assert refused.status_code == 422
    assert refused.json()["type"] == "urn:elcano:request-invalid"
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "model.default"
    assert f"{mode!r} needs a language model, and `offline` has no rules for " in fault["message"]


@pytest.mark.parametrize("mode", ["simple", "iterative", "deep", "deep_brief", "auto"])
async def test_the_others_run_without_one(api: httpx.AsyncClient, mode: str) -> None:
    answer = await api.post("/v1/runs", json={"question": "Why?", "mode": mode, "model": "offline"})
    assert answer.status_code == 201, answer.text


async def test_each_mode_says_whether_it_needs_one(api: httpx.AsyncClient) -> None:
    listed = (await api.get("/v1/modes")).json()
    assert tuple(mode["name"] for mode in listed if mode["needs_model"]) == NEED_MODEL


async def test_auto_is_told_why_it_cannot_choose_them() -> None:
    barred = find_barred_modes(
        default_limits(MODES["deep"]), ("pubmed",), Settings(_env_file=None), models=ModelChoice(default="offline")
    )
    assert {name for name, why in barred.items() if "it needs a language model" in why} == set(NEED_MODEL)
    free = find_barred_modes(
        default_limits(MODES["deep"]), ("pubmed",), Settings(_env_file=None), models=ModelChoice(default="openai:x")
    )
    assert not set(NEED_MODEL) & set(free)


@pytest.mark.parametrize("mode", [*MODES])
def test_the_demo_of_such_a_mode_has_a_scripted_model(mode: str) -> None:
    assert is_scripted(Settings(_env_file=None), mode) is (mode in NEED_MODEL)
    assert not is_scripted(Settings(_env_file=None, model="openai:gpt-5.1"), mode)
