"""The settings of the plugin."""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from elcano.graphs.tenant_identity import is_tenant
from elcano.settings.plugins import read_plugin_settings


class QuotaSettings(BaseModel):
    """Where the quotas are, and who sees the usage of all tenants."""

    model_config = ConfigDict(frozen=True)

    quotas: str = Field(
        default="",
        description="A TOML or JSON file with the quotas of tenants and API keys (see `docs/quotas.md`). A changed "
        "file counts from the next run or request on. Set it alike for the API and all workers. Empty: no quotas.",
    )
    operator_tenant: str = Field(
        default="",
        description="The tenant whose operators see what all tenants used; empty: every tenant sees itself alone.",
    )

    @field_validator("operator_tenant")
    @classmethod
    def _require_tenant(cls, value: str) -> str:
        if value and not is_tenant(value):
            raise ValueError("it is no tenant's name: 1 to 40 small letters, digits and hyphens")
        return value


def read_quota_settings() -> QuotaSettings:
    """Read the settings of this process."""
    return read_plugin_settings(QuotaSettings)
