"""`python -m elcano.api`: the server, until SIGTERM or SIGINT.

Streams that are open then are ended, not cut; their clients come back by themselves.
"""

from elcano.program_start import hasten_start, leave_on_interrupt

if __name__ == "__main__":
    leave_on_interrupt()
    hasten_start()

import asyncio
import gc
import logging
import os
import platform
import signal
import socket
import sys

import uvicorn
from fastapi import FastAPI
from temporalio.runtime import Runtime

from elcano import __version__
from elcano.api.app import create_app
from elcano.api.http.request_identity import require_identity
from elcano.graphs.errors import ElcanoError
from elcano.graphs.plugin import load_objects, load_registries
from elcano.redaction import log_to_stderr
from elcano.service.source_survey import list_enabled_sources
from elcano.service.temporal.connection import build_runtime
from elcano.settings.plugins import SettingsInvalid, list_variables
from elcano.settings.settings import BAD_SETTINGS, Settings, program_settings, refuse_arguments, unknown_variables
from elcano.storage.rubric_files import known_domains
from elcano.storage.separate_preparation import prepare_separately
from elcano.storage.store import open_configured

GRACE_SECONDS = 2
"""Seconds that a stopping server waits for responses in flight."""


UNREAD_SECONDS = 120
"""Seconds in which a client has to take something of what is sent to it. One that takes nothing keeps a connection, a
stream and up to a whole answer in memory, for as long as it likes."""


class Server(uvicorn.Server):
    """Ends the event streams before it waits for connections to end, which they would not do by themselves."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens, and lets the system close connections that take nothing; Linux passes the option on to each."""
        await super().startup(sockets)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            for listener in (one for server in self.servers for one in server.sockets):
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1_000)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends streams, then connections."""
        await self._app.state.feeds.close()
        await super().shutdown(sockets)


async def require_settings(settings: Settings) -> None:
    """Ends the program with one line and exit code 2 before anything listens, if it cannot work as it is set up.

    A collection's name or a rubric cannot be used, what is kept cannot be opened, or others could do everything.
    """
    try:
        load_registries()
        for start in load_objects("starters"):
            start("api", settings)
        for text in unknown_variables(list_variables(load_objects("settings"))):
            logging.getLogger("api").warning("%s", text)
        require_identity(settings)
        list_enabled_sources(settings)
        known_domains(settings)
        async with open_configured(settings):
            pass
    except (ElcanoError, SettingsInvalid) as error:  # its text is for the person who has to act
        logging.getLogger("api").error("the API cannot start: %s", error)
        sys.exit(BAD_SETTINGS)


def main() -> None:
    """The program; its exit code is 0 after a signal and not 0 if it could not start."""
    refuse_arguments(__doc__)
    chosen = program_settings()
    log_to_stderr(chosen.log_level)
    prepare_separately(chosen)
    Runtime.set_default(build_runtime())
    asyncio.run(require_settings(chosen))
    logging.getLogger("api").info("elcano %s on Python %s", __version__, platform.python_version())
    app = create_app(chosen)
    config = uvicorn.Config(
        app,
        host=chosen.api_host,
        port=chosen.api_port,
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[("Server", f"elcano/{__version__}")],
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = Server(config, app)
    gc.freeze()  # looking through what was imported doubles the time of reading a long run
    gc.enable()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # uvicorn raises the signal again when it is done
    try:
        server.run()
    except KeyboardInterrupt:
        logging.getLogger("api").info("stopped")
    logging.shutdown()
    # The SDK's runtime can abort an interpreter that exits in the ordinary way (temporalio/sdk-python#300).
    os._exit(0 if server.started else 1)


if __name__ == "__main__":
    main()
