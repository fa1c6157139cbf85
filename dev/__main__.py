"""`python -m dev [--verbose]`: runs the stack until Ctrl-C or SIGTERM; exit code 2 if it cannot start."""

import argparse
import asyncio
import signal
import sys

from dev.errors import EXIT_CODE, CannotStart
from dev.stack import stack, temporal_ui
from settings import settings


async def run(verbose: bool) -> None:
    """Runs the stack until a signal comes."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    chosen = settings()
    async with stack(chosen, say=_say, verbose=verbose):
        _say(f"Elcano is ready: {chosen.base_url}")
        if ui := temporal_ui(chosen):
            _say(f"Temporal's own page: {ui}")
        _say(f"Everything is kept in {chosen.data_dir}/ (logs in {chosen.data_dir / 'logs'}/). Ctrl-C stops.")
        try:
            await asyncio.Event().wait()
        finally:
            _say("stopping; runs go on at the next start")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="elcano serve", description="Run Temporal, a worker and the API together.")
    parser.add_argument("--verbose", action="store_true", help="show everything that the processes log")
    arguments = parser.parse_args()
    try:
        asyncio.run(run(arguments.verbose))
    except asyncio.CancelledError:
        _say("stopped")
    except CannotStart as error:
        sys.stderr.write(f"Elcano cannot start: {error}\n")
        sys.exit(EXIT_CODE)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
