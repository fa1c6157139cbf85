"""The commands pause, continue and cancel."""

import sys

import typer

from elcano.cli.asking import cancelled
from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.graphs.frozen import JsonObject
from elcano.settings import program_settings


def pause(run_id: str, reason: str, key: str) -> Exit:
    """Lets a run rest."""
    _ask(run_id, "pause", {"reason": reason}, key)
    sys.stdout.write(f"{run_id} is paused; `elcano continue {run_id}` lets it go on\n")
    return Exit.OK


def go_on(run_id: str, key: str) -> Exit:
    """Continues a run that was paused."""
    _ask(run_id, "continue", {}, key)
    sys.stdout.write(f"{run_id} goes on; `elcano watch {run_id}` shows it\n")
    return Exit.OK


def cancel(run_id: str, reason: str, *, sure: bool) -> Exit:
    """Ends a run without a report.

    Raises:
        Failed: nobody confirmed it, or it has ended.
    """
    if not sure:
        _confirm(run_id)
    answer = _ask(run_id, "cancel", {"reason": reason}, "")
    sys.stdout.write(f"{run_id} is {cancelled(answer)}\n")
    return Exit.OK


def _ask(run_id: str, what: str, body: JsonObject, key: str) -> JsonObject:
    with Api(program_settings().base_url) as api:
        answer: JsonObject = api.post(f"/v1/runs/{run_id}/{what}", body, _note, key)
        return answer


def _note(text: str) -> None:
    sys.stderr.write(f"elcano: {text}\n")


def _confirm(run_id: str) -> None:
    if not sys.stdin.isatty():
        raise Failed("a cancelled run has no report, and nobody can be asked here: add --yes", Exit.BAD_INPUT)
    if not typer.confirm(f"Cancel {run_id}, without a report? `elcano stop` writes one", err=True):
        raise Failed("nothing was cancelled", Exit.BAD_INPUT)
