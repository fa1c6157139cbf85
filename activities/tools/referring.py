"""References to stored passages, as runs get them: where a passage is and how it begins, never all of it."""

from elcano.graphs.shortening import shortened
from elcano.graphs.values.state import EXCERPT_CHARACTERS, EvidenceRef
from elcano.storage.evidence import Evidence


def reference(passage: Evidence, duplicate_of: str | None = None) -> EvidenceRef:
    """A passage as the state of a run carries it."""
    return EvidenceRef(
        id=passage.id,
        source=passage.source,
        title=passage.title,
        locator=passage.locator,
        excerpt=excerpt(passage.text),
        characters=len(passage.text),
        document=passage.document,
        duplicate_of=duplicate_of,
    )


def excerpt(text: str) -> str:
    """The beginning of `text` on one line, at most 240 characters and an ellipsis."""
    return shortened(" ".join(text.split()), EXCERPT_CHARACTERS + 1)
