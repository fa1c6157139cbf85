"""What is in the wheel and in the sdist: the package `elcano` whole, and nothing beside it."""

import subprocess
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

from elcano import __version__
from tests.packaging.building import ROOT, Distributions

METADATA = f"elcano_research-{__version__}.dist-info"
ROOMS = (
    *("graphs", "workflows", "activities", "storage", "api", "settings"),
    *("client", "cli", "dev", "testing", "text", "service", "subjects", "doors", "operations"),
)
MODULES = (
    "__init__.py",
    "__main__.py",
    "measures.py",
    "output.py",
    "plugins.py",
    "program_start.py",
    "py.typed",
    "redaction.py",
    "worker.py",
)


def tracked() -> set[str]:
    """What a wheel must have: every file of the rooms, and the modules beside them; not the client's own project."""
    kept = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *ROOMS, *MODULES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name for name in kept.stdout.splitlines() if (ROOT / name).exists()} - {"client/pyproject.toml"}


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        return message_from_bytes(archive.read(f"{METADATA}/METADATA"))


def test_the_wheel_is_the_package_and_nothing_else(built: Distributions) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    code = {name.removeprefix("elcano/") for name in names if name.startswith("elcano/")}
    assert code == tracked()
    about = {name.removeprefix(f"{METADATA}/") for name in names if not name.startswith("elcano/")}
    assert about == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE"}


def test_the_sdist_has_what_the_wheel_is_made_of_and_no_more(built: Distributions) -> None:
    with tarfile.open(built.sdist) as archive:
        files = {member.name.partition("/")[2] for member in archive if member.isfile()}
    about = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg", "setup.py"}
    assert {name for name in files if not name.startswith("elcano_research.egg-info/")} == tracked() | about


def test_the_metadata_says_what_it_is(built: Distributions) -> None:
    said = metadata(built.wheel)
    assert (said["Name"], said["Version"]) == ("elcano-research", __version__)
    assert (said["License-Expression"], said["License-File"]) == ("Apache-2.0", "LICENSE")
    assert said["Requires-Python"] == ">=3.11"


def test_the_license_is_the_one_that_is_named() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Copyright 2026 The Elcano authors" in text


def test_no_two_names_differ_by_their_case_alone() -> None:
    """On most Macs they would be one file."""
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    places = {str(place) for name in kept.splitlines() for place in (Path(name), *Path(name).parents)}
    assert len({place.casefold() for place in places}) == len(places)
    assert "elcano" not in {place.casefold() for place in places}  # what setup links lies in .venv
