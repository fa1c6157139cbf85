"""The image without Docker: the files that the Dockerfile copies, and the packages that its lock names, no others."""

import re
import shutil
import venv
from importlib.metadata import distribution
from pathlib import Path

from tests.packaging.building import ROOT, site_packages

DOCKERFILE = ROOT / "Dockerfile"


def image_python(folder: Path) -> Path:
    """The interpreter of an environment in which only what the Dockerfile's lock names can be imported."""
    (lock,) = re.findall(r"--require-hashes -r (\S+)", DOCKERFILE.read_text(encoding="utf-8"))
    made, packages = folder / "opt", folder / "packages"
    packages.mkdir()
    for name in re.findall(r"^([\w.-]+)==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE):
        _link(name, packages)
    venv.create(made, with_pip=False)
    (site_packages(made) / "packages.pth").write_text(f"{packages}\n", encoding="utf-8")
    return made / "bin" / "python"


def image_files(folder: Path) -> Path:
    """What the image has as `PYTHONPATH`: a folder with the package `elcano` in it."""
    app = folder / "app" / "elcano"
    app.mkdir(parents=True)
    for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE):
        *sources, target = line.split()
        for source in sources:
            place = ROOT / source
            if place.is_dir():
                shutil.copytree(place, app / target)  # with what Python compiled, which would take it seconds
            elif source.endswith(".py"):
                shutil.copy2(place, app / target)
    return app.parent


def _link(name: str, packages: Path) -> None:
    """Links what a distribution installed here; one that is not for this platform is not there."""
    try:
        files = distribution(name).files or []
    except ModuleNotFoundError:
        return
    site = Path(str(distribution(name).locate_file("")))
    for top in {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}:
        link = packages / top
        if not link.exists():
            link.symlink_to(site / top)
