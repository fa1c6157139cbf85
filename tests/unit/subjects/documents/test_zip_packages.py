"""How large packages may be once they are unpacked."""

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents import zip_packages
from elcano.subjects.documents.zip_packages import Package
from tests.unit.subjects.documents.word_files import pack


def test_parts_are_counted_before_the_directory_is_read() -> None:
    with pytest.raises(FileSkipped, match="more than 50,000 parts"):
        Package(b"PK\x01\x02" * 50_001, "book")


def test_a_large_part_may_be_packed_two_hundred_times_and_a_small_one_as_well_as_it_can() -> None:
    package = Package(pack({"small": bytes(1_000_000), "large": bytes(2_000_000)}), "book")
    assert package.read("small") == bytes(1_000_000)
    with pytest.raises(FileSkipped, match="more than 200 times its size"):
        package.read("large")


def test_parts_that_are_read_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_packages, "TOTAL_BYTES", 25)
    monkeypatch.setattr(zip_packages, "PART_BYTES", 10)
    package = Package(pack({"ten": b"0123456789", "eleven": b"0123456789a"}), "book")
    assert package.read("ten") == package.read("ten") == b"0123456789"
    with pytest.raises(FileSkipped, match="would unpack to more than"):
        package.read("ten")
    with pytest.raises(FileSkipped, match="would unpack to more than"):
        Package(pack({"eleven": b"0123456789a"}), "book").read("eleven")
