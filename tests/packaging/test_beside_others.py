"""Installed from its wheel beside a project whose modules have the names of our rooms, and taken away again."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from elcano import __version__
from elcano.dev.claims import free_ports
from tests.packaging.building import Distributions, environment, installed, pip, run

NOT_OURS = "raise ImportError('this module belongs to somebody else')\n"
TEXT = "# The harbour\n\nThe harbour is open to ships from March to October.\n"


def project(folder: Path) -> Path:
    """Somebody's project: settings, an API and a store of its own, and things that are ours to read."""
    for name in ("settings.py", "graphs.py", "worker.py", "api/__init__.py", "storage/__init__.py", "cli/__init__.py"):
        module = folder / name
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(NOT_OURS, encoding="utf-8")
    (folder / ".env").write_text("DATABASE_URL=postgresql://somewhere/else\nSETTINGS=mine\n", encoding="utf-8")
    (folder / "docs").mkdir()
    (folder / "docs" / "harbour.md").write_text(TEXT, encoding="utf-8")
    return folder


def variables(data: Path) -> dict[str, str]:
    """The environment of a shell in that project."""
    api, temporal, ui = free_ports(3)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ELCANO_", "TEMPORAL_"))}
    chosen = {
        "ELCANO_DATA_DIR": str(data),
        "ELCANO_API_PORT": str(api),
        "ELCANO_TEMPORAL_PORT": str(temporal),
        "ELCANO_TEMPORAL_UI_PORT": str(ui),
        "ELCANO_COLLECTIONS": '{"log": "docs"}',
        "ELCANO_PACKAGE_READMES": "false",
        "ELCANO_MODEL": "offline",
    }
    return clean | chosen


@contextmanager
def serving(elcano: Path, folder: Path, shell: dict[str, str], log: Path) -> Iterator[None]:
    """`elcano serve`, until Ctrl-C."""
    with log.open("wb") as output:
        process = subprocess.Popen([elcano, "serve"], cwd=folder, env=shell, stdout=output, stderr=output)
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{shell['ELCANO_API_PORT']}", trust_env=False, timeout=60
        ) as client:
            while not ready(client):
                assert process.poll() is None, log.read_text(errors="replace")
                time.sleep(0.1)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").is_success
    except httpx.TransportError:  # it does not listen yet
        return False


@pytest.mark.long
@pytest.mark.timeout(300)  # one wheel, one environment, one stack
def test_it_works_beside_a_project_of_the_same_names_and_leaves_nothing(tmp_path: Path, built: Distributions) -> None:
    python = environment(tmp_path)
    folder, home, elcano = project(tmp_path / "project"), python.parents[1], python.with_name("elcano")
    before = installed(home)
    pip(python, "install", "--no-index", "--no-deps", built.wheel, cwd=tmp_path)
    exposed = variables(tmp_path / "data") | {"PYTHONPATH": "."}
    plain = {name: value for name, value in exposed.items() if name != "PYTHONPATH"}
    with serving(elcano, folder, exposed, tmp_path / "serve.log"):
        for shell in (plain, exposed):
            assert run(elcano, "--version", cwd=folder, environment=shell) == f"elcano {__version__}\n"
            assert "iterative" in run(elcano, "graph", "list", cwd=folder, environment=shell)
            report = run(elcano, "ask", "When is the harbour open to ships?", cwd=folder, environment=shell)
            assert "The harbour is open to ships from March to October" in report
    assert any(name.endswith("site-packages/elcano/worker.py") for name in installed(home))
    pip(python, "uninstall", "--yes", "elcano-research", cwd=tmp_path)
    assert installed(home) == before
