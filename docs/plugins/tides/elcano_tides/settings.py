"""The settings of the plugin."""

from pydantic import BaseModel, ConfigDict, Field


class TideSettings(BaseModel):
    """The settings of the plugin: this one is `ELCANO_TIDE_CORRECTION_MINUTES`."""

    model_config = ConfigDict(frozen=True)

    tide_correction_minutes: int = Field(
        default=0, ge=-180, le=180, description="Minutes that are added to every time of high water."
    )
