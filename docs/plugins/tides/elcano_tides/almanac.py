"""The almanac: what it says of each port, and how it is searched. What workflows load does no I/O."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceSpec

PORTS: Final = {
    "Sanlúcar": "At Sanlúcar high water follows the moon's passage by two hours and ten minutes.",
    "Getaria": "At Getaria high water follows the moon's passage by three hours and five minutes.",
}
LAGS: Final = {"Sanlúcar": 130, "Getaria": 185}
"""Minutes from the moon's passage to high water."""
SOURCE: Final = SourceSpec(
    name="tides",
    kind="tables",
    description="When the tide is high in a port.",
    opened_by="elcano_tides.almanac_source:open_source",
)
