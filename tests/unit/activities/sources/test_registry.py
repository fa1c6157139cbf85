from pathlib import Path

import pytest

from elcano.activities.tools.offered import Sources, open_sources
from elcano.graphs.errors import InputInvalid, SourceRefused
from elcano.settings import Settings


def configured(tmp_path: Path, collections: dict[str, Path], *, readmes: bool = True) -> Settings:
    return Settings(_env_file=None, data_dir=tmp_path / "data", collections=collections, package_readmes=readmes)


async def test_collections_and_packages_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("alpha")
    async with open_sources(configured(tmp_path, {"handbook": folder})) as sources:
        assert sources.names == ("handbook", "packages")
        found = await sources.get("handbook").search("alpha", 5)
    assert [passage.text for passage in found.evidence] == ["alpha"]
    assert (tmp_path / "data" / "index" / "handbook.sqlite").is_file()


def test_opening_reads_nothing(tmp_path: Path) -> None:
    sources = open_sources(configured(tmp_path, {"missing": tmp_path / "nowhere"}))
    assert sources.get("missing").name == "missing"
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    sources = open_sources(configured(tmp_path, {"handbook": tmp_path}))
    with pytest.raises(SourceRefused) as caught:
        sources.get("hanbook")
    assert str(caught.value) == (
        "there is no source 'hanbook'; there are: handbook, packages; did you mean 'handbook'?"
    )
    with pytest.raises(SourceRefused, match="ELCANO_COLLECTIONS"):
        Sources({}).get("anything")


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a:b", "UPPER", "x" * 65, "packages"])
def test_a_name_that_cannot_be_used_is_invalid(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputInvalid) as caught:
        open_sources(configured(tmp_path, {name: tmp_path}))
    assert caught.value.field == "collections"


def test_the_name_packages_is_free_without_the_readmes(tmp_path: Path) -> None:
    assert open_sources(configured(tmp_path, {"packages": tmp_path}, readmes=False)).names == ("packages",)
