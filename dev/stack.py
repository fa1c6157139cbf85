"""The stack: its processes, the order in which they start and stop, and when they are ready.

All its data is in one data folder. An existing Temporal server (`TEMPORAL_ADDRESS`) is used as it is; without one, the
embedded server is started, on a database file in the data folder.
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from elcano.dev.child import Child, Guard, start_guard
from elcano.dev.claims import claim_folder, find_listener, is_free
from elcano.dev.program import CannotStart
from elcano.dev.temporal import LOCALHOST, server_command
from elcano.graphs.errors import InputInvalid
from elcano.settings.settings import Settings, get_variable_name
from elcano.subjects.documents.local_sources import require_folders

START_SECONDS = 300.0
"""Seconds that the stack may take to become ready: the first start also compiles what it imports, on whatever disk."""
PATIENCE_SECONDS = 20.0
"""After this, a message says that it is still starting."""
STILL_STARTING = "still starting; the first start takes longest, because Python compiles what it loads"
API_GRACE = 5.0
"""Seconds that open streams get to end; clients reconnect by themselves."""
TEMPORAL_GRACE = 10.0
_POLL = 0.1

Say = Callable[[str], None]


@dataclass(frozen=True)
class Stack:
    """A running stack. `temporal` is None when an existing server is used."""

    settings: Settings
    temporal: Child | None
    worker: Child
    api: Child
    say: Say

    @property
    def children(self) -> list[Child]:
        """The processes in the order of stopping: those that serve others stop last."""
        return [child for child in (self.api, self.worker, self.temporal) if child is not None]

    async def stop_worker(self) -> None:
        """Let the worker drain; no other one starts until `worker.start()`."""
        await self.worker.stop(self._worker_grace)

    async def start(self) -> None:
        """Start everything and return once a run would be accepted.

        Raises:
            CannotStart: a process died on the way, or it took longer than `START_SECONDS`.
        """
        deadline = time.monotonic() + START_SECONDS
        notice = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self.say, STILL_STARTING)
        try:
            await self._start_in_order(deadline)
        finally:
            notice.cancel()

    async def _start_in_order(self, deadline: float) -> None:
        if self.temporal is not None:
            self.temporal.hide_log()  # the parts of the server report errors of one another until all have started
            await self.temporal.start()
            await self._until(self._temporal_listens, deadline)
            self.temporal.show_log()
        await self.worker.start()
        await self.api.start()
        async with httpx.AsyncClient(base_url=self.settings.base_url, trust_env=False) as client:
            await self._until(lambda: _is_api_ready(client), deadline)

    async def stop(self) -> None:
        """Stop everything: no new requests, then the worker drains, then the server closes its database."""
        if self.temporal is not None:
            self.temporal.hide_log()  # it reports as errors what the end of its clients, and its own, cancels
        await self.api.stop(API_GRACE)
        await self.stop_worker()
        if self.temporal is not None:
            await self.temporal.stop(TEMPORAL_GRACE)

    @property
    def _worker_grace(self) -> float:
        return self.settings.shutdown_seconds + API_GRACE

    async def _temporal_listens(self) -> bool:
        return not is_free(LOCALHOST, self.settings.temporal_port)

    async def _until(self, ready: Callable[[], Awaitable[bool]], deadline: float) -> None:
        while not await ready():
            for child in self.children:
                if child.deaths:
                    raise CannotStart(f"{child.name} ended while starting. Its log ends so:\n{child.last_words()}")
            if time.monotonic() > deadline:
                logs = ", ".join(str(child.log) for child in self.children)
                raise CannotStart(f"the stack is not ready after {START_SECONDS:g} s; the logs may say why: {logs}")
            await asyncio.sleep(_POLL)


@asynccontextmanager
async def open_stack(settings: Settings, *, say: Say = print, verbose: bool = False) -> AsyncIterator[Stack]:
    """Run the stack for the duration of the block; `say` gets a line for each message.

    Raises:
        CannotStart: the data folder or a port is in use, a program or a collection's folder is missing, or a process
            died on the way.
    """
    try:
        require_folders(settings)
    except InputInvalid as error:
        raise CannotStart(str(error)) from error
    grace = settings.shutdown_seconds + API_GRACE
    facts = {"api": settings.base_url, "temporal": settings.temporal_target, "ui": temporal_ui(settings)}
    with claim_folder(settings.data_dir, facts, patience=grace) as lock:
        require_free_ports(settings)
        with start_guard(grace=grace, lock=lock) as guarded:
            running = _assemble_stack(settings, guarded, say, verbose)
            try:
                await running.start()
                yield running
            finally:
                await running.stop()


def temporal_ui(settings: Settings) -> str:
    """The address of the embedded Temporal UI; empty if an existing server is used."""
    return "" if settings.temporal_address else f"http://{LOCALHOST}:{settings.temporal_ui_port}"


def list_needed_ports(settings: Settings) -> dict[str, tuple[str, int]]:
    """List host and port of everything that the stack listens on, by the setting that changes it."""
    needed = {"api_port": (settings.api_host, settings.api_port)}
    if not settings.temporal_address:
        needed["temporal_port"] = (LOCALHOST, settings.temporal_port)
        needed["temporal_ui_port"] = (LOCALHOST, settings.temporal_ui_port)
    return needed


def require_free_ports(settings: Settings) -> None:
    """Refuse ports that are taken, all at once.

    Raises:
        CannotStart: naming each port, who listens there and which setting changes it.
    """
    taken = [
        f"port {port} is in use by {find_listener(port) or 'a process that cannot be looked into'}: "
        f"stop that, or set {get_variable_name(name)} to another port"
        for name, (host, port) in list_needed_ports(settings).items()
        if not is_free(host, port)
    ]
    if taken:
        raise CannotStart("\n".join(taken))


def _assemble_stack(settings: Settings, guarded: Guard, say: Say, verbose: bool) -> Stack:
    environment = child_environment(settings)

    def child(name: str, *command: str) -> Child:
        log = settings.data_dir / "logs" / f"{name}.log"
        return Child(name, command, environment, log=log, guard=guarded, say=say, verbose=verbose)

    python = (sys.executable, "-P", "-m")  # -P: no module of the user's folder is taken for one of ours
    return Stack(
        settings=settings,
        temporal=None if settings.temporal_address else child("temporal", *server_command(settings)),
        worker=child("worker", *python, "elcano.worker"),
        api=child("api", *python, "elcano.api"),
        say=say,
    )


def child_environment(settings: Settings) -> dict[str, str]:
    """Return the environment for child processes: this environment and these settings."""
    alone = not settings.temporal_address  # at another server, workers of other environments may take the runs
    shared = {
        "shared_environment": alone or settings.shared_environment,
        "temporal_ui_url": settings.temporal_ui_url or temporal_ui(settings),
    }
    environment = settings.model_copy(update=shared).environment()
    if settings.temporal_address:
        return environment
    # A profile meant for another server (namespace, key, TLS) must not be applied to the embedded one.
    environment = {name: value for name, value in environment.items() if not name.startswith("TEMPORAL_")}
    return environment | {"TEMPORAL_ADDRESS": settings.temporal_target, "TEMPORAL_CONFIG_FILE": os.devnull}


async def _is_api_ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readyz")).is_success
    except httpx.TransportError:  # it does not listen yet
        return False
