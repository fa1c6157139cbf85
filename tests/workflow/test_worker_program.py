"""The worker as a program: it waits for its server, prepares the namespace, and stops when it is told to."""

import asyncio
import logging
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest, ListSearchAttributesResponse
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from elcano import __version__
from elcano.dev.claims import free_ports
from elcano.dev.temporal import SERVER_OPTIONS, temporal_binary
from elcano.graphs.run_contracts import SEARCH_ATTRIBUTES
from elcano.service.temporal import connection
from elcano.settings.settings import Settings
from elcano.testing.temporal import STARTUP
from tests.cases import long_case

ROOT = Path(__file__).parents[2]


class Noting(logging.Filter):
    """Lets everything pass and notes that something did."""

    def __init__(self, noted: asyncio.Event) -> None:
        super().__init__()
        self._noted = noted

    def filter(self, record: logging.LogRecord) -> bool:
        self._noted.set()
        return True


def at(address: str, data_dir: Path) -> Settings:
    return Settings.model_validate({"TEMPORAL_ADDRESS": address, "data_dir": data_dir})


async def test_it_waits_for_its_server_and_registers_what_runs_need(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="worker")
    warned = asyncio.Event()
    caplog.handler.addFilter(Noting(warned))
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"
    connecting = asyncio.create_task(connection.connect_when_ready(at(address, tmp_path)))
    async with asyncio.timeout(60):
        await warned.wait()
        assert f"Temporal at {address} is not ready" in caplog.text
        async with await WorkflowEnvironment.start_local(
            port=port,
            dev_server_existing_path=temporal_binary(),
            dev_server_extra_args=SERVER_OPTIONS,
            dev_server_startup_timeout=STARTUP,
        ):
            client = await connecting
            request = ListSearchAttributesRequest(namespace="default")
            known = await client.operator_service.list_search_attributes(request)
            assert set(SEARCH_ATTRIBUTES) <= set(known.custom_attributes)
            caplog.clear()
            await connection.ensure_search_attributes(client)
            assert "registered" not in caplog.text


class Closed:
    """An operator service that does not serve this client; with `lists` it lets it look."""

    def __init__(self, status: RPCStatusCode, *, lists: bool) -> None:
        self.status = status
        self.lists = lists
        self.asked = 0

    async def list_search_attributes(self, request: object) -> ListSearchAttributesResponse:
        if not self.lists:
            raise self._refusal()
        keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
        return ListSearchAttributesResponse(custom_attributes=dict.fromkeys(list(SEARCH_ATTRIBUTES)[1:], keyword))

    async def add_search_attributes(self, request: object) -> None:
        raise self._refusal()

    def _refusal(self) -> RPCError:
        self.asked += 1
        return RPCError("Request unauthorized.", self.status, b"")


@pytest.mark.parametrize("lists", [False, True], ids=["may not look", "may not register"])
@pytest.mark.parametrize("status", [RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED])
async def test_an_operator_service_that_is_refused_is_told_once_and_the_worker_goes_on(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    status: RPCStatusCode,
    lists: bool,
) -> None:
    operator = Closed(status, lists=lists)
    client: Any = SimpleNamespace(namespace="research", operator_service=operator)

    async def connected(**config: Any) -> Any:
        return client

    monkeypatch.setattr(Client, "connect", connected)
    async with asyncio.timeout(60):
        assert await connection.connect_when_ready(at("temporal.test:7233", tmp_path)) is client
    assert operator.asked == 1
    (record,) = caplog.records
    needed = list(SEARCH_ATTRIBUTES)[:1] if lists else SEARCH_ATTRIBUTES
    names = " ".join(f"--name {name} --type {SEARCH_ATTRIBUTES[name]}" for name in needed)
    said = record.getMessage()
    assert f"temporal operator search-attribute create --namespace research {names} " in said
    assert status.name in said
    assert "The worker continues" in said


async def test_a_server_that_is_not_ready_is_asked_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator = Closed(RPCStatusCode.UNAVAILABLE, lists=False)
    client: Any = SimpleNamespace(namespace="research", operator_service=operator)

    async def connected(**config: Any) -> Any:
        if operator.asked == 2:
            operator.status = RPCStatusCode.UNIMPLEMENTED
        return client

    monkeypatch.setattr(Client, "connect", connected)
    monkeypatch.setattr(connection, "FIRST_CONNECT_PAUSE", 0.01)
    async with asyncio.timeout(60):
        await connection.connect_when_ready(at("temporal.test:7233", tmp_path))
    assert ["is not ready" in record.getMessage() for record in caplog.records] == [True, True, False]


@pytest.mark.parametrize("number", [signal.SIGTERM, long_case(signal.SIGINT)])
async def test_a_signal_drains_it_and_is_no_failure(
    temporal_environment: WorkflowEnvironment, tmp_path: Path, number: signal.Signals
) -> None:
    address = temporal_environment.client.service_client.config.target_host
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "worker.py",
        cwd=ROOT,
        env=at(address, tmp_path).environment(),
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    async with asyncio.timeout(60):
        log = b""
        while b"working in namespace" not in log:
            log += await process.stderr.readline()
        process.send_signal(number)
        log += await process.stderr.read()
        assert await process.wait() == 0
    assert b"stopping: running activities have 20 s to finish" in log
    assert log.rstrip().endswith(b"stopped")
    assert b"Traceback" not in log


@pytest.mark.long
async def test_a_signal_ends_the_waiting_too(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    environment = at(f"127.0.0.1:{port}", tmp_path).environment()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "elcano.worker", cwd=ROOT, env=environment, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    async with asyncio.timeout(60):
        assert f"elcano {__version__} on Python" in (await process.stderr.readline()).decode()
        while b"is not ready" not in (line := await process.stderr.readline()):
            assert line, "it has ended"
        process.terminate()
        await process.stderr.read()
        assert await process.wait() == 0
