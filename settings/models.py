"""Models: which ones answer, where, how often, and which tools they may call."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import NoDecode


class ModelSettings(BaseModel):
    """Models: which ones answer, where, how often, and which tools they may call."""

    model_config = ConfigDict(frozen=True)

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
        description="Time limit of one model call; after that it counts as failed and is retried.",
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
