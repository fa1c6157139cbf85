"""`scripts/setup`: what it installs, by which Python, whom it trusts, and what it says when it cannot."""

import shutil
import sys
import venv
from pathlib import Path

import pytest

from tests.scripts.checkout import Checkout, checkout

pytestmark = pytest.mark.timeout(300)  # virtual environments are made


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with pip alone, which takes seconds to make."""
    folder = tmp_path_factory.mktemp("environment") / ".venv"
    venv.create(folder, with_pip=True)
    return folder


@pytest.fixture
def bare(tmp_path: Path) -> Checkout:
    """A checkout that nothing was ever set up in."""
    return checkout(tmp_path)


@pytest.fixture
def made(bare: Checkout, environment: Path) -> Checkout:
    """One that has an environment with nothing in it."""
    shutil.copytree(environment, bare.folder / ".venv", symlinks=True)
    return bare


def synced(made: Checkout) -> list[str]:
    """The locks that were installed since."""
    return [word for line in made.notes if "pip sync" in line for word in line.split() if word.endswith(".txt")]


@pytest.mark.long
def test_what_is_there_is_never_made_less(bare: Checkout) -> None:
    assert bare.run("scripts/setup", "light").returncode == 0
    assert synced(bare) == ["requirements-light.txt"]
    assert bare.run("scripts/setup", "light").stdout == ""
    assert synced(bare) == [], "nothing has changed"
    assert bare.run("make", "dev").returncode == 0
    assert synced(bare) == ["requirements-dev.txt"]
    for smaller in ("light", "full"):
        assert bare.run("scripts/setup", smaller).returncode == 0
        assert synced(bare) == []
    lock = bare.folder / "requirements-dev.txt"
    lock.write_text(f"{lock.read_text()}# another\n", encoding="utf-8")
    assert bare.run("scripts/setup", "light").returncode == 0
    assert synced(bare) == ["requirements-dev.txt"]
    assert not (bare.folder / ".venv" / "setup").exists(), "what it installs with is gone when it is done"


@pytest.mark.long
def test_python_is_honoured_once_there_is_an_environment(made: Checkout, tmp_path: Path) -> None:
    assert made.run("scripts/setup", "light").returncode == 0
    marker = made.folder / ".venv" / "marker"
    marker.touch()
    made.run("scripts/setup", "light", PYTHON=str(made.folder / ".venv" / "bin" / "python"))
    assert marker.exists(), "it is of that installation already"
    other = tmp_path / "python3.99"
    other.write_text(
        f'#!/bin/sh\ncase "$*" in *base_prefix*) echo /elsewhere 3 99 0 ;; *) exec {sys.executable} "$@" ;; esac\n',
        encoding="utf-8",
    )
    other.chmod(0o755)
    done = made.run("scripts/setup", "light", PYTHON=str(other))
    assert done.returncode == 0, done.stderr
    assert f"making .venv with {other}" in done.stdout
    assert not marker.exists()
    refused = made.run("scripts/setup", "light", PYTHON="nosuchpython")
    assert refused.returncode == 1
    assert "nosuchpython on the path" in refused.stderr or "nosuchpython is not" in refused.stderr


def test_uv_trusts_and_asks_whom_pip_trusts_and_asks(made: Checkout) -> None:
    made.run("scripts/setup", "light")
    assert [line.split(" | ")[1:] for line in made.notes] == [["", made.index.as_uri(), "true"]] * 2
    company = made.home / "pip.conf"
    company.write_text("[global]\ncert = /etc/company.pem\n", encoding="utf-8")
    made.run("scripts/setup", "full", SSL_CERT_FILE="/etc/other.pem", PIP_CONFIG_FILE=str(company))
    assert {line.split(" | ")[1] for line in made.notes} == {"/etc/company.pem"}
    made.run("scripts/setup", "dev", SSL_CERT_FILE="/etc/other.pem")
    assert {line.split(" | ")[1] for line in made.notes} == {"/etc/other.pem"}


def test_without_a_network_it_says_so(made: Checkout) -> None:
    done = made.run("scripts/setup", "light", PIP_INDEX_URL="http://127.0.0.1:1/simple")
    assert done.returncode != 0
    assert "the package index cannot be reached. Is there a network?" in done.stderr
    again = made.run("scripts/setup", "light", UV_FAILS="error: Failed to fetch: dns error: failed to lookup address")
    assert again.returncode != 0
    assert "the package index cannot be reached. Is there a network?" in again.stderr
    assert made.run("scripts/setup", "light").returncode == 0, "nothing is taken for installed that is not"


def test_what_an_interruption_left_half_made_is_made_anew(made: Checkout) -> None:
    for packages in (made.folder / ".venv").glob("lib/python*/site-packages"):
        shutil.rmtree(packages / "pip")
    (made.folder / ".venv" / "setup" / "bin").mkdir(parents=True)
    (made.folder / ".venv" / "setup" / "bin" / "uv").touch()
    done = made.run("scripts/setup", "light")
    assert done.returncode == 0, done.stderr
    assert "setup: making .venv with" in done.stdout
    assert synced(made) == ["requirements-light.txt"]


@pytest.mark.parametrize("moment", ["-m venv", "pip install"])
def test_ctrl_c_ends_it_without_the_last_words_of_what_it_runs(bare: Checkout, tmp_path: Path, moment: str) -> None:
    python = tmp_path / "python3.99"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *"{moment}"*) echo KeyboardInterrupt >&2; kill -INT 0; sleep 5 ;; '
        f'*"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;; *) exec {sys.executable} "$@" ;; esac\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    done = bare.run("setsid", "--wait", "scripts/setup", "light", PYTHON=str(python))
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout == f"setup: making .venv with {python}\n"


def test_a_certificate_that_is_not_trusted_is_named_as_the_cause(made: Checkout) -> None:
    done = made.run("scripts/setup", "light", UV_FAILS="error: invalid peer certificate: UnknownIssuer")
    assert done.returncode != 0
    assert "SSL_CERT_FILE" in done.stderr
    assert "UnknownIssuer" in done.stderr


def test_any_other_failure_is_told_in_its_own_words(made: Checkout) -> None:
    done = made.run("scripts/setup", "light", UV_FAILS="error: no space left")
    assert done.returncode != 0
    assert "no space left" in done.stderr
    assert "network" not in done.stderr
