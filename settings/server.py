"""The API: where it listens, which clients it trusts, and how many runs it accepts."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import NoDecode

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
        "then written down with that name. A request without it has no name. The proxy must take this header away "
        "from what clients send. Empty: requests have no names.",
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
