"""The embedded stack's parts: the folder's lock, children that are kept alive, and no orphans."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from elcano import settings
from elcano.dev import __main__ as serve
from elcano.dev.child import Child, Guard, start_guard
from elcano.dev.claims import claim_folder, read_folder_owner
from elcano.dev.program import CannotStart
from elcano.dev.stack import STILL_STARTING, Stack, child_environment, open_stack
from elcano.settings import Settings

ROOT = Path(__file__).parents[3]
FOREVER = "import time; print('begun', flush=True); time.sleep(600)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('begun', flush=True); time.sleep(600)"


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    async with asyncio.timeout(150):
        while True:
            met = condition()
            if met is True or (isinstance(met, Awaitable) and await met):
                return
            await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_folder_belongs_to_one_stack_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with claim_folder(folder, {"api": "http://one.test"}, patience=0):
        assert read_folder_owner(folder) == {"pid": str(os.getpid()), "api": "http://one.test"}
        with (
            pytest.raises(CannotStart, match=r"process \d+, API http://one\.test.*ELCANO_DATA_DIR"),
            claim_folder(folder, {}, patience=30),
        ):
            pass
    assert read_folder_owner(folder) == {}
    with claim_folder(folder, {}, patience=0):
        pass


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotStart, match="ELCANO_DATA_DIR"), claim_folder(tmp_path / "file", {}, patience=0):
        pass


async def test_two_stacks_cannot_share_a_folder(tmp_path: Path) -> None:
    with (
        claim_folder(tmp_path, {"api": "http://one.test"}, patience=0),
        pytest.raises(CannotStart, match=r"http://one\.test"),
    ):
        async with open_stack(Settings(data_dir=tmp_path)):
            pass


def test_serve_says_why_it_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ELCANO_DATA_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(sys, "argv", ["serve"])
    settings.get_settings.cache_clear()
    with pytest.raises(SystemExit) as ended:
        serve.main()
    settings.get_settings.cache_clear()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("Elcano cannot start: the data folder")


class Family:
    """Children under one guard, and what they had said."""

    def __init__(self, folder: Path, guarded: Guard) -> None:
        self.said: list[str] = []
        self.folder = folder
        self._guarded = guarded
        self._children: list[Child] = []

    def child(self, program: str, *, verbose: bool = False) -> Child:
        child = Child(
            "worker",
            [sys.executable, "-c", program],
            {},
            log=self.folder / "logs" / "worker.log",
            guard=self._guarded,
            say=self.said.append,
            verbose=verbose,
        )
        self._children.append(child)
        return child

    async def stop(self) -> None:
        for child in self._children:
            await child.stop(0)


@pytest.fixture
async def family(tmp_path: Path) -> AsyncIterator[Family]:
    with claim_folder(tmp_path, {}, patience=0) as lock, start_guard(grace=5, lock=lock) as guarded:
        found = Family(tmp_path, guarded)
        yield found
        await found.stop()


async def test_a_killed_child_is_started_again(family: Family) -> None:
    child = family.child(FOREVER)
    await child.start()
    first = child.pid
    child.kill()
    await until(lambda: child.pid != first)
    assert lives(child.pid)
    assert child.deaths == 1
    assert "worker was killed by SIGKILL; starting it again" in family.said[0]


async def test_a_slow_start_is_announced_and_in_the_end_refused(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elcano.dev.stack.START_SECONDS", 0.5)
    monkeypatch.setattr("elcano.dev.stack.PATIENCE_SECONDS", 0.0)
    chosen = Settings(data_dir=tmp_path, api_port=1)
    stack = Stack(chosen, None, family.child(FOREVER), family.child(FOREVER), family.said.append)
    with pytest.raises(CannotStart, match=r"not ready after 0\.5 s.*worker\.log"):
        await stack.start()
    assert family.said == [STILL_STARTING]


async def test_a_stopped_child_stays_stopped_until_it_is_started(family: Family) -> None:
    child = family.child(FOREVER)
    await child.start()
    first = child.pid
    await child.stop(30)
    assert not lives(first)
    assert child.deaths == 0
    with pytest.raises(RuntimeError, match="worker is not running"):
        _ = child.pid
    await child.stop(30)
    await child.start()
    assert child.pid != first


async def test_a_child_that_dies_at_once_is_given_more_and_more_time(family: Family) -> None:
    child = family.child("raise SystemExit(3)")
    await child.start()
    await until(lambda: child.deaths == 2)
    await child.stop(30)
    assert [line for line in family.said if "exit code 3" in line] == [
        f"worker ended with exit code 3; starting it again in {pause} s (its log: {child.log})"
        for pause in ("0.5", "1")
    ]


async def test_a_child_that_does_not_listen_is_killed(family: Family) -> None:
    child = family.child(DEAF)
    await child.start()
    await until(lambda: "begun" in child.log.read_text())
    pid = child.pid
    await child.stop(0.2)
    assert not lives(pid)
    assert family.said == ["worker did not stop within 0.2 s and is killed"]


async def test_only_warnings_and_what_belongs_to_them_reach_the_terminal(family: Family) -> None:
    lines = ["10:00 INFO all is well", "10:01 ERROR it broke", "Traceback: here", "10:02 INFO all is well again"]
    child = family.child(f"import time\nfor line in {lines!r}: print(line, flush=True)\ntime.sleep(600)")
    await child.start()
    await until(lambda: "again" in child.last_words())
    await child.stop(30)
    assert family.said == ["worker: 10:01 ERROR it broke", "worker: Traceback: here"]
    assert child.last_words(2).splitlines() == lines[2:]


async def test_errors_of_a_start_and_an_end_that_work_out_are_for_the_log(family: Family) -> None:
    program = f"""
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ERROR cancelled"))
print("ERROR not ready", "the banner of the start", sep=chr(10), flush=True)
while not pathlib.Path({str(family.folder / "ready")!r}).exists(): time.sleep(0.01)
print("its address", "ERROR it broke", "its trace", sep=chr(10), flush=True)
signal.pause()
"""
    child = family.child(program)
    child.hide_log()
    await child.start()
    await until(lambda: "banner" in child.last_words())
    child.show_log()
    (family.folder / "ready").touch()
    await until(lambda: "worker: its trace" in family.said)
    child.hide_log()
    await child.stop(30)
    assert family.said == ["worker: ERROR it broke", "worker: its trace"]
    written = child.last_words()  # the explanation of a start that fails
    assert "not ready" in written
    assert "cancelled" in written


async def test_verbose_shows_everything(family: Family) -> None:
    child = family.child(FOREVER, verbose=True)
    await child.start()
    await until(lambda: "worker: begun" in family.said)


async def test_nothing_survives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    supervisor = f"""
import asyncio, sys
from pathlib import Path
from dev.child import Child
from dev.claims import claim_folder
from dev.child import start_guard

async def run(folder):
    with claim_folder(folder, {{}}, patience=0) as lock, start_guard(grace=1, lock=lock) as guarded:
        for name, program in (("polite", {FOREVER!r}), ("deaf", {DEAF!r})):
            child = Child(name, [sys.executable, "-c", program], {{}}, log=folder / name, guard=guarded, say=print)
            await child.start()
            while "begun" not in child.log.read_text():
                await asyncio.sleep(0.02)
            print(child.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(run(Path(sys.argv[1])))
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", supervisor, str(tmp_path), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    polite, deaf = [int(await process.stdout.readline()) for _ in range(2)]
    process.kill()
    await process.wait()
    assert read_folder_owner(tmp_path), "the guard holds the folder until the children are gone"
    with claim_folder(tmp_path, {}, patience=30):
        assert not lives(polite)
        await until(lambda: not lives(deaf))


@pytest.mark.parametrize(("address", "shared"), [("", "true"), ("temporal.test:7233", "false")])
def test_only_the_embedded_server_has_workers_of_one_environment_alone(address: str, shared: str) -> None:
    chosen = Settings.model_validate({"TEMPORAL_ADDRESS": address})
    assert child_environment(chosen)["ELCANO_SHARED_ENVIRONMENT"] == shared


@pytest.mark.parametrize(
    ("address", "set_to", "page"),
    [
        ("", "", "http://127.0.0.1:8233"),
        ("temporal.test:7233", "", ""),
        ("temporal.test:7233", "https://ui.test", "https://ui.test"),
        ("", "https://ui.test", "https://ui.test"),
    ],
)
def test_the_page_of_the_embedded_ui_is_known(address: str, set_to: str, page: str) -> None:
    chosen = Settings.model_validate({"TEMPORAL_ADDRESS": address, "temporal_ui_url": set_to, "temporal_ui_port": 8233})
    assert child_environment(chosen)["ELCANO_TEMPORAL_UI_URL"] == page
