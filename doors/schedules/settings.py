"""The settings of the plugin."""

from pydantic import BaseModel, ConfigDict, Field

from elcano.settings.plugins import read_plugin_settings


class ScheduleSettings(BaseModel):
    """Whether there are schedules."""

    model_config = ConfigDict(frozen=True)

    schedules: bool = Field(
        default=False,
        description="Whether runs may be scheduled (see `docs/automation.md`). Set it alike for the API and all "
        "workers.",
    )


def read_schedule_settings() -> ScheduleSettings:
    """Read the settings of this process."""
    return read_plugin_settings(ScheduleSettings)
