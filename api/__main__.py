"""`python -m api`: the server, until SIGTERM or SIGINT.

Streams that are open then are ended; their clients come back by themselves.
"""

import logging
import os

import uvicorn

from api.app import create_app
from settings import settings

STREAMS_END_SECONDS = 2
"""How long a stopping server waits for answers that are being sent."""


def main() -> None:
    """The program."""
    chosen = settings()
    logging.basicConfig(level=chosen.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    uvicorn.run(
        create_app(chosen),
        host=chosen.api_host,
        port=chosen.api_port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=STREAMS_END_SECONDS,
    )
    logging.shutdown()
    # The SDK's runtime can abort an interpreter that exits in the ordinary way (temporalio/sdk-python#300).
    os._exit(0)


if __name__ == "__main__":
    main()
