"""Settings of the programs: the API, storage and Temporal."""

import re
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode

from elcano.settings.research import checked_address

_ORIGIN: Final = re.compile(r"https?://(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:\d{1,5})?")


class ServerSettings(BaseModel, frozen=True):
    """The API: where it listens, which clients it trusts, and how many runs it accepts."""

    api_host: str = Field(default="127.0.0.1", description="The address on which the API listens.")
    api_port: int = Field(default=8000, ge=1, le=65_535, description="The port on which the API listens.")
    api_url: str = Field(
        default="",
        description="The public address of the API, used by the command line and for links to runs, from the Temporal"
        " UI for example. Empty: `http://<api_host>:<api_port>`.",
    )
    api_key: str = Field(
        default="",
        repr=False,
        description="The API key that the command line and the Python client send to the API at that address, where it "
        "wants one (see `docs/access.md`).",
    )
    trusted_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Host names that the API accepts, in addition to this machine's own and that of `ELCANO_API_URL`,"
        ' as JSON: `["research.example.org", "*.example.org"]`; `["*"]` for any. Requests for other names'
        " are refused, because a web page can point a name of its own to this machine.",
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Origins of web pages that may use the API from a browser (CORS), in lower case, as JSON: "
        '`["https://app.example.org", "http://localhost:5173"]`. They may read, follow and change '
        "everything that the browser's user may, so there is no `*`. Empty: none (see `docs/http.md`).",
    )
    tenant_header: str = Field(
        default="",
        pattern=r"^([A-Za-z][A-Za-z0-9-]*)?$",
        description="The header in which an authenticating proxy in front of the API names the tenant of a request, "
        "such as `X-Tenant`; requests without it are then refused. The proxy must strip this header from "
        "client requests. Empty: everyone is the tenant `default`.",
    )
    user_header: str = Field(
        default="",
        pattern=r"^([A-Za-z][A-Za-z0-9-]*)?$",
        description="The header in which the same proxy names the user, such as `X-User`; control actions are then "
        "recorded with that name. A request without it is anonymous. The proxy must strip this header "
        "from client requests. Empty: all requests are anonymous.",
    )
    operator_tenant: str = Field(
        default="",
        pattern=r"^([a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?)?$",
        description="The tenant of those who run the service: its operators see what all tenants used, and its "
        "admins may delete any tenant. Empty: every tenant sees and manages itself alone.",
    )
    open_runs: int = Field(
        default=500,
        ge=1,
        description="Maximum number of open runs, paused ones included; beyond it the API answers 429 until one ends."
        " While several tenants have open runs, each may have an equal share.",
    )
    reconcile_seconds: float = Field(
        default=30.0,
        gt=0,
        description="How often the API asks Temporal about open runs, to close those that ended without reporting it;"
        " 100 runs each time.",
    )
    log_level: str = Field(
        default="info",
        pattern="^(debug|info|warning|error)$",
        description="Log level of the programs. `debug` also logs the address of every request, and so what was "
        "searched for.",
    )

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


class StorageSettings(BaseModel, frozen=True):
    """Storage: where runs and knowledge are stored, and for how long."""

    data_dir: Path = Field(
        default=Path(".elcano"),
        description="The folder for everything the embedded stack stores: runs, evidence, indexes, Temporal's "
        "database.",
    )
    store_url: str = Field(
        default="",
        repr=False,
        description="The database for runs and evidence: `sqlite:///path`, or `postgresql://user@host/database`, "
        "whose password may be in `PGPASSWORD`. Empty: a SQLite file in `ELCANO_DATA_DIR`. Processes on "
        "several machines need PostgreSQL.",
    )
    objects_url: str = Field(
        default="",
        description="Where reports, drafts and large payloads are stored: `s3://bucket/prefix`, for S3 and compatible"
        " servers, or `file:///path`. Empty: a folder in `ELCANO_DATA_DIR`. Keys, region and endpoint are"
        " in the usual variables (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, "
        "`AWS_ENDPOINT_URL`).",
    )
    knowledge: str = Field(
        default="tables",
        repr=False,
        pattern=r"^(|tables|postgresql://.+)$",
        description="Where the knowledge graph is stored, alike for the API and all workers: `tables` of the store, "
        "or `postgresql://user@host/database` with Apache AGE, which also answers openCypher. Empty: no "
        "knowledge graph.",
    )
    keep_days: float = Field(
        default=0.0,
        ge=0,
        le=36_500,
        description="The API deletes a run, with everything it left, this many days after its end; 0: never.",
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


class TemporalSettings(BaseModel, frozen=True):
    """Temporal: the server, its workers, and how they execute runs."""

    temporal_address: str = Field(
        default="",
        validation_alias="TEMPORAL_ADDRESS",
        description="An existing Temporal server. Empty: the embedded one is started.",
    )
    temporal_port: int = Field(default=7233, ge=1, le=65_535, description="The embedded Temporal server's port.")
    temporal_ui_port: int = Field(default=8233, ge=1, le=65_535, description="The embedded Temporal UI's port.")
    temporal_ui_url: str = Field(
        default="",
        description="The address of the Temporal UI: each run then links to its page there. Empty: unknown; `elcano "
        "serve` knows that of the embedded server.",
    )
    deployment: str = Field(
        default="",
        pattern=r"^([A-Za-z][A-Za-z0-9_-]{0,63})?$",
        description="The name of Temporal's worker deployment that the workers belong to. Each run then stays with "
        "the build that started it, and new runs go to the deployment's current build (see "
        "`docs/deploy.md`). Empty: any worker picks up any run.",
    )
    build_id: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9._-]{0,64}$",
        description="The build id of the workers, such as a release or the hash of a commit. Empty: a hash of the "
        "code that workflows are made of.",
    )
    worker_activities: int = Field(default=20, ge=1, le=500, description="Activities that one worker runs at once.")
    worker_cached_workflows: int = Field(
        default=500,
        ge=0,
        description="Workflows that one worker caches in memory; 0: each is replayed from its history every time.",
    )
    shutdown_seconds: float = Field(
        default=20.0,
        ge=0,
        description="How long a stopping worker waits for running activities to finish.",
    )
    use_graph_execution: bool = Field(
        default=True,
        validation_alias="USE_GRAPH_EXECUTION",
        description="Whether runs walk a graph; `false` runs built-in modes as plain code, and a request for another "
        "graph has to select the graph engine with `use_graph`.",
    )

    @field_validator("temporal_ui_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return checked_address(value) if value else value

    @property
    def temporal_target(self) -> str:
        """The Temporal server to connect to, as `host:port`, unless Temporal's own profile names one."""
        return self.temporal_address or f"127.0.0.1:{self.temporal_port}"
