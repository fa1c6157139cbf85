"""Ctrl-C while a program imports its parts, which takes seconds, or after it has done its work: no traceback."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from elcano.program_start import INTERRUPTED

ROOT = Path(__file__).parents[3]
REPLACING = ["dev/doctor.py", "doors/certificates/verify_command.py"]
"""Modules that `replace_process` runs, beside `elcano.dev`."""
INTERRUPTED_START = """
import os, signal
from elcano.program_start import leave_on_interrupt
leave_on_interrupt()
os.kill(os.getpid(), signal.SIGINT)
print("went on")
"""


def test_an_interrupted_start_leaves_without_a_word() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED_START], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")


ENDING = """
import atexit, os, signal, sys
atexit.register(os.kill, os.getpid(), signal.SIGINT)
"""
PROGRAM = """
from elcano.dev.program import run_program
async def work(): print("done", flush=True)
sys.exit(run_program(work()))
"""
COMMAND = """
from elcano.cli import main
sys.argv = ["elcano", "--help"]
sys.exit(main())
"""


@pytest.mark.parametrize("program", [PROGRAM, COMMAND])
def test_a_program_that_has_done_its_work_ends_without_a_word(program: str) -> None:
    ended = subprocess.run([sys.executable, "-c", ENDING + program], capture_output=True, text=True, check=False)
    assert ended.stdout
    assert (ended.returncode, ended.stderr) == (INTERRUPTED, "")


INTERRUPTED_DEMO = """
import asyncio, os, signal
from elcano.dev import demo
from elcano.dev.program import end_on_signals, run_program
from elcano.settings import Settings

async def ask(seconds):
    end_on_signals()
    asyncio.get_running_loop().call_later(seconds, os.killpg, 0, signal.SIGINT)
    await demo._run_ask_command(Settings(api_port=1, _env_file=None), "Why?")

for step in range(10):  # while the Python of the command line starts
    try:
        run_program(ask(step * 0.02))
    except asyncio.CancelledError:
        print(step, flush=True)
"""


def test_a_demo_that_is_interrupted_while_its_command_line_starts_prints_no_traceback() -> None:
    command = [sys.executable, "-c", INTERRUPTED_DEMO]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, process_group=0)
    assert ended.stderr == ""
    assert ended.stdout.split() == [str(step) for step in range(10)]


HELD_INTERRUPT = """
import os, signal, sys
from elcano.program_start import hold_interrupts
hold_interrupts()
os.kill(os.getpid(), signal.SIGINT)
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""


def test_a_program_that_replaces_another_misses_no_interrupt() -> None:
    command = [sys.executable, "-c", HELD_INTERRUPT, INTERRUPTED_START]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")


@pytest.mark.parametrize("program", ["worker.py", "api/__main__.py", "dev/demo.py", "dev/__main__.py", *REPLACING])
def test_programs_are_ready_for_it_before_they_import_their_parts(program: str) -> None:
    _, first, ready, *_ = ast.parse((ROOT / program).read_text(encoding="utf-8")).body
    assert isinstance(first, ast.ImportFrom)
    assert first.module == "elcano.program_start"
    assert "leave_on_interrupt()" in ast.unparse(ready)


@pytest.mark.parametrize("package", ["__init__.py", "dev/__init__.py", "api/__init__.py", "doors/__init__.py"])
def test_their_packages_import_nothing_of_size_before_that(package: str) -> None:
    tree = ast.parse((ROOT / package).read_text(encoding="utf-8"))
    imports = [one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)]
    assert all("elcano" not in ast.unparse(one) for one in imports)
