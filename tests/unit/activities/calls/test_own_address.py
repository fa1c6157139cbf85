"""A model at one's own address is named with it, and nobody is sent to the pages of a provider that never saw it."""

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from elcano.activities.calls.model_failures import fault_of
from elcano.activities.calls.models import resolve_model
from elcano.graphs.model_names import ModelChoice
from elcano.settings import Settings

MISSING = ModelHTTPError(404, "qwen", {"error": {"message": "no such model", "code": "model_not_found"}})


def told(name: str, **given: object) -> str:
    model = resolve_model(ModelChoice(default=name), "writer", Settings.model_validate(given))
    return str(fault_of(MISSING, model))


@pytest.mark.parametrize("name", ["openai-chat:qwen", "openai:qwen"])
def test_a_server_of_ones_own_is_named_by_its_address(name: str) -> None:
    said = told(name, model_base_url="http://me:hunter22@gpu.example.org:8000/v1")
    assert "qwen at http://gpu.example.org:8000: HTTP 404" in said
    assert "see `/v1/models` of the server" in said
    assert "openai:" not in said
    assert "openai.com" not in said
    assert "hunter22" not in said


def test_the_providers_own_address_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    said = told("openai-chat:gpt-0")  # a model is kept, and no other test asks for this one
    assert "openai:gpt-0: HTTP 404" in said
    assert "https://platform.openai.com/docs/models" in said
