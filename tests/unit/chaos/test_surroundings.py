"""What a storm harms around it is seen: a changed database, what a tool wrote, a process that nobody ended."""

import os
import subprocess
import sys
from pathlib import Path

from tests.chaos.storm.surroundings import Surroundings
from tests.chaos.storm.tables import TOOLS, WRITTEN


def test_databases_are_the_same_until_one_is_written_to(tmp_path: Path) -> None:
    surroundings = Surroundings(tmp_path)
    assert surroundings.harmed() == ()
    with (tmp_path / "tables" / "ships.db").open("ab") as file:
        file.write(b"x")
    (tmp_path / "tables" / "ships.db-wal").touch()
    assert len(surroundings.harmed()) == 2


def test_what_was_written_is_counted_by_run(tmp_path: Path) -> None:
    surroundings = Surroundings(tmp_path)
    assert surroundings.written() == {}
    (tmp_path / TOOLS / WRITTEN).write_text("chaos-1-1\nchaos-1-2\nchaos-1-2\n", encoding="utf-8")
    assert surroundings.written() == {"chaos-1-1": 1, "chaos-1-2": 2}


def test_a_process_that_knows_the_folder_is_left_behind_until_it_ends(tmp_path: Path) -> None:
    surroundings = Surroundings(tmp_path)
    environment = {**os.environ, "ELCANO_DATA_DIR": str(tmp_path / "data")}
    program = "import sys; sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, env=environment) as process:
        assert len(surroundings.left_behind(0)) == 1
        process.communicate()
    assert surroundings.left_behind(0) == ()
