"""The embedded stack's parts: ports, the folder's lock, children that are kept alive, and no orphans."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import settings
from dev import CannotStart, doctor
from dev.child import Child
from dev.folder import claimed, owner
from dev.guard import Guard, guard
from dev.ports import free_ports, is_free, listener
from dev.stack import ports, require_free_ports, stack
from settings import Settings

ROOT = Path(__file__).parents[2]
FOREVER = "import time; print('begun', flush=True); time.sleep(600)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('begun', flush=True); time.sleep(600)"


@contextmanager
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while True:
            met = condition()
            if met is True or (isinstance(met, Awaitable) and await met):
                return
            await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_port_that_is_listened_on_is_not_free_and_its_listener_is_known() -> None:
    with listening() as port:
        assert not is_free("127.0.0.1", port)
        assert f"process {os.getpid()}" in (listener(port) or "")
    assert is_free("127.0.0.1", port)
    assert listener(port) is None


def test_free_ports_are_different_and_free() -> None:
    found = free_ports(5)
    assert len(set(found)) == 5
    assert all(is_free("127.0.0.1", port) for port in found)


def test_every_taken_port_is_named_with_the_setting_that_changes_it() -> None:
    with listening() as api, listening() as ui:
        (free,) = free_ports(1)
        chosen = Settings(api_port=api, temporal_port=free, temporal_ui_port=ui)
        with pytest.raises(CannotStart) as raised:
            require_free_ports(chosen)
    text = str(raised.value)
    assert f"port {api} " in text
    assert "ELCANO_API_PORT" in text
    assert f"port {ui} " in text
    assert "ELCANO_TEMPORAL_UI_PORT" in text
    assert str(os.getpid()) in text
    assert f"port {free} " not in text


def test_an_existing_server_needs_no_ports_of_ours() -> None:
    assert set(ports(Settings.model_validate({"TEMPORAL_ADDRESS": "there:7233"}))) == {"api_port"}


def test_a_folder_belongs_to_one_stack_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with claimed(folder, {"api": "http://one.test"}, patience=0):
        assert owner(folder) == {"pid": str(os.getpid()), "api": "http://one.test"}
        with (
            pytest.raises(CannotStart, match=r"process \d+, API http://one\.test.*ELCANO_DATA_DIR"),
            claimed(folder, {}, patience=30),
        ):
            pass
    assert owner(folder) == {}
    with claimed(folder, {}, patience=0):
        pass


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotStart, match="ELCANO_DATA_DIR"), claimed(tmp_path / "file", {}, patience=0):
        pass


async def test_two_stacks_cannot_share_a_folder(tmp_path: Path) -> None:
    with (
        claimed(tmp_path, {"api": "http://one.test"}, patience=0),
        pytest.raises(CannotStart, match=r"http://one\.test"),
    ):
        async with stack(Settings(data_dir=tmp_path)):
            pass


class Family:
    """Children under one guard, and what they had said."""

    def __init__(self, folder: Path, guarded: Guard) -> None:
        self.said: list[str] = []
        self._folder = folder
        self._guarded = guarded
        self._children: list[Child] = []

    def child(self, program: str, *, verbose: bool = False) -> Child:
        child = Child(
            "worker",
            [sys.executable, "-c", program],
            {},
            log=self._folder / "logs" / "worker.log",
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
    with claimed(tmp_path, {}, patience=0) as lock, guard(grace=5, lock=lock) as guarded:
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


async def test_verbose_shows_everything(family: Family) -> None:
    child = family.child(FOREVER, verbose=True)
    await child.start()
    await until(lambda: "worker: begun" in family.said)


async def test_nothing_survives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    supervisor = f"""
import asyncio, sys
from pathlib import Path
from dev.child import Child
from dev.folder import claimed
from dev.guard import guard

async def run(folder):
    with claimed(folder, {{}}, patience=0) as lock, guard(grace=1, lock=lock) as guarded:
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
    assert owner(tmp_path), "the guard holds the folder until the children are gone"
    with claimed(tmp_path, {}, patience=30):
        assert not lives(polite)
        await until(lambda: not lives(deaf))


def test_doctor_says_how_to_mend(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "a.md").write_text("# A\n\nText.\n")
    (documents / "b.xyz").write_text("?")
    values: dict[str, str] = {
        "ELCANO_DATA_DIR": str(tmp_path / "data"),
        "ELCANO_MODEL": "openai:gpt-5.1,offline",
        "ELCANO_COLLECTIONS": json.dumps({"good": str(documents), "gone": str(tmp_path / "gone")}),
        "OPENAI_API_KEY": "",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    (port,) = free_ports(1)
    monkeypatch.setenv("ELCANO_API_URL", f"http://127.0.0.1:{port}")
    settings.settings.cache_clear()
    assert doctor.main() == 1
    shown = capsys.readouterr().out
    assert "set OPENAI_API_KEY" in shown
    assert "collection good: 1 documents" in shown
    assert "leaves out *.xyz" in shown
    assert "collection gone: " in shown
    assert "`elcano serve` starts one" in shown
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("ELCANO_COLLECTIONS", "{}")
    settings.settings.cache_clear()
    assert doctor.main() == 0
    assert "secret" not in capsys.readouterr().out
    settings.settings.cache_clear()
