"""A checkout of which only the scripts are real: its locks name a `uv` that installs nothing and notes its calls."""

import os
import shutil
import subprocess
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
UV = """#!/bin/sh
echo "$* | $SSL_CERT_FILE | $UV_DEFAULT_INDEX | $UV_SYSTEM_CERTS" >>"$NOTES"
[ -z "${UV_FAILS:-}" ] || { echo "$UV_FAILS" >&2; exit 2; }
case "$*" in *--editable*) touch .venv/bin/elcano && chmod +x .venv/bin/elcano ;; esac
"""
_OURS = ("UV_", "PIP_", "SSL_", "REQUESTS_CA", "CURL_CA", "PYTHON", "MAKE")


@dataclass(frozen=True)
class Checkout:
    """A folder with the scripts, and an index beside it."""

    folder: Path
    index: Path
    home: Path

    @property
    def notes(self) -> list[str]:
        """How uv was called since."""
        place = self.home / "notes"
        lines = place.read_text(encoding="utf-8").splitlines() if place.exists() else []
        place.unlink(missing_ok=True)
        return lines

    def run(self, *command: str, **given: str) -> "subprocess.CompletedProcess[str]":
        """Runs a command there, in an environment that nobody has set anything in but for what is `given`."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        environment: Mapping[str, str] = {
            **plain,
            "HOME": str(self.home),
            "NOTES": str(self.home / "notes"),
            "PIP_CONFIG_FILE": os.devnull,  # nor is what this machine has set read
            "PIP_NO_CACHE_DIR": "1",
            "PIP_INDEX_URL": self.index.as_uri(),
            **given,
        }
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=170
        )


def checkout(folder: Path) -> Checkout:
    """Makes one."""
    made = Checkout(folder / "checkout", folder / "index", folder / "home")
    for place in (made.folder, made.index, made.home):
        place.mkdir()
    shutil.copytree(ROOT / "scripts", made.folder / "scripts")
    for name in ("Makefile", "pyproject.toml", "setup.py", "__init__.py"):
        shutil.copy(ROOT / name, made.folder)
    lock = "".join(f"{name}==1.0 \\\n    --hash=sha256:{_wheel(name, made.index)}\n" for name in ("setuptools", "uv"))
    for name in ("requirements-light.txt", "requirements.txt", "requirements-dev.txt"):
        (made.folder / name).write_text(f"# {name}\n{lock}", encoding="utf-8")
    return made


def _wheel(name: str, index: Path) -> str:
    """Puts a wheel into the index; its hash."""
    files = {
        f"{name}-1.0.data/scripts/{name}": UV,
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}\n"
        for path, text in files.items()
    )
    files[f"{name}-1.0.dist-info/RECORD"] = f"{record}{name}-1.0.dist-info/RECORD,,\n"
    place = index / name
    place.mkdir()
    wheel = place / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16  # pip makes a program of a script that is one in the wheel
            archive.writestr(entry, text)
    (place / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>', encoding="utf-8")
    return sha256(wheel.read_bytes()).hexdigest()
