"""The distributions of this checkout, built without a network, and an environment that has what they depend on."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_NOT_TRACKED = (".*", "__pycache__", "build", "*.egg-info", "histories")


class Distributions(NamedTuple):
    """What is given to users; the wheel is made from the unpacked `sdist` alone."""

    sdist: Path
    wheel: Path


def run(*command: str | Path, cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    """What a program prints; it has to succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(folder: Path) -> Distributions:
    """Builds both from a copy, since building writes beside the sources."""
    copy, made = folder / "Elcano", folder / "dist"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_NOT_TRACKED))
    offline = ("--offline", "--no-build-isolation", "--python", sys.executable)
    run(Path(sys.executable).with_name("uv"), "build", *offline, "--out-dir", made, cwd=copy)
    (sdist,), (wheel,) = made.glob("*.tar.gz"), made.glob("*.whl")
    return Distributions(sdist, wheel)


def environment(folder: Path) -> Path:
    """A new virtual environment, and everything that is installed here but Elcano within its reach; its interpreter.

    Packages are linked one by one: naming the whole of our site-packages would show it our own metadata.
    """
    dependencies, made = folder / "dependencies", folder / "environment"
    dependencies.mkdir()
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(place).iterdir():
            if "elcano" not in entry.name and entry.suffix != ".pth":
                (dependencies / entry.name).symlink_to(entry)
    venv.create(made, with_pip=True)
    (made / "bin" / "temporal").symlink_to(Path(sys.executable).with_name("temporal"))
    (site_packages(made) / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    return made / "bin" / "python"


def site_packages(environment: Path) -> Path:
    (found,) = environment.glob("lib/python*/site-packages")
    return found


def pip(python: Path, *words: str | Path, cwd: Path) -> str:
    """pip itself, as a user calls it; `--isolated` and `--no-index`: no index is asked and no configuration is read."""
    return run(python, "-m", "pip", "--isolated", "--disable-pip-version-check", *words, cwd=cwd)


def installed(environment: Path) -> Sequence[str]:
    """Every file below site-packages and `bin`, without bytecode of pip itself."""
    places = (site_packages(environment), environment / "bin")
    files = (file for place in places for file in place.rglob("*") if "pip" not in file.relative_to(place).parts[:1])
    return sorted(str(file.relative_to(environment)) for file in files)
