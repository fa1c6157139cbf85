"""How large packages may be once they are unpacked."""

from zipfile import ZipInfo

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.zip_sizes import UnpackedSizes, check_count, check_total


def part(size: int, packed: int) -> ZipInfo:
    made = ZipInfo("a")
    made.file_size, made.compress_size = size, packed
    return made


def test_parts_are_counted_before_the_directory_is_read() -> None:
    check_count(b"PK\x01\x02" * 50_000)
    with pytest.raises(FileSkipped, match="more than 50,000 parts"):
        check_count(b"PK\x01\x02" * 50_001)


def test_a_package_may_be_a_hundred_times_smaller_and_a_part_two_hundred_times() -> None:
    check_total([part(50_000_000, 400_000)] * 2, 1_000_000)
    with pytest.raises(FileSkipped, match="more than 100 times its size"):
        check_total([part(50_000_000, 400_000)] * 2, 900_000)
    UnpackedSizes().add(part(40_000_000, 200_000))
    with pytest.raises(FileSkipped, match="more than 200 times its size"):
        UnpackedSizes().add(part(40_000_000, 190_000))


def test_a_small_package_may_be_packed_as_well_as_it_can() -> None:
    check_total([part(1_000_000, 1_000)], 1_000)
    UnpackedSizes().add(part(1_000_000, 1_000))


def test_parts_that_are_read_are_added_up() -> None:
    sizes = UnpackedSizes()
    for _ in range(4):
        sizes.add(part(50_000_000, 10_000_000))
    with pytest.raises(FileSkipped, match="more than 200 MB"):
        sizes.add(part(1, 1))
    with pytest.raises(FileSkipped, match="a part to 50 MB"):
        UnpackedSizes().add(part(50_000_001, 10_000_000))
