"""`python -m elcano.dev [--verbose]`: runs the stack until Ctrl-C or SIGTERM; exit code 2 if it cannot start."""

import argparse
import asyncio

from elcano.dev.errors import CannotStart
from elcano.dev.program import end_on_signals, refuse, say
from elcano.dev.stack import stack, temporal_ui
from elcano.settings import program_settings


async def run(verbose: bool) -> None:
    """Runs the stack until a signal comes."""
    end_on_signals()
    chosen = program_settings()
    async with stack(chosen, say=say, verbose=verbose):
        say(f"Elcano is ready: {chosen.base_url}")
        if ui := temporal_ui(chosen):
            say(f"Temporal's own page: {ui}")
        say(f"Everything is kept in {chosen.data_dir}/ (logs in {chosen.data_dir / 'logs'}/). Ctrl-C stops.")
        try:
            await asyncio.Event().wait()
        finally:
            say("stopping; runs go on at the next start")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="elcano serve", description="Run Temporal, a worker and the API together.")
    parser.add_argument("--verbose", action="store_true", help="show everything that the processes log")
    arguments = parser.parse_args()
    try:
        asyncio.run(run(arguments.verbose))
    except asyncio.CancelledError:
        say("stopped")
    except CannotStart as error:
        refuse("Elcano", error)


if __name__ == "__main__":
    main()
