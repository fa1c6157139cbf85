"""The plugin of another package in `docs/plugins/tides` is installed, and everything that it adds works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "docs" / "plugins" / "tides"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a program that has the package; nothing else of this environment is touched."""
    target = tmp_path_factory.mktemp("installed")
    sources = tmp_path_factory.mktemp("sources")
    for path in PACKAGE.rglob("*"):
        if path.suffix in (".py", ".toml"):
            (sources / path.relative_to(PACKAGE)).parent.mkdir(parents=True, exist_ok=True)
            (sources / path.relative_to(PACKAGE)).write_bytes(path.read_bytes())
    pip = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--offline"]
    subprocess.run([*pip, "--python", sys.executable, "--target", str(target), str(sources)], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "ELCANO_PLUGINS"}
    before = environment.get("PYTHONPATH")
    return environment | {"PYTHONPATH": os.pathsep.join(filter(None, (str(target), str(ROOT), before)))}


def test_everything_that_it_adds_works(installed: dict[str, str], tmp_path: Path) -> None:
    environment = installed | {"ELCANO_TIDE_CORRECTION_MINUTES": "10"}
    command = [sys.executable, "-m", "tests.seams.plugin_tour", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["plugins"][-1] == "tides"
    assert said["advice"] == "High water in Getaria is at 15:15: leave an hour before it."
    assert said["answered"]
    assert said["verified"] == 1
    assert "At Getaria high water follows the moon's passage by three hours and five minutes." in said["answer"]
    assert said["route"] == {"port": "Getaria", "time": "15:15"}
    assert said["refused"] == 422
    assert (said["needs_model"], said["chosen_by_auto"], said["agent"]) == (False, True, True)
    assert said["unknown"] == []


def test_its_command_is_one_of_elcano(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "elcano", "--help"]
    done = subprocess.run(command, cwd=tmp_path, env=installed, capture_output=True, text=True, check=True)
    assert "Tell when the tide is high in a port." in done.stdout


def test_a_setting_that_cannot_be_used_is_named(installed: dict[str, str], tmp_path: Path) -> None:
    environment = installed | {"ELCANO_TIDE_CORRECTION_MINUTES": "noon"}
    command = [sys.executable, "-m", "tests.seams.plugin_tour", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "ELCANO_TIDE_CORRECTION_MINUTES cannot be used" in done.stderr


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("-tide", "there is no plugin 'tide'; there are: research,"),
        ("-research", "the plugin 'research' cannot be left out"),
        ("web,-data", "name either the plugins to load"),
        ("nothing.here:plugin", "ELCANO_PLUGINS names 'nothing.here:plugin': No module named 'nothing'"),
        ("research,web", "the plugin 'web' needs 'documents'"),
    ],
)
def test_a_choice_that_cannot_be_loaded_is_a_sentence(
    installed: dict[str, str], tmp_path: Path, choice: str, told: str
) -> None:
    command = [sys.executable, "-m", "elcano", "modes"]
    environment = installed | {"ELCANO_PLUGINS": choice}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
