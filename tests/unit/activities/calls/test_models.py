"""Names of models: refused early if their form is wrong, refused with advice if a key or a package is missing."""

import pytest
from pydantic_ai.models.fallback import FallbackModel

from elcano.activities.calls.models import model_text, resolve_model
from elcano.graphs.errors import ModelRefused
from elcano.graphs.model_names import ModelChoice, address_of, model_fault, provider_of
from elcano.settings import Settings
from elcano.subjects.quoting.model import ExtractiveModel

SETTINGS = Settings(_env_file=None, model="offline", agent_models={"writer": "openai:gpt-5.1"})


@pytest.mark.parametrize("text", ["offline", "openai:gpt-5.1", "ollama:llama3:8b", "openai:a, anthropic:b,offline"])
def test_known_forms_have_no_fault(text: str) -> None:
    assert model_fault(text) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a model"),
        ("gpt-5.1", "provider:name"),
        ("openai:", "not a model"),
        ("test", "not a model"),
        ("opnai:gpt-5.1", "did you mean `openai`"),
        ("zzzz:gpt", "one of: "),
        ("openai:a,,openai:b", "not a model"),
        ("offline,openai:a", "must come last"),
    ],
)
def test_a_wrong_form_is_explained(text: str, said: str) -> None:
    fault = model_fault(text)
    assert fault is not None
    assert said in fault
    with pytest.raises(ModelRefused, match=r"\w"):
        resolve_model(ModelChoice(default=text or " "), "judge", SETTINGS)


def test_a_run_goes_before_the_settings_and_an_agent_before_the_default() -> None:
    assert model_text(ModelChoice(), "judge", SETTINGS) == "offline"
    assert model_text(ModelChoice(), "writer", SETTINGS) == "openai:gpt-5.1"
    assert model_text(ModelChoice(default="ollama:a"), "writer", SETTINGS) == "ollama:a"
    assert (
        model_text(ModelChoice(default="ollama:a", by_agent={"writer": "ollama:b"}), "writer", SETTINGS) == "ollama:b"
    )


def test_a_missing_key_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ModelRefused, match="ANTHROPIC_API_KEY"):
        resolve_model(ModelChoice(default="anthropic:missing-key"), "judge", SETTINGS)


def test_a_missing_package_is_refused_with_what_to_do() -> None:
    with pytest.raises(ModelRefused, match="groq"):
        resolve_model(ModelChoice(default="groq:missing-package"), "judge", SETTINGS)


def test_models_are_made_once_per_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    choice = ModelChoice(default="openai:once,offline")
    model = resolve_model(choice, "judge", SETTINGS)
    assert isinstance(model, FallbackModel)
    assert resolve_model(choice, "writer", SETTINGS) is model
    assert isinstance(resolve_model(ModelChoice(), "judge", SETTINGS), ExtractiveModel)


@pytest.mark.parametrize(
    ("text", "provider"),
    [
        ("offline", ""),
        ("openai:gpt-5.1", "openai"),
        ("ollama:llama3:8b", "ollama"),
        (" anthropic:a , openai:b,offline", "anthropic"),
    ],
)
def test_the_provider_of_a_list_is_that_of_its_first_model(text: str, provider: str) -> None:
    assert provider_of(text) == provider


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("openai:a", "base"),
        ("openai-responses:a", "base"),
        ("openai-chat:a", "chat"),
        ("openai-chat:qwen3", "qwen"),
        ("openai-chat:qwen3-coder", "coder"),
        ("google:a", "google"),
        ("google-cloud:a", ""),
        ("anthropic:a", ""),
        ("ollama:a", ""),
    ],
)
def test_the_longest_name_that_fits_says_where_a_model_is_asked(name: str, address: str) -> None:
    urls = {"openai-chat": "chat", "openai-chat:qwen": "qwen", "openai-chat:qwen3-coder": "coder", "google": "google"}
    assert address_of(name, "base", urls) == address
    assert address_of(name, "", {}) == ""
