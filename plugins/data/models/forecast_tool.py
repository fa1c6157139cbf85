"""The output of the tool `forecast`; its input is in `plugins.data.models.forecast`."""

from elcano.graphs.catalogue.tools import GivesEvidence
from elcano.plugins.data.models.forecast import ForecastDigest, ForecastRefusal


class ForecastOutput(GivesEvidence):
    """A forecast, or why there is none: one of the two. A refusal is no failure of the node: the next one reads it."""

    forecast: ForecastDigest | None = None
    refused: ForecastRefusal | None = None
    told: str = ""
    """The same in sentences, for whoever writes the answer."""
