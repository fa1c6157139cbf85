"""Any plugin but `research` can be left out: programs start, a run works, what is not there is refused."""

import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from elcano.plugins import BUILT_IN, REQUIRED

ROOT = Path(__file__).parents[2]
CASES = 7
MODES = {"teams": "magentic", "literature": "literature_review", "data": "data", "analysis": "analysis"}
SOURCES = {"documents": "packages", "literature": "pubmed", "web": "web", "knowledge": "knowledge"}
SOURCES["uploads"] = "uploads"
ROUTES = {"data": "/v1/databases", "mcp": "/v1/tools", "knowledge": "/v1/knowledge"}
WITH = {
    "documents": ["certificates", "evidence_tables", "exports", "openai_api", "uploads", "web"],
    "uploads": ["evidence_tables", "openai_api"],
    "batches": ["evidence_tables"],
    "structured_answers": ["evidence_tables"],
    "certificates": ["exports"],
    "edits": ["schedules"],
    "quotas": ["reconcile"],
}
"""What is left out with a plugin, because it needs it."""


def environment(choice: str) -> dict[str, str]:
    paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
    return {**os.environ, "ELCANO_PLUGINS": choice, "PYTHONPATH": os.pathsep.join(paths)}


def list_cases() -> list[list[str]]:
    """Which plugins are left out together, so that of any two there is a case with the first and without the second.

    Each plugin is left out in three cases of seven, no two in the same three (Sperner's theorem: 35 plugins at most).
    """
    names = [name for name in BUILT_IN if name != REQUIRED]
    left_out_in = dict(zip(names, combinations(range(CASES), 3), strict=False))
    assert len(left_out_in) == len(names), "more plugins need more cases"
    return [[name for name in names if case in left_out_in[name]] for case in range(CASES)]


@pytest.mark.long
@pytest.mark.timeout(300)
def test_without_any_programs_start_and_a_run_works(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases = list_cases()
    asked = [(names, choose(MODES, names, "nothing"), choose(SOURCES, names, "nowhere")) for names in cases]
    command = [sys.executable, "-m", "tests.seams.left_out", str(tmp_path), json.dumps(asked)]
    done = subprocess.run(command, env=environment(""), cwd=tmp_path, capture_output=True, text=True, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(cases), done.stderr
    for names, said in zip(cases, told, strict=True):
        with subtests.test(left_out=names):
            check(names, said)


def choose(offered: dict[str, str], names: list[str], otherwise: str) -> str:
    """What the first of these plugins offers that offers any."""
    return next((offered[name] for name in names if name in offered), otherwise)


def check(names: list[str], said: dict[str, Any]) -> None:
    """What is there and what is refused without these plugins."""
    assert set(said["left_out"]) == {*names, *(other for name in names for other in WITH.get(name, []))}
    assert said["faults"] == []
    assert said["title"]
    assert {MODES.get(name) for name in said["left_out"]}.isdisjoint(said["modes"])
    assert {SOURCES.get(name) for name in said["left_out"]}.isdisjoint(said["sources"])
    missing = {path for path, status in said["routes"].items() if status != 200 and path != "/v1/tools"}
    assert missing <= {ROUTES.get(name) for name in said["left_out"]}
    assert said["refused"] == 422
    wrong = " ".join(fault["message"] for fault in said["told"]["errors"])
    assert f"plugins left out here: {', '.join(said['left_out'])}" in wrong


def test_what_only_it_can_open_is_refused_at_the_start(tmp_path: Path) -> None:
    chosen = environment("-data") | {"ELCANO_DATABASES": '{"shop": "shop.csv"}', "ELCANO_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "elcano.api"]
    done = subprocess.run(command, env=chosen, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "ELCANO_DATABASES names sources of the kind 'database'" in done.stderr
