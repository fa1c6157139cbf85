"""The commands pause, continue and cancel."""

import sys

import typer

from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.cli.key_actions import summarize_cancellation
from elcano.graphs.frozen import JsonObject
from elcano.settings import program_settings


def request_pause(run_id: str, reason: str, key: str) -> Exit:
    """Lets a run rest."""
    _post_action(run_id, "pause", {"reason": reason}, key)
    sys.stdout.write(f"{run_id} is paused; `elcano unpause {run_id}` lets it go on\n")
    return Exit.OK


def go_on(run_id: str, key: str) -> Exit:
    """Continues a run that was paused."""
    _post_action(run_id, "unpause", {}, key)
    sys.stdout.write(f"{run_id} goes on; `elcano watch {run_id}` shows it\n")
    return Exit.OK


def request_cancellation(run_id: str, reason: str, *, sure: bool) -> Exit:
    """Ends a run without a report.

    Raises:
        Failed: nobody confirmed it, or it has ended.
    """
    if not sure:
        _confirm_cancellation(run_id)
    answer = _post_action(run_id, "cancel", {"reason": reason}, "")
    sys.stdout.write(f"{run_id} is {summarize_cancellation(answer)}\n")
    return Exit.OK


def _post_action(run_id: str, what: str, body: JsonObject, key: str) -> JsonObject:
    with Api(program_settings().base_url) as api:
        answer: JsonObject = api.post(f"/v1/runs/{run_id}/{what}", body, _print_note, key)
        return answer


def _print_note(text: str) -> None:
    sys.stderr.write(f"elcano: {text}\n")


def _confirm_cancellation(run_id: str) -> None:
    if not sys.stdin.isatty():
        raise Failed("a cancelled run has no report, and nobody can be asked here: add --yes", Exit.BAD_INPUT)
    if not typer.confirm(f"Cancel {run_id}, without a report? `elcano stop` writes one", err=True):
        raise Failed("nothing was cancelled", Exit.BAD_INPUT)
