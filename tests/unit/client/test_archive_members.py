"""Archives are judged before anything of them is unpacked."""

import stat
import zipfile
from io import BytesIO

import pytest

from elcano.client import archive_members
from elcano.subjects.uploads.content_kind import ZIP, find_parted_type
from elcano.subjects.uploads.file_parts import Part, iterate_parts


def pack(files: dict[str, bytes]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return packed.getvalue()


def test_each_file_that_cannot_be_taken_is_told_and_the_others_are_kept() -> None:
    data = pack({"a/b.md": b"text", "inner.zip": pack({}), ".git/x": b"x", "empty.md": b"", "big.md": b"x" * 2_000})
    assert find_parted_type("any", data) == ZIP
    assert list(iterate_parts(ZIP, data, 1_000)) == [
        Part("a/b.md", b"text"),
        Part("inner.zip", fault="it is an archive within an archive: unpack it"),
        Part("empty.md", fault="it is empty"),
        Part("big.md", fault="it has 0.0 MB; at most 0.0 MB are taken"),
        Part("link.md", fault="it cannot be read: it is a symbolic link"),
    ]
    locked = data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    assert "encrypted" in next(iterate_parts(ZIP, locked, 1_000)).fault
    assert find_parted_type("a.xlsx", pack({"[Content_Types].xml": b"x"})) == ""


def test_bombs_and_directories_without_end_are_refused_before_they_are_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def list_all(data: bytes) -> list[zipfile.ZipInfo]:
        return archive_members.list_members(archive_members.open_archive(BytesIO(data)), len(data))

    with pytest.raises(archive_members.ArchiveInvalid, match="more than 100 times as much"):
        list_all(pack({"bomb.txt": b"0" * 1_000_000}))
    monkeypatch.setattr(archive_members, "ARCHIVED_FILES", 1)
    with pytest.raises(archive_members.ArchiveInvalid, match="it has 2 files, at most 1"):
        list_all(pack({"a": b"a"}))
    monkeypatch.setattr(archive_members, "LISTED_FILES", 1)
    with pytest.raises(archive_members.ArchiveInvalid, match="more than 1 entries"):
        list_all(pack({"a": b"a"}))
    with pytest.raises(archive_members.ArchiveInvalid, match="no ZIP archive"):
        list_all(b"PK\x03\x04 and nothing")
