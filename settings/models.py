"""Models: which ones answer, where, how often, and which tools they may call."""

from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic_settings import NoDecode

SLOW: Final = {"model_timeout_seconds": 1_800.0, "first_token_seconds": 900.0, "call_seconds": 7_200.0}
"""The time limits for slow models. A model of 30 billion parameters on a CPU reads a prompt of 8,000 tokens for ten
minutes, and writes a report for twenty."""
_TRUE: Final = frozenset({"1", "true", "t", "yes", "y", "on"})


class ModelSettings(BaseModel, frozen=True):
    """Models: which ones answer, where, how often, and which tools they may call."""

    model: str = Field(
        default="offline",
        description="The model: `offline`, a provider string (`openai:gpt-5.1`), or a comma-separated fallback list.",
    )
    agent_models: Annotated[dict[str, str], NoDecode] = Field(
        default={}, description='Other models for single agents, as JSON: `{"writer": "anthropic:claude-sonnet-5-5"}`.'
    )
    model_base_url: str = Field(
        default="",
        description="The address used instead of OpenAI's for the models of `openai`, `openai-chat` and "
        "`openai-responses`: any compatible server, such as `http://localhost:8000/v1`. It needs no key; "
        "`OPENAI_API_KEY` is sent if it is set.",
    )
    model_urls: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        description="The same for any provider, by its name or by the beginning of a model's name, as JSON: "
        '`{"vllm:qwen": "http://gpu:8000/v1", "anthropic": "https://proxy.example.org"}`. The longest '
        "matching name wins, and all take precedence over `ELCANO_MODEL_BASE_URL`. The provider's key is "
        "sent there.",
    )
    model_rates: Annotated[dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]], NoDecode] = Field(
        default={},
        description="Rate limits of model providers in requests per second, for all workers together, as JSON: "
        '`{"openai": 5}`. Set it alike for the API and all workers: calls to such a provider wait in a '
        "task queue of their own. Other providers have no rate limit.",
    )
    model_timeout_seconds: float = Field(
        default=120.0,
        gt=0,
        description="Time limit of one request to a model, from sending it to the end of the answer; after that it "
        "counts as failed and is retried.",
    )
    first_token_seconds: float = Field(
        default=0.0,
        ge=0,
        description="Time limit for the first token of an answer that is streamed, so that a server that hangs is "
        "noticed before `ELCANO_MODEL_TIMEOUT_SECONDS`; 0: none of its own.",
    )
    call_seconds: float = Field(
        default=600.0,
        ge=30,
        le=86_400,
        description="Time limit of one attempt of an agent's call, which may take several requests: an answer, its "
        "corrections, the next model of a fallback list. Runs take it from the API when they start.",
    )
    slow_models: bool = Field(
        default=False,
        description="Whether models are slow, as local ones on a CPU are: unless they are set themselves, "
        "`ELCANO_MODEL_TIMEOUT_SECONDS` is then 1800, `ELCANO_FIRST_TOKEN_SECONDS` 900 and `ELCANO_CALL_SECONDS` "
        "7200. Set it alike for the API and all workers, and give runs more time (`--budget-seconds`).",
    )
    stream_models: bool = Field(
        default=True,
        description="Whether writing agents stream their text, so that clients see it while it is written. A model "
        "that cannot stream answers in one piece anyway.",
    )
    mcp_servers: Annotated[dict[str, dict[str, Any]], NoDecode] = Field(
        default={},
        repr=False,
        description="Tool servers (MCP) that graphs may call, by name, as JSON (see `docs/tools.md`).",
    )
    shared_environment: bool = Field(
        default=False,
        description="Whether all workers start in the API's own environment. The API then refuses a run at once if "
        "its model has no key there; otherwise only a worker can tell, and the run fails. `elcano serve` "
        "sets it with the embedded Temporal server.",
    )

    @model_validator(mode="before")
    @classmethod
    def _be_patient_with_slow_models(cls, given: Any) -> Any:
        if isinstance(given, dict) and str(given.get("slow_models", "")).lower() in _TRUE:
            return {**SLOW, **given}
        return given

    @field_validator("model_base_url", "model_urls")
    @classmethod
    def _addresses(cls, value: str | dict[str, str]) -> str | dict[str, str]:
        for address in filter(None, [value]) if isinstance(value, str) else value.values():
            checked_address(address)
        return value


def checked_address(value: str) -> str:
    """Return `value` if it is an HTTP address.

    Raises:
        ValueError: it is none.
    """
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("it is no address such as `https://temporal.example.org` or `http://localhost:8000/v1`")
    return value
