"""What the image is made of is enough: worker and API start from it, run every mode without a key, and lack nothing."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.testing import WorkflowEnvironment

from elcano.dev.claims import free_ports
from elcano.dev.demo import build_demo_database
from elcano.graphs.mode_choice import MODES
from tests.cases import long_case
from tests.packaging.image import image_files, image_python

pytestmark = pytest.mark.timeout(600)
QUESTION = "How many packages are there, and when is the harbour open to ships?"
ENDED = {"completed", "partial", "unanswered"}
TEXT = "# The harbour\n\nThe harbour is open to ships from March to October. It was built in 1519 by the town.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("image")


@pytest.fixture(scope="module")
def environment(temporal_environment: WorkflowEnvironment, folder: Path) -> dict[str, str]:
    """That of the image's programs; `folder` is where they keep their data."""
    documents = folder / "documents"
    documents.mkdir()
    (documents / "harbour.md").write_text(TEXT, encoding="utf-8")
    (port,) = free_ports(1)
    ours = ("ELCANO_", "TEMPORAL_", "PYTHON")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | {
        "PYTHONPATH": str(image_files(folder)),
        "TEMPORAL_ADDRESS": temporal_environment.client.service_client.config.target_host,
        "ELCANO_DATA_DIR": str(folder / "data"),
        "ELCANO_COLLECTIONS": json.dumps({"documents": str(documents)}),
        "ELCANO_DATABASES": json.dumps({"installed": f"sqlite:///{build_demo_database(folder)}"}),
        "ELCANO_PACKAGE_READMES": "false",
        "ELCANO_API_PORT": str(port),
    }


@pytest.fixture(scope="module")
def python(folder: Path) -> Path:
    return image_python(folder)


@pytest.fixture(scope="module")
def programs(folder: Path, environment: dict[str, str], python: Path) -> Iterator[str]:
    """A worker and an API that run from the files and packages of the image alone; the address of the API."""
    address = f"http://127.0.0.1:{environment['ELCANO_API_PORT']}"
    with ExitStack() as stack:
        for program in ("worker", "api"):
            log = stack.enter_context((folder / f"{program}.log").open("wb"))
            process = subprocess.Popen(
                [python, "-m", f"elcano.{program}"], cwd=folder, env=environment, stdout=log, stderr=log
            )
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
        while not ready(address):
            for log_file in folder.glob("*.log"):
                said = log_file.read_text(encoding="utf-8")
                assert "Traceback" not in said, said
                assert "cannot start" not in said, said
            time.sleep(0.5)
        yield address


@pytest.fixture
async def image(programs: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=programs, trust_env=False, timeout=30) as api:
        yield api


def ready(address: str) -> bool:
    try:
        return httpx.get(f"{address}/readyz", trust_env=False, timeout=30).is_success
    except httpx.TransportError:  # it does not listen yet
        return False


NEED_MODEL = ("magentic", "hierarchical", "analysis")


async def test_it_says_which_modes_need_a_language_model(image: httpx.AsyncClient) -> None:
    listed = (await image.get("/v1/modes")).raise_for_status().json()
    assert tuple(mode["name"] for mode in listed if mode["needs_model"]) == NEED_MODEL


@pytest.mark.parametrize(
    "mode", [mode if mode in ("deep", "data") else long_case(mode) for mode in MODES if mode not in NEED_MODEL]
)
async def test_it_runs_every_other_mode(image: httpx.AsyncClient, mode: str) -> None:
    asked = {"question": QUESTION, "mode": mode, "sources": ["documents", "installed"], "budget": {"seconds": 120}}
    answer = await image.post("/v1/runs", json=asked)
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    while run["status"] == "running":
        await asyncio.sleep(0.5)
        run = (await image.get(f"/v1/runs/{run['run_id']}")).raise_for_status().json()
    assert run["status"] in ENDED, run
    report = (await image.get(f"/v1/runs/{run['run_id']}/report", headers={"Accept": "text/markdown"})).text
    assert "this worker has no" not in report
    assert "elcano-research[" not in report


@pytest.mark.usefixtures("programs")
def test_its_command_line_makes_the_first_key(environment: dict[str, str], python: Path, folder: Path) -> None:
    command = [str(python), "-m", "elcano", "keys", "create", "me", "--role", "admin", "--in-store"]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "elc_" in done.stdout


async def test_its_workers_lack_nothing(image: httpx.AsyncClient) -> None:
    for mode in (await image.get("/v1/modes")).raise_for_status().json():
        assert (mode["unavailable"], mode["left_out"]) == ([], []), mode["name"]
