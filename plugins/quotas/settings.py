"""The settings of the plugin."""

from pydantic import BaseModel, ConfigDict, Field

from elcano.settings.plugins import read_plugin_settings


class QuotaSettings(BaseModel):
    """Where the quotas are."""

    model_config = ConfigDict(frozen=True)

    quotas: str = Field(
        default="",
        description="A TOML or JSON file with the quotas of tenants and API keys (see `docs/quotas.md`). A changed "
        "file counts from the next run or request on. Set it alike for the API and all workers. Empty: no quotas.",
    )


def read_quota_settings() -> QuotaSettings:
    """Read the settings of this process."""
    return read_plugin_settings(QuotaSettings)
