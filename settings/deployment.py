"""Where the programs run: the API, what is stored and where, and Temporal."""

import re
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import NoDecode

from elcano.settings.models import checked_address

_ORIGIN: Final = re.compile(r"https?://(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:\d{1,5})?")


class ServerSettings(BaseModel):
    """The API: where it listens, which clients it trusts, and how many runs it accepts."""

    model_config = ConfigDict(frozen=True)

    api_host: str = Field(default="127.0.0.1", description="Where the API listens.")
    api_port: int = Field(default=8000, ge=1, le=65_535, description="The API's port.")
    api_url: str = Field(
        default="",
        description="Where people and the command line find the API; links to runs lead there, from the Temporal UI "
        "for example. Empty: `http://<api_host>:<api_port>`.",
    )
    trusted_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Names under which the API may be asked for, besides this machine's own and that of "
        '`ELCANO_API_URL`, as JSON: `["research.example.org", "*.example.org"]`; `["*"]` for any. '
        "Requests for other names are refused, because a web page can lead a browser here under one of its own.",
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Web pages of other sites that may use the API from a browser (CORS), by their origins in small "
        'letters, as JSON: `["https://app.example.org", "http://localhost:5173"]`. They may read, follow and change '
        "everything that the browser's user may, so there is no `*`. Empty: none (see `docs/http.md`).",
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
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$", description="What the programs log.")

    @field_validator("allowed_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{origin!r} is no origin, which is a scheme, a name in small letters and, unless it is the usual "
                    "one, a port, without a path or a slash at its end; `*` is not allowed"
                )
        return value

    @property
    def base_url(self) -> str:
        """The API as a client on this machine reaches it."""
        return self.api_url or f"http://{self.api_host}:{self.api_port}"


class StorageSettings(BaseModel):
    """Storage: where runs and knowledge are kept, and for how long."""

    model_config = ConfigDict(frozen=True)

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
    keep_days: float = Field(
        default=0.0,
        ge=0,
        le=36_500,
        description="Days after its end that a run is deleted, with everything that it left, by the API; 0: never.",
    )

    @field_validator("store_url")
    @classmethod
    def _a_database(cls, value: str) -> str:
        scheme, found, rest = value.partition("://")
        if value and (scheme not in ("sqlite", "postgresql") or not found or not rest):
            raise ValueError("it is neither `sqlite:///path` nor `postgresql://user@host/database`")
        if scheme == "sqlite" and (not rest.startswith("/") or rest == "/"):
            raise ValueError("it names no file: write `sqlite:///path`, or `sqlite:////path` from the root")
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


class TemporalSettings(BaseModel):
    """Temporal: the server, its workers, and how they execute runs."""

    model_config = ConfigDict(frozen=True)

    temporal_address: str = Field(
        default="",
        validation_alias="TEMPORAL_ADDRESS",
        description="An existing Temporal server; empty: the embedded one is started.",
    )
    temporal_port: int = Field(default=7233, ge=1, le=65_535, description="The embedded Temporal server's port.")
    temporal_ui_port: int = Field(default=8233, ge=1, le=65_535, description="The embedded Temporal UI's port.")
    temporal_ui_url: str = Field(
        default="",
        description="Where people find the Temporal UI: each run then links to its page there. Empty: unknown; "
        "`elcano serve` knows that of the embedded server.",
    )
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
    use_graph_execution: bool = Field(
        default=True,
        validation_alias="USE_GRAPH_EXECUTION",
        description="Whether runs walk a graph; `false` runs built-in modes as plain code, and a "
        "request for another graph has to ask for the engine by `use_graph`.",
    )

    @field_validator("temporal_ui_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return checked_address(value) if value else value

    @property
    def temporal_target(self) -> str:
        """The Temporal server to connect to, as `host:port`, where Temporal's own profile names none."""
        return self.temporal_address or f"127.0.0.1:{self.temporal_port}"
