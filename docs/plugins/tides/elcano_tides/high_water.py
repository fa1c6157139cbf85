"""The tool `high_water` as graphs name it; `high_water_tool` does it."""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.tools import ToolSpec
from elcano.graphs.frozen import Frozen


class HighWaterInput(Frozen):
    """The question that names a port, and when the moon passes there."""

    question: str
    moon: int = Field(default=720, ge=0, lt=1_440)
    """Minutes after midnight."""


class HighWater(Frozen):
    """When the tide is high."""

    port: str = ""
    """Empty: the almanac does not know it."""
    time: str = ""
    """As `14:10`."""


TOOL: Final = ToolSpec(
    name="high_water",
    description="Reckons when the tide is high in the port that a question names.",
    input=HighWaterInput,
    output=HighWater,
    starts="analyzing",
    completes="analysis_complete",
    run="elcano_tides.high_water_tool:reckon_high_water",
)
