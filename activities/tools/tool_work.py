"""The context of a tool, and references to passages in a run's state: their place and their beginning."""

from dataclasses import dataclass

from elcano.activities.services import Services
from elcano.graphs.state.state import EXCERPT_CHARACTERS, EvidenceRef
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence
from elcano.storage.store import TenantStore


@dataclass(frozen=True)
class ToolWork:
    """One call of a tool."""

    store: TenantStore
    """What its results are kept in, bound to the tenant of the run."""
    run_id: str
    services: Services
    approval: str = ""
    """The id under which a person approved the call; empty: no approval was requested."""


def build_evidence_ref(passage: Evidence, duplicate_of: str | None = None) -> EvidenceRef:
    """A passage as the state of a run carries it."""
    return EvidenceRef(
        id=passage.id,
        source=passage.source,
        title=passage.title,
        locator=passage.locator,
        excerpt=shorten_to_excerpt(passage.text),
        characters=len(passage.text),
        document=passage.document,
        duplicate_of=duplicate_of,
    )


def shorten_to_excerpt(text: str) -> str:
    """The beginning of `text` on one line, at most 240 characters and an ellipsis."""
    return shorten_text(" ".join(text.split()), EXCERPT_CHARACTERS + 1)
