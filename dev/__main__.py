"""`python -m elcano.dev [--verbose]`: runs the stack until Ctrl-C or SIGTERM; exit code 2 if it cannot start."""

from elcano.program_start import leave_on_interrupt

if __name__ == "__main__":
    leave_on_interrupt()

import argparse
import asyncio
from contextlib import suppress

from elcano.dev.program import CannotStart, end_on_signals, exit_cannot_start, print_line, require_plugins, run_program
from elcano.dev.stack import open_stack, temporal_ui
from elcano.settings import program_settings


async def run_dev_stack(verbose: bool) -> None:
    """Run the stack until a signal comes."""
    end_on_signals()
    chosen = program_settings()
    async with open_stack(chosen, say=print_line, verbose=verbose):
        print_line(f"Elcano is ready: {chosen.base_url}")
        if ui := temporal_ui(chosen):
            print_line(f"Temporal's own page: {ui}")
        print_line(f"Everything is kept in {chosen.data_dir}/ (logs in {chosen.data_dir / 'logs'}/). Ctrl-C stops.")
        try:
            await asyncio.Event().wait()
        finally:
            print_line("stopping; runs continue at the next start")


def main() -> None:
    """Run the program `python -m elcano.dev`."""
    parser = argparse.ArgumentParser(prog="elcano serve", description="Run Temporal, a worker and the API together.")
    parser.add_argument("--verbose", action="store_true", help="show everything that the processes log")
    arguments = parser.parse_args()
    require_plugins("Elcano")
    try:
        with suppress(asyncio.CancelledError):
            run_program(run_dev_stack(arguments.verbose))
    except CannotStart as error:
        exit_cannot_start("Elcano", error)


if __name__ == "__main__":
    main()
