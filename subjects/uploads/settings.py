"""The settings of the plugin."""

from pydantic import BaseModel, ConfigDict, Field

from elcano.settings.plugins import read_plugin_settings


class UploadSettings(BaseModel):
    """Limits on the uploads of a tenant."""

    model_config = ConfigDict(frozen=True)

    upload_documents: int = Field(
        default=100_000,
        ge=0,
        description="How many uploaded documents a tenant may have (see `docs/documents.md`); 0: none can be uploaded.",
    )
    upload_total_mb: float = Field(
        default=10_000.0, ge=0, description="How large they may be together; each may have `ELCANO_FILE_LIMIT_MB`."
    )

    @property
    def total_bytes(self) -> int:
        """`upload_total_mb` in bytes."""
        return int(self.upload_total_mb * 1_000_000)


def read_upload_settings() -> UploadSettings:
    """Read the settings of this process."""
    return read_plugin_settings(UploadSettings)
