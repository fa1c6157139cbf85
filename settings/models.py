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
        description="Who answers: `offline`, a provider string (`openai:gpt-5.1`), or a comma-separated fallback list.",
    )
    agent_models: Annotated[dict[str, str], NoDecode] = Field(
        default={}, description='Exceptions by agent, as JSON: `{"writer": "anthropic:claude-sonnet-5-5"}`.'
    )
    model_base_url: str = Field(
        default="",
        description="Where the models of `openai`, `openai-chat` and `openai-responses` are asked instead of at "
        "OpenAI: any server that speaks as it does, such as `http://localhost:8000/v1`. It needs no key; "
        "`OPENAI_API_KEY` is sent if it is set.",
    )
    model_urls: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        description="The same for any provider, by its name or by the beginning of a model's, as JSON: "
        '`{"vllm:qwen": "http://gpu:8000/v1", "anthropic": "https://proxy.example.org"}`. The longest name that fits '
        "goes first, and all go before `ELCANO_MODEL_BASE_URL`. The key of that provider is sent there.",
    )
    model_rates: Annotated[dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]], NoDecode] = Field(
        default={},
        description="How many requests a second, of all workers together, the providers of models allow, by the "
        'provider, as JSON: `{"openai": 5}`. Set it alike for the API and for all workers: calls of such a provider '
        "wait in a task queue of their own. Of any other as many go as come.",
    )
    model_timeout_seconds: float = Field(
        default=120.0,
        gt=0,
        description="How long one model call may take before it counts as failed and is retried.",
    )
    stream_models: bool = Field(
        default=True,
        description="Whether agents that write are asked for their words as they come, so that whoever watches a run "
        "sees them. A model that cannot stream answers all at once anyway.",
    )
    mcp_servers: Annotated[dict[str, dict[str, Any]], NoDecode] = Field(
        default={},
        repr=False,
        description="Servers of tools (MCP) that graphs may call, by name, as JSON (see `docs/tools.md`).",
    )
    shared_environment: bool = Field(
        default=False,
        description="Whether all workers are started in the API's own environment. The API then refuses a run at once "
        "whose model has no key there; otherwise only a worker can tell, and the run fails. `elcano serve` sets it "
        "with the embedded Temporal server.",
    )

    @field_validator("model_base_url", "model_urls")
    @classmethod
    def _addresses(cls, value: str | dict[str, str]) -> str | dict[str, str]:
        for address in filter(None, [value]) if isinstance(value, str) else value.values():
            checked_address(address)
        return value


def checked_address(value: str) -> str:
    """`value`, an address over HTTP.

    Raises:
        ValueError: it is none.
    """
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("it is no address such as `https://temporal.example.org` or `http://localhost:8000/v1`")
    return value
