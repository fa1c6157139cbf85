"""Settings of research: which models answer, and what is searched: sources, pages, and the operator's databases."""

import re
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic_settings import NoDecode

from elcano.settings.model_prices import TokenPrice

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
    model_prices: Annotated[dict[str, TokenPrice], NoDecode] = Field(
        default={},
        description="Prices of models in US dollars for a million tokens, by provider or by the beginning of a model's "
        'name, as JSON: `{"sambanova": {"input": 0.6, "output": 1.2}}`. The longest matching name wins, and all take '
        "precedence over the prices of genai-prices. A run with a limit of money needs a price for each of its models; "
        "servers of your own (`ollama`, `vllm`, addresses in a private network) cost nothing unless they are named "
        "here. Set it alike for the API and all workers.",
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
        description="Tool servers (MCP) that graphs may call, by name, as JSON (see `docs/mcp.md`).",
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


_EMAIL: Final = re.compile(r"[^\s@:/<>]+@[^\s@:/<>]+\.[^\s@:/<>]+")


class SourceSettings(BaseModel, frozen=True):
    """Sources: what is searched, and how pages are fetched."""

    collections: Annotated[dict[str, Path], NoDecode] = Field(
        default={},
        description='Document collections by name, as JSON: `{"handbook": "docs/handbook"}`. '
        "A client names a collection, never a path.",
    )
    package_readmes: bool = Field(
        default=True,
        description="Offer the collection `packages`: the long descriptions of the installed Python packages.",
    )
    file_limit_mb: float = Field(
        default=50.0, gt=0, description="Maximum size of a document file; larger files are skipped, with a warning."
    )
    embeddings: str = Field(
        default="",
        description="The sentence encoder that `search_related` uses in addition to words: a folder with "
        "`tokenizer.json` and `onnx/model.onnx`, or an installed package with such a folder. Empty: words"
        " alone. Needs the extra `embeddings` (`make setup`); weights are never downloaded.",
    )
    default_sources: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description='The sources for runs that name none, as JSON: `["handbook", "pubmed", "web"]`. Empty: the '
        "collections, and the web if it is set up; literature services have to be named, because a search"
        " reveals the question to them. The package readmes are searched if there is nothing else.",
    )
    domains: str = Field(
        default="",
        description="A folder with rubrics of your own, one JSON file each, for judging the evidence of your fields "
        "(see `docs/agents.md`); read when the API starts. Empty: only the built-in ones.",
    )
    web_pages: bool = Field(
        default=False,
        description="Offer the sources `page` and `crawl`, which read any public address that an agent names. An "
        "address can then carry what the agent was shown off this machine.",
    )
    contact: str = Field(
        default="",
        max_length=200,
        pattern=r"^[ -~]*$",
        description="An e-mail address or a web page at which the searched services can reach you: it is sent in the "
        "`User-Agent`, and where a service asks for it. Without one, several services answer more slowly "
        "and Wikipedia may refuse.",
    )
    service_urls: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        description='Other addresses for services, by the name of the source, as JSON: `{"searxng": '
        '"http://searxng:8080"}`: a mirror, a proxy, or a server of your own, also in a private network.',
    )
    page_cache_mb: float = Field(
        default=500.0,
        ge=0,
        le=1_000_000,
        description="Size of the page cache in `ELCANO_DATA_DIR`; cached pages are not fetched again within an hour; "
        "0: no cache.",
    )
    private_hosts: Annotated[tuple[Annotated[str, Field(pattern=r"^[^\s/@?#*]+$")], ...], NoDecode] = Field(
        default=(),
        description="Hosts in private networks whose pages may be read, with the port unless it is 80 or 443, as "
        'JSON: `["wiki.example.org", "docs.example.org:8080"]`. Every other private address is refused, '
        "and no outside page can redirect to these (see `docs/web.md`).",
    )
    proxy: str = Field(
        default="",
        repr=False,
        pattern=r"^(https?://([^/?#@\s]+@)?(\[[0-9a-fA-F:]+\]|[^/?#@:\s\[\]]+)(:\d{1,5})?/?)?$",
        description="The proxy for public pages and services, as `http://proxy.example.org:3128`. It resolves names "
        "itself, so the proxy has to keep requests out of private networks. Empty: none; `HTTPS_PROXY` is"
        " not read.",
    )

    @property
    def file_limit_bytes(self) -> int:
        """`file_limit_mb` in bytes."""
        return int(self.file_limit_mb * 1_000_000)

    @property
    def email(self) -> str:
        """`contact` if it is an e-mail address, for services that ask for one; else empty."""
        return self.contact.strip() if _EMAIL.fullmatch(self.contact.strip()) else ""


_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")


class DatabaseSettings(BaseModel, frozen=True):
    """The operator's databases: their names, and what is shown of them."""

    databases: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        repr=False,
        description='Databases by name, as JSON: `{"sales": "sqlite:///data/sales.db"}`; also '
        "`postgresql://user@host/db`, `duckdb:///figures.duckdb`, and the path of a CSV, Parquet or Excel file or of a "
        "folder of them. They are only read (see `docs/data.md`). A client names a database, never an address.",
    )
    database_samples: bool = Field(
        default=True,
        description="Whether schemas include a few values of each column, which models then see too.",
    )
    database_seconds: float = Field(default=10.0, gt=0, le=600, description="Time limit of one database statement.")
    path_seconds: float = Field(
        default=15.0,
        ge=1,
        le=3_600,
        description="When a question to databases is split into parallel paths: the time limit of each database call "
        "in a path, unless a request sets `budget.path_seconds`. It includes neither a model's thinking "
        "nor time without a worker. A single statement ends after `ELCANO_DATABASE_SECONDS`.",
    )
    database_examples: Annotated[dict[str, Path], NoDecode] = Field(
        default={},
        description='Saved questions with the SQL that answers them, by database, as JSON: `{"sales": '
        '"examples/sales.jsonl"}`: a file with one line of JSON each, `{"question": "...", "sql": '
        '"..."}`. Similar ones are shown to the model that writes SQL; without a model, only saved '
        "questions are answered.",
    )

    @field_validator("databases")
    @classmethod
    def _databases(cls, value: dict[str, str]) -> dict[str, str]:
        names = [name for name in value if not _NAME.fullmatch(name)]
        wrong = [name for name, address in value.items() if name not in names and not _is_address(address)]
        faults = []
        if names:
            faults.append(
                f"{_join_names(names)} cannot be the name of a database: it begins with a small letter "
                "and has at most 63 "
                "small letters, digits, `_` and `-`"
            )
        if wrong:
            faults.append(
                f"the address of {_join_names(wrong)} is none of `sqlite:///path`, `postgresql://user@host/database`, "
                "`duckdb:///path` and the path of a file or a folder"
            )
        if faults:
            raise ValueError("; ".join(faults))
        return value


def _is_address(text: str) -> bool:
    scheme, found, rest = text.partition("://")
    if not found:
        return bool(text.strip())
    if scheme in ("sqlite", "duckdb"):
        return rest.startswith("/") and rest != "/"
    return scheme == "postgresql" and bool(rest)


def _join_names(names: list[str]) -> str:
    return ", ".join(map(repr, names[:10])) + (" and others" if len(names) > 10 else "")
