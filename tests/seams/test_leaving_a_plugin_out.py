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
SOURCES["uploads"] = "uploads"
ROUTES = {"data": "/v1/databases", "mcp": "/v1/tools", "knowledge": "/v1/knowledge"}
WITH = {"documents": ["uploads", "web"], "certificates": ["exports"]}
"""What is left out with a plugin, because it needs it."""


def environment(choice: str) -> dict[str, str]:
    paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
    return {**os.environ, "ELCANO_PLUGINS": choice, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.mark.timeout(300)
def test_without_each_programs_start_and_a_run_works(tmp_path: Path, subtests: pytest.Subtests) -> None:
    names = [name for name in BUILT_IN if name != REQUIRED]
    cases = [(name, MODES.get(name, "nothing"), SOURCES.get(name, "nowhere")) for name in names]
    command = [sys.executable, "-m", "tests.seams.left_out", str(tmp_path), json.dumps(cases)]
    done = subprocess.run(command, env=environment(""), cwd=tmp_path, capture_output=True, text=True, check=False)
    told = {case["name"]: case["said"] for case in map(json.loads, done.stdout.splitlines())}
    for name, mode, source in cases:
        with subtests.test(name=name):
            assert name in told, done.stderr
            check(name, mode, source, told[name])


def check(name: str, mode: str, source: str, said: dict[str, Any]) -> None:
    """What is there and what is refused without a plugin."""
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


def test_what_only_it_can_open_is_refused_at_the_start(tmp_path: Path) -> None:
    chosen = environment("-data") | {"ELCANO_DATABASES": '{"shop": "shop.csv"}', "ELCANO_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "elcano.api"]
    done = subprocess.run(command, env=chosen, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "ELCANO_DATABASES names sources of the kind 'database'" in done.stderr
