"""A folder without documents is told of where sources are listed, and only where it can be seen."""

from pathlib import Path

import pytest

from elcano.api.sources import DOCUMENT_SUFFIXES, empty_collections
from elcano.settings.settings import Settings
from elcano.subjects.documents.file_formats import FORMATS


def empty(folder: Path) -> bool:
    return "docs" in empty_collections(Settings(_env_file=None, collections={"docs": folder}))


def test_documents_are_what_can_be_read() -> None:
    assert set(DOCUMENT_SUFFIXES) == set(FORMATS)


@pytest.mark.parametrize("name", ["a.gif", ".hidden.md", ".git/a.md", "a", "sub/b.zip"])
def test_a_folder_of_other_files_is_empty(tmp_path: Path, name: str) -> None:
    assert empty(tmp_path)
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("text")
    assert empty(tmp_path)
    (tmp_path / "link.md").symlink_to(file)
    assert empty(tmp_path), "links are not followed"
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "B.MD").write_text("text")
    assert not empty(tmp_path)


def test_of_a_folder_elsewhere_nothing_is_known(tmp_path: Path) -> None:
    assert not empty(tmp_path / "of the worker")
