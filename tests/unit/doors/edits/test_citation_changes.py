"""Which passages are new to a report."""

from hashlib import sha256

from elcano.doors.edits.report_updating import list_new_passages
from elcano.storage.evidence import INDEXED_AT, Evidence, StoredText

OLD = "Pier 3 is 90 m long. It is closed at night."


def passage(text: str, whole: str, *, document: str = "docs:pier.md", indexed_at: float = 0.0) -> Evidence:
    content_hash = sha256(whole.encode()).hexdigest()
    start = whole.index(text)
    return Evidence(
        id=f"{document}@{content_hash[:8]}:{start}-{start + len(text)}",
        source="docs",
        document=f"{document}@{content_hash[:8]}",
        content_hash=content_hash,
        title="Pier",
        locator="pier.md",
        text=text,
        start=start,
        end=start + len(text),
        metadata={INDEXED_AT: indexed_at} if indexed_at else {},
    )


def list_new(*found: Evidence, since: float = 0.0) -> list[str]:
    known = passage("Pier 3 is 90 m long.", OLD)
    texts = {known.content_hash: StoredText(content_hash=known.content_hash, document="docs", title="Pier", text=OLD)}
    new = list_new_passages(found, [known], texts, since)
    return [one.text for one in found if one.id in new]


def test_what_a_known_text_of_its_document_says_is_not_new() -> None:
    changed = "Pier 3 is 80 m long. It is closed at night."
    other = passage("It is closed at night.", changed)
    assert list_new(passage("It is closed at night.", OLD), other) == []
    assert list_new(passage("Pier 3 is 80 m long.", changed)) == ["Pier 3 is 80 m long."]
    assert list_new(passage("It is closed at night.", OLD, document="docs:other.md")) == ["It is closed at night."]


def test_what_a_collection_had_before_the_run_began_is_not_new() -> None:
    def light(indexed_at: float) -> Evidence:
        return passage("It has a light.", "It has a light.", document="docs:light.md", indexed_at=indexed_at)

    assert list_new(light(50.0), since=100.0) == []
    assert list_new(light(150.0), since=100.0) == ["It has a light."]
    assert list_new(light(50.0)) == ["It has a light."]
    assert list_new(light(0.0), since=100.0) == ["It has a light."]
