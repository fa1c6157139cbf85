"""`elcano verify`, as a person runs it: words, and an exit code."""

import sys
import zipfile
from pathlib import Path

import pytest

from elcano.doors.certificates import verify_command as verify
from tests.certificates.conftest import Certificates


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the program is given."""
    given = tmp_path / "run.json"
    monkeypatch.setattr(sys, "argv", ["verify", str(given)])
    return given


def test_one_that_holds(certificates: Certificates, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(certificates["deep"])
    assert verify.main() == 0
    said = capsys.readouterr().out
    assert "follows from the recorded evidence" in said
    assert "It does not prove who made it" in said


def test_one_that_does_not(certificates: Certificates, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(certificates["deep"].replace(b"Retries belong", b"Retries BELONG"))
    assert verify.main() == 1
    said = capsys.readouterr().out
    assert "\nevidence: " in said
    assert said.endswith("does not show that the report follows from the evidence.\n")


@pytest.mark.parametrize("held", [b"", b"\n", b"{}", b"# A report\n", b"{\n" * 20, b"\xff\xfe"])
def test_what_is_no_certificate(held: bytes, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(held)
    assert verify.main() == 1
    assert "This certificate does not hold" in capsys.readouterr().out


def test_a_file_that_is_not_there(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.main() == 2
    assert f"{file} cannot be read" in capsys.readouterr().err


def test_one_that_is_too_large(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(verify, "LARGEST", 1)
    file.write_bytes(b"{}")
    assert verify.main() == 2
    assert "more than the 1 bytes that are looked at" in capsys.readouterr().err


def test_what_has_no_end_is_too_large(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["verify", "/dev/zero"])
    monkeypatch.setattr(verify, "LARGEST", 1_000)
    assert verify.main() == 2
    assert "/dev/zero has more than the 1,000 bytes" in capsys.readouterr().err


def write_archive(file: Path, *files: tuple[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)


def test_the_archive_of_an_export(certificates: Certificates, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_archive(file, ("report.md", b"# Another"), ("certificate.json", certificates["deep"]))
    assert verify.main() == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == f"Verified certificate.json in {file}; the other files of the archive are not compared with it."
    assert "follows from the recorded evidence" in second


def test_an_archive_whose_certificate_does_not_hold(
    certificates: Certificates, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = certificates["deep"].replace(b"Retries belong", b"Retries BELONG")
    write_archive(file, ("certificate.json", changed))
    assert verify.main() == 1
    assert "\nevidence: " in capsys.readouterr().out


@pytest.mark.parametrize("names", [(), ("report.md",), ("../certificate.json",), ("old/certificate.json",)])
def test_an_archive_without_a_certificate(
    names: tuple[str, ...], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_archive(file, *((name, b"{}") for name in names))
    assert verify.main() == 2
    assert f"{file} cannot be read: it is an archive without certificate.json" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_two_certificates(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_archive(file, ("certificate.json", b"{}"), ("certificate.json", b"[]"))
    assert verify.main() == 2
    assert "an archive with 2 files called certificate.json" in capsys.readouterr().err


def test_a_certificate_that_unpacks_to_too_much(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verify, "LARGEST", 1_000)
    write_archive(file, ("certificate.json", b" " * 100_000))
    assert verify.main() == 2
    assert "its certificate.json has more than the 1,000 bytes" in capsys.readouterr().err


def test_an_archive_that_is_cut_off(certificates: Certificates, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_archive(file, ("certificate.json", certificates["deep"]))
    file.write_bytes(file.read_bytes()[:-200])
    assert verify.main() == 2
    assert f"{file} cannot be read: it is no ZIP archive that can be read" in capsys.readouterr().err
