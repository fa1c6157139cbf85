"""The settings of the plugin."""

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_settings import NoDecode

from elcano.graphs.tenants import DEFAULT_TENANT, is_tenant
from elcano.service.permissions import Role

LOOPBACK: Final = ("http://127.0.0.1", "http://localhost", "http://[::1]")


class AccessSettings(BaseModel):
    """Settings of sign-in, of tenants' permissions, and of the audit log."""

    model_config = ConfigDict(frozen=True)

    api_keys: bool = Field(
        default=False,
        description="Whether requests need an API key, or a session that was begun with one. `elcano keys create "
        "--in-store` makes the first key (see `docs/access.md`).",
    )
    oidc_issuer: str = Field(
        default="",
        description="The issuer of OpenID Connect tokens that are accepted, as `https://login.example.org/realm`. "
        "Its keys are found by `/.well-known/openid-configuration`. Empty: none.",
    )
    oidc_audience: str = Field(
        default="", description="The audience that such tokens must be for. It has to be set with an issuer."
    )
    oidc_client_id: str = Field(
        default="",
        description="The client id with which browsers are sent to the issuer to sign in. Empty: tokens are accepted, "
        "and there is no login.",
    )
    oidc_client_secret: str = Field(
        default="", repr=False, description="The client's secret. Empty: a public client, which PKCE protects."
    )
    oidc_user_claim: str = Field(
        default="sub", min_length=1, description="The claim that names the user, as in the audit log."
    )
    oidc_tenant_claim: str = Field(
        default="",
        description="The claim that names the tenant; tokens without it are refused. Empty: all are the tenant of "
        "`ELCANO_OIDC_TENANT`.",
    )
    oidc_tenant: str = Field(
        default=DEFAULT_TENANT, description="The tenant of all tokens, where no claim names the tenant."
    )
    oidc_role_claim: str = Field(
        default="roles", min_length=1, description="The claim with the user's roles or groups: a text or a list."
    )
    oidc_roles: Annotated[dict[str, Role], NoDecode] = Field(
        default={},
        description='The role for each value of that claim, as JSON: `{"research-team": "researcher"}`. Of several '
        "that a token has, the first in this list counts. Empty: the values are the names of roles.",
    )
    oidc_leeway_seconds: float = Field(
        default=30.0, ge=0, le=300, description="How far the issuer's clock may be from this one's."
    )
    session_hours: float = Field(
        default=12.0, gt=0, le=24 * 90, description="After how many hours a browser has to sign in again."
    )
    tenants: str = Field(
        default="",
        description="A TOML or JSON file that says which sources, databases, tools, models, modes and plugins each "
        "tenant may use (see `docs/access.md`); read when the API starts. Empty: everything.",
    )
    audit: bool = Field(
        default=False,
        description="Whether the audit log is written where neither API keys nor OpenID Connect are in use; with "
        "them it always is.",
    )

    @field_validator("oidc_roles", mode="before")
    @classmethod
    def _from_json(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value or "{}")
        except json.JSONDecodeError as error:
            raise ValueError(f"it is no JSON ({error.msg} at character {error.pos + 1})") from error

    @field_validator("oidc_issuer")
    @classmethod
    def _encrypted(cls, value: str) -> str:
        if value and not value.startswith(("https://", *LOOPBACK)):
            raise ValueError("it is no `https://` address")
        return value.rstrip("/")

    @field_validator("oidc_tenant")
    @classmethod
    def _a_tenant(cls, value: str) -> str:
        if not is_tenant(value):
            raise ValueError("it is no tenant's name: 1 to 40 small letters, digits and hyphens")
        return value

    @model_validator(mode="after")
    def _issuer_with_audience(self) -> "AccessSettings":
        if self.oidc_issuer and not self.oidc_audience:
            raise ValueError("set ELCANO_OIDC_AUDIENCE too: without it a token for another program would be accepted")
        return self

    @property
    def is_audited(self) -> bool:
        """Whether the audit log is written."""
        return self.audit or self.api_keys or bool(self.oidc_issuer)
