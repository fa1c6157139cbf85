"""The command line's own surface: bad options, the manual, and help that answers at once."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import pytest

from elcano import __version__
from elcano.cli.exit_codes import Exit
from elcano.graphs.contracts import RunStatus
from tests.unit.cli.scripted import run

ROOT = Path(__file__).parents[3]


def test_usage_errors_are_bad_input() -> None:
    assert run("ask") == Exit.BAD_INPUT
    assert run("ask", "Why?", "--budget-tokens", "many") == Exit.BAD_INPUT
    assert run("nonsense") == Exit.BAD_INPUT


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == Exit.OK
    assert capsys.readouterr().out == f"elcano {__version__}\n"
    assert version("elcano-research") == __version__


def test_the_manual_has_every_exit_code_and_command(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+) \|", page, re.MULTILINE) == [str(code.value) for code in Exit]
    assert run("--help") == Exit.OK
    shown = capsys.readouterr().out
    for command in (
        "ask",
        "serve",
        "runs",
        "watch",
        "report",
        "stop",
        "top-up",
        "steer",
        "approve",
        "refuse",
        "steps",
        "step",
        "diff",
        "doctor",
        "graph",
    ):
        assert f"elcano {command}" in page
        assert command in shown


def test_the_manual_and_the_help_name_every_status(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert run("runs", "--help") == Exit.OK
    shown = capsys.readouterr().out
    for status in get_args(RunStatus):
        assert f"`{status}`" in page
        assert status in shown


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['elcano', '--help']\n"
        "from elcano.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'pydantic', 'rich', 'httpx', 'temporalio', 'fastapi', 'sqlalchemy'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    shown = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
