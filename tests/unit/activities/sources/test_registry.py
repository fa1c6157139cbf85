from pathlib import Path
from pkgutil import resolve_name

import pytest

from elcano.activities.sources.registry import Sources, close_all, open_sources
from elcano.graphs.catalogue.sources import SOURCES, SourcePolicy, SourceSpec
from elcano.graphs.errors import InputInvalid, SourceRefused
from elcano.settings import Settings
from tests.sources import Shelf, ledger_of, open_shelf

HERE = f"{open_shelf.__module__}:open_shelf"


def configured(tmp_path: Path, collections: dict[str, Path], *, readmes: bool = True) -> Settings:
    return Settings(_env_file=None, data_dir=tmp_path / "data", collections=collections, package_readmes=readmes)


@pytest.mark.of_plugins("documents")
async def test_collections_and_packages_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("alpha")
    async with open_sources(configured(tmp_path, {"handbook": folder})) as sources:
        assert sources.names[:2] == ("handbook", "packages")
        assert not {"handbook", "packages"}.intersection(spec.name for spec in sources.queued)
        found = await sources.get("handbook").search("alpha", 5)
    assert [passage.text for passage in found.evidence] == ["alpha"]
    assert (tmp_path / "data" / "index" / "handbook.sqlite").is_file()


@pytest.mark.of_plugins("documents")
async def test_opening_reads_nothing(tmp_path: Path) -> None:
    async with open_sources(configured(tmp_path, {"missing": tmp_path / "nowhere"})) as sources:
        assert sources.get("missing").spec.name == "missing"
    assert not (tmp_path / "data").exists()


@pytest.mark.of_plugins("documents")
async def test_an_unknown_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    async with open_sources(configured(tmp_path, {"handbook": tmp_path})) as sources:
        with pytest.raises(SourceRefused) as caught:
            sources.get("hanbook")
    assert str(caught.value).startswith("there is no source 'hanbook'; there are: handbook, packages")
    assert str(caught.value).endswith("; did you mean 'handbook'?")
    with pytest.raises(SourceRefused, match="ELCANO_COLLECTIONS"):
        Sources({}).get("anything")


@pytest.mark.parametrize("readmes", [True, False])
@pytest.mark.parametrize("name", ["", "../up", "a/b", "a:b", "UPPER", "x" * 65, "packages"])
async def test_a_name_that_cannot_be_used_is_invalid(tmp_path: Path, name: str, readmes: bool) -> None:
    with pytest.raises(InputInvalid) as caught:
        async with open_sources(configured(tmp_path, {name: tmp_path}, readmes=readmes)):
            raise AssertionError("it was opened")
    assert caught.value.field == "collections"


async def test_what_is_turned_off_is_not_offered(tmp_path: Path) -> None:
    async with open_sources(configured(tmp_path, {}, readmes=False)) as sources:
        assert "packages" not in sources.names


async def test_a_source_without_its_key_is_left_out_and_says_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SourceSpec(
        name="locked",
        kind="articles",
        description="Has a key.",
        key="LOCKED_API_KEY",
        needs_key=True,
        policy=SourcePolicy(),
        opened_by=HERE,
    )
    monkeypatch.setitem(SOURCES, "locked", spec)
    monkeypatch.delenv("LOCKED_API_KEY", raising=False)
    async with open_sources(configured(tmp_path, {})) as sources:
        assert "locked" not in sources.names
        assert spec not in sources.queued
        with pytest.raises(SourceRefused, match="cannot be searched here: set LOCKED_API_KEY where the worker runs"):
            sources.get("locked")
        assert (
            sources.describe_purpose("locked") == spec.purpose
        )  # for an agent that chooses what another worker searches
        with pytest.raises(SourceRefused, match="there is no source 'lockd'"):
            sources.describe_purpose("lockd")
    monkeypatch.setenv("LOCKED_API_KEY", "abc")
    async with open_sources(configured(tmp_path, {})) as sources:
        assert spec in sources.queued


async def test_what_was_opened_is_closed_though_another_source_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, opener in (("first", HERE), ("second", HERE), ("third", f"{open_shelf.__module__}:cannot_open")):
        spec = SourceSpec(name=name, kind="articles", description="A shelf.", opened_by=opener)
        monkeypatch.setitem(SOURCES, name, spec)
    with ledger_of() as made:
        with pytest.raises(InputInvalid, match="the source 'third' cannot be opened: OSError: third has no cellar; "):
            async with open_sources(configured(tmp_path, {})):
                raise AssertionError("all were opened")
        assert [(shelf.spec.name, shelf.closed) for shelf in made] == [("first", 1), ("second", 1)]


async def test_a_source_that_cannot_be_closed_keeps_no_other_open() -> None:
    class Jammed(Shelf):
        async def close(self) -> None:
            raise OSError("jammed")

    last = Shelf(SourceSpec(name="last", kind="documents", description="A shelf."))
    with pytest.raises(ExceptionGroup) as caught:
        await close_all([Jammed(SourceSpec(name="first", kind="documents", description="A shelf.")), last])
    assert [str(error) for error in caught.value.exceptions] == ["jammed"]
    assert last.closed == 1


def test_every_listed_source_can_be_opened(tmp_path: Path) -> None:
    settings = configured(tmp_path, {})
    for spec in SOURCES.values():
        assert resolve_name(spec.opened_by)(spec, settings).spec is spec
