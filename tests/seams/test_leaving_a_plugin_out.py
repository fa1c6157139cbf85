"""Any plugin but `research` can be left out: programs start, a run works, what is not there is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from elcano.plugins import BUILT_IN, REQUIRED

ROOT = Path(__file__).parents[2]
MODES = {"teams": "magentic", "literature": "literature_review", "data": "data", "analysis": "analysis"}
SOURCES = {"documents": "packages", "literature": "pubmed", "web": "web", "knowledge": "knowledge"}
ROUTES = {"data": "/v1/databases", "mcp": "/v1/tools", "knowledge": "/v1/knowledge"}
WITH = {"documents": ["web"]}
"""What is left out with a plugin, because it needs it."""


def environment(choice: str) -> dict[str, str]:
    paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
    return {**os.environ, "ELCANO_PLUGINS": choice, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name != REQUIRED])
def test_without_it_programs_start_and_a_run_works(name: str, tmp_path: Path) -> None:
    mode, source = MODES.get(name, "nothing"), SOURCES.get(name, "nowhere")
    command = [sys.executable, "-m", "tests.seams.left_out", str(tmp_path), mode, source]
    done = subprocess.run(
        command, env=environment(f"-{name}"), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert set(said["left_out"]) == {name, *WITH.get(name, [])}
    assert said["faults"] == []
    assert said["title"]
    assert mode not in said["modes"]
    assert source not in said["sources"]
    assert {path for path, status in said["routes"].items() if status != 200 and path != "/v1/tools"} <= {
        ROUTES.get(name)
    }
    assert said["refused"] == 422
    wrong = " ".join(fault["message"] for fault in said["told"]["errors"])
    assert f"plugins left out here: {', '.join(said['left_out'])}" in wrong


@pytest.mark.parametrize("name", ["documents", "data"])
def test_what_only_it_can_open_is_refused_at_the_start(name: str, tmp_path: Path) -> None:
    named = {
        "documents": ("ELCANO_COLLECTIONS", {"books": str(tmp_path)}),
        "data": ("ELCANO_DATABASES", {"shop": "shop.csv"}),
    }
    variable, value = named[name]
    chosen = environment(f"-{name}") | {variable: json.dumps(value), "ELCANO_DATA_DIR": str(tmp_path / "data")}
    command = [sys.executable, "-m", "elcano.api"]
    done = subprocess.run(command, env=chosen, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert f"{variable} names sources of the kind" in done.stderr
