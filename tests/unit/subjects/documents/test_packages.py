from pathlib import Path

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.errors import SourceRefused
from elcano.subjects.documents.local_sources import PackageReadmes
from elcano.subjects.documents.source import DocumentsSource


def install(site: Path, name: str, version: str, metadata: str) -> Path:
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}")
    return info


def test_long_descriptions_by_the_name_of_the_package(tmp_path: Path) -> None:
    install(tmp_path, "Sea_Chart.kit", "1.0", "Description-Content-Type: text/markdown\n\n# Charts\nDraws coasts.")
    readmes = PackageReadmes([str(tmp_path)])
    assert list(readmes.listing().documents) == ["sea-chart-kit"]
    assert readmes.content("sea-chart-kit")[:3] == ("sea-chart-kit.md", b"# Charts\nDraws coasts.", "sea-chart-kit")


def test_a_package_without_a_description_is_its_summary_or_nothing(tmp_path: Path) -> None:
    install(tmp_path, "short", "1", "Summary: Measures depth.\n")
    install(tmp_path, "silent", "1", "")
    readmes = PackageReadmes([str(tmp_path)])
    assert readmes.content("short").data == b"Measures depth."
    with pytest.raises(FileSkipped, match="no description"):
        readmes.content("silent")


def test_an_upgrade_changes_the_fingerprint_and_the_first_folder_wins(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    install(old, "pkg", "1.0", "\nOld words.")
    install(new, "pkg", "2.0", "\nNew words.")
    (new / "broken-1.0.dist-info").mkdir()
    first, second = PackageReadmes([str(old)]), PackageReadmes([str(new), str(old)])
    assert first.listing().documents["pkg"] != second.listing().documents["pkg"]
    assert second.listing().documents.keys() == {"pkg"}
    assert second.content("pkg").data == b"New words."


def test_nothing_installed(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused):
        PackageReadmes([str(tmp_path)]).listing()
    with pytest.raises(FileNotFoundError):
        PackageReadmes([str(tmp_path)]).content("gone")


async def test_the_packages_of_this_environment_can_be_asked(tmp_path: Path) -> None:
    source = DocumentsSource(SOURCES["packages"], PackageReadmes(), tmp_path / "index.sqlite")
    found = await source.search("async HTTP client for Python with HTTP/2", 12)
    assert any(passage.document.startswith("packages:httpx@") for passage in found.evidence)
    assert {text.title for text in found.texts} >= {"httpx"}
