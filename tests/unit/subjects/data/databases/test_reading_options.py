"""What stands beside a file, or above its rows, and says how it is read, may be hostile too."""

from pathlib import Path

import pytest

from elcano.subjects.data.databases.reading_options import load_options
from tests.unit.subjects.data.databases.test_file_values import load


@pytest.mark.parametrize("place", ["/dev/zero", "/"])
def test_options_are_read_from_files_alone(tmp_path: Path, place: str) -> None:
    (tmp_path / "f.csv.reading.json").symlink_to(place)
    with pytest.raises(ValueError, match=r"f\.csv\.reading\.json is no file"):
        load_options(tmp_path / "f.csv")


def test_options_of_any_size_are_read_to_their_limit(tmp_path: Path) -> None:
    (tmp_path / "f.csv.reading.json").write_bytes(b"{" + b" " * 1_000_000 + b"}")
    with pytest.raises(ValueError, match="has more than 1,000,000 bytes"):
        load_options(tmp_path / "f.csv")


def test_a_quotation_mark_is_not_declared_as_a_delimiter(tmp_path: Path) -> None:
    found = load(tmp_path, "f.csv", 'sep="\na,b\n1,2\n3,4\n')
    assert {name: values for name, (_, values, _) in found.items()} == {"a": [1, 3], "b": [2, 4]}
