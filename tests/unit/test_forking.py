"""Tests that are shared among processes are each run once, and what becomes of them is told, also of one that dies."""

import subprocess
import sys
from pathlib import Path

FIRST = """
import os
import pytest

@pytest.fixture(scope="session", autouse=True)
def ended(tmp_path_factory):
    yield
    (tmp_path_factory.getbasetemp().parent / f"ended-{os.getpid()}").touch()

def test_passes(tmp_path):
    print("not to be seen")

def test_fails():
    print("to be seen")
    assert [1] == [2]
"""
SECOND = """
import os

def test_dies():
    os._exit(3)

def test_comes_after_it():
    pass
"""


def run(folder: Path, *options: str) -> tuple[int, str]:
    """Return the exit code of pytest on the folder, with its tests in two processes, and what it says."""
    command = (sys.executable, "-m", "pytest", "-p", "tests.forking", "-c", "/dev/null", "-p", "no:xdist")
    paths = ("--rootdir", str(folder), "--basetemp", str(folder / "temporary"), str(folder))
    done = subprocess.run((*command, "-n", "2", *options, *paths), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_each_test_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "test_first.py").write_text(FIRST, encoding="utf-8")
    (tmp_path / "test_second.py").write_text(SECOND, encoding="utf-8")
    code, said = run(tmp_path)
    assert code == 1
    assert "2 failed, 2 passed" in said
    assert "assert [1] == [2]" in said
    assert "to be seen" in said
    assert "not to be seen" not in said
    assert "test_second.py::test_dies" in said
    assert "of the tests ended with 3" in said
    assert len([*(tmp_path / "temporary").glob("ended-*")]) == 1, "fixtures of a session end with its last test"


def test_nothing_is_begun_after_a_failure_that_is_to_be_the_last(tmp_path: Path) -> None:
    (tmp_path / "test_first.py").write_text(FIRST + "\ndef test_later():\n    pass\n", encoding="utf-8")
    code, said = run(tmp_path, "-x")
    assert code == 1
    assert "1 failed, 1 passed" in said
    assert "stopping after 1 failures" in said


def test_a_fixture_of_the_session_that_fails_to_end_is_an_error(tmp_path: Path) -> None:
    text = FIRST.replace("    (tmp_path", "    raise OSError('it does not end')\n    (tmp_path").replace(
        "[1] == [2]", "True"
    )
    (tmp_path / "test_first.py").write_text(text, encoding="utf-8")
    code, said = run(tmp_path)
    assert code == 1
    assert "it does not end" in said
