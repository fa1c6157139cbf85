"""The client is a distribution of its own that needs httpx, httpx-sse and pydantic, and nothing else of Elcano."""

import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from elcano import __version__
from tests.packaging.building import ROOT, run

OFFLINE = ("--offline", "--no-build-isolation", "--python", sys.executable)
PROGRAM = """
import importlib.util, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import elcano
assert {*elcano.__path__} == {sys.argv[1] + "/elcano"}, elcano.__path__
import elcano.client
for one in pkgutil.iter_modules(elcano.client.__path__, "elcano.client."):
    __import__(one.name)
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[2:])))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the client's wheel."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "sources").mkdir()
    for file in [*(ROOT / "client").glob("*.py"), ROOT / "client" / "pyproject.toml"]:
        (folder / "sources" / file.name).write_bytes(file.read_bytes())  # building writes beside the sources
    run(Path(sys.executable).with_name("uv"), "build", *OFFLINE, "--wheel", "-o", folder, cwd=folder / "sources")
    (wheel,) = folder.glob("elcano_client-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def test_it_is_imported_without_the_rest_of_elcano(installed: Path) -> None:
    others = ["alembic", "fastapi", "jmespath", "pydantic_ai", "sqlalchemy", "starlette", "temporalio", "typer"]
    imported = run(sys.executable, "-c", PROGRAM, installed, "httpx", "pydantic", *others, cwd=installed)
    assert imported.split() == ["httpx", "pydantic"]


def test_it_has_the_version_and_the_needs_of_the_whole() -> None:
    own = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert own["version"] == __version__
    assert set(own["dependencies"]) <= set(whole["dependencies"])
