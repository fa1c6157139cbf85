"""What the tool `forecast` answers; what it is given is in `graphs.data.forecast`."""

from elcano.graphs.data.forecast import ForecastDigest, ForecastRefusal
from elcano.graphs.frozen import Frozen
from elcano.graphs.values.state import EvidenceRef


class ForecastOutput(Frozen):
    """A forecast, or why there is none: one of the two. A refusal is no failure of the node: the next one reads it."""

    forecast: ForecastDigest | None = None
    refused: ForecastRefusal | None = None
    evidence: tuple[EvidenceRef, ...] = ()
    """The points as a passage that can be cited."""
    told: str = ""
    """The same in sentences, for whoever writes the answer."""
