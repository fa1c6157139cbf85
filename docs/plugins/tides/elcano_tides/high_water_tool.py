"""Reckons high water, with the operator's correction."""

from elcano.activities.tools.tool_activities import ToolWork
from elcano.settings import read_plugin_settings
from elcano_tides.almanac import LAGS
from elcano_tides.high_water import HighWater, HighWaterInput
from elcano_tides.settings import TideSettings


async def reckon_high_water(work: ToolWork, given: HighWaterInput) -> HighWater:
    """The time of high water in the port that the question names."""
    return compute_high_water(given.question, given.moon)


def compute_high_water(text: str, moon: int) -> HighWater:
    """The same, of the first port that `text` names."""
    port = next((name for name in LAGS if name.casefold() in text.casefold()), "")
    if not port:
        return HighWater()
    minutes = (moon + LAGS[port] + read_plugin_settings(TideSettings).tide_correction_minutes) % 1_440
    return HighWater(port=port, time=f"{minutes // 60:02}:{minutes % 60:02}")
