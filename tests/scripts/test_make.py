"""What is handed to `make` reaches its script as it was written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts.checkout import Checkout, checkout

NOTED = """#!/bin/sh
printf '%s' "$QUESTION" >question
printf '%s' "$DOCS" >docs
"""


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    made = checkout(tmp_path)
    for name, text in {"setup": "#!/bin/sh\n", "demo": NOTED}.items():
        (made.folder / "scripts" / name).write_text(text, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    "question",
    [
        "Does it cost $100 or $HOME?",
        "What is $$, $(HOME), ${HOME}, $(shell id) and $@?",
        "\"quoted\", 'quoted', `quoted` and \\backslashed\\",
        "one line\nanother $1",
        "# no comment; *, ?, ~ & | < > %",
        "-h",
        "ends with \\",
        "怎么样? $1 ½",
    ],
)
def test_a_question_is_taken_literally(made: Checkout, question: str) -> None:
    done = made.run("make", "demo", f"QUESTION={question}", "DOCS=my docs/$1")
    assert done.returncode == 0, done.stderr
    assert (made.folder / "question").read_text(encoding="utf-8") == question
    assert (made.folder / "docs").read_text(encoding="utf-8") == "my docs/$1"
    done = made.run("make", "demo", QUESTION=question)
    assert done.returncode == 0, done.stderr
    assert (made.folder / "question").read_text(encoding="utf-8") == question


def test_the_demo_hands_it_on_as_one_word(made: Checkout) -> None:
    python = made.folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nfor word; do printf "<%s>" "$word"; done\n', encoding="utf-8")
    python.chmod(0o755)
    demo = Path(__file__).parents[2] / "scripts" / "demo"
    (made.folder / "scripts" / "demo").write_text(demo.read_text(encoding="utf-8"), encoding="utf-8")
    os.chmod(made.folder / "scripts" / "demo", 0o755)
    done = made.run("make", "demo", "QUESTION=-h or $HOME?", "DOCS=my docs")
    assert done.stdout == "<-m><elcano.dev.demo><--question=-h or $HOME?><--docs=my docs>"


@pytest.mark.parametrize(
    ("target", "level"),
    [("demo", "light"), ("serve", "light"), ("setup", "full"), ("check", "dev"), ("test", "dev"), ("chaos", "dev")],
)
def test_each_target_installs_what_it_needs(made: Checkout, target: str, level: str) -> None:
    for name in ("demo", "serve", "check", "test", "chaos"):
        (made.folder / "scripts" / name).write_text("#!/bin/sh\n", encoding="utf-8")
    (made.folder / "scripts" / "setup").write_text('#!/bin/sh\necho "$1"\n', encoding="utf-8")
    done = made.run("make", target)
    assert (done.returncode, done.stdout.split()) == (0, [level]), done.stderr


HOLDS_BACK = subprocess.run(["env", "--block-signal=INT", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not HOLDS_BACK, reason="the env of this system cannot hold signals back")
def test_ctrl_c_is_held_back_until_the_program_handles_it(made: Checkout) -> None:
    program = made.folder / ".venv" / "bin" / "elcano"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nimport signal\nprint(*signal.pthread_sigmask(signal.SIG_BLOCK, ()))\n")
    program.chmod(0o755)
    assert "2" in made.run("scripts/serve").stdout.split()
