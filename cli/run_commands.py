"""The commands about runs: ask, watch, report, runs, stop, top-up.

Results go to standard output, progress to standard error: `elcano ask ... > report.md` does what it looks like.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from elcano.cli.client import Api
from elcano.cli.exits import BY_STATUS, Exit, Failed
from elcano.cli.key_actions import format_limits, listen_for_keys
from elcano.cli.live import open_display
from elcano.cli.pictures import save_pictures_beside
from elcano.cli.printing import local_time, make_results_console
from elcano.cli.run_ids import short_ids
from elcano.cli.steering import call_lines, plan_lines
from elcano.graphs.frozen import JsonObject
from elcano.graphs.references.export_formats import NAMES
from elcano.graphs.state.events import AgentEvent
from elcano.settings import program_settings

_MORE = {
    "tokens": "--tokens 50000",
    "cost": "--usd 1",
    "time": "--seconds 600",
    "iterations": "--iterations 3",
    "steps": "--steps 100",
}
"""What to add to the limit that made a run pause."""
_WIDE = 120
"""Columns from which on a list of runs shows whole ids, with years and engines."""
_MODE_CHARACTERS = 16
"""Of a mode in a narrow list."""


def ask_question(body: JsonObject, *, key: str, watch: bool, as_json: bool, out: Path | None) -> Exit:
    """Starts a run; watches it and prints its report unless `watch` is off."""
    _require_writable(out)
    with open_api() as api:
        run = api.post("/v1/runs", body, print_note, key)
        if not watch:
            _print_line(json.dumps(run) if as_json else run["run_id"])
            return Exit.OK
        return _watch_and_deliver(api, run, as_json=as_json, out=out)


def watch_run(run_id: str, *, as_json: bool) -> Exit:
    """Shows a run from its beginning until its end; as JSON, one event a line."""
    with open_api() as api:
        last = _follow_run(api, run_id, Console(), as_json=as_json)
        return _exit_from_event(last)


def print_report(run_id: str, *, form: str, out: Path | None) -> Exit:
    """Prints a run's report, or its references. How the run ended is the exit code, also of one that has no report.

    Args:
        run_id: the run.
        form: one of `graphs.references.forms.NAMES`.
        out: the file that it is written to instead.
    """
    _require_writable(out)
    with open_api() as api:
        run = api.get(f"/v1/runs/{run_id}")
        ended = BY_STATUS.get(run["status"])
        if run["report"] is None:
            raise Failed(_no_report(run), Exit.BAD_INPUT if ended is None else ended)
        _deliver_report(api, run_id, form=form, out=out)
        return _exit_from_event(_wait_for_last_event(api, run_id)) if ended is None else ended


def print_runs(*, limit: int, status: str | None, as_json: bool) -> Exit:
    """Lists runs, newest first."""
    with open_api() as api:
        page = api.get("/v1/runs", limit=limit, **({"status": status} if status else {}))
    if as_json:
        _print_line(json.dumps(page))
    else:
        console = make_results_console()
        nothing = "No run is so." if status else "There are no runs yet; `elcano ask` starts one."
        console.print(_build_runs_table(page["runs"], console.width) if page["runs"] else nothing)
    return Exit.OK


def request_stop(run_id: str, reason: str, key: str) -> Exit:
    """Tells a run to end; it still writes its report."""
    with open_api() as api:
        api.post(f"/v1/runs/{run_id}/stop", {"reason": reason}, print_note, key)
    _print_line(f"{run_id} is going to its report now; `elcano watch {run_id}` shows it")
    return Exit.OK


def top_up(run_id: str, added: JsonObject, key: str) -> Exit:
    """Raises a run's limits."""
    with open_api() as api:
        limits = api.post(f"/v1/runs/{run_id}/top-up", added, print_note, key)["limits"]
    _print_line(f"{run_id} may now spend: {format_limits(limits)}")
    return Exit.OK


def _watch_and_deliver(api: Api, run: JsonObject, *, as_json: bool, out: Path | None) -> Exit:
    run_id = str(run["run_id"])
    console = Console(stderr=True)
    console.print(f"Run {run_id} (engine: {run['engine']})", highlight=False, soft_wrap=True)
    if not console.is_terminal and (page := _get_temporal_page(run)):  # else the display names it
        console.print(f"In the Temporal UI: {page}", highlight=False, soft_wrap=True)
    last = _follow_run(api, run_id, console, as_json=False)
    if last.data.get("report") is not None:
        _deliver_report(api, run_id, form="json" if as_json else "md", out=out)
    return _exit_from_event(last)


def _get_temporal_page(run: Mapping[str, Any]) -> str:
    """A run's page in the Temporal UI; empty if the server does not know it."""
    return str(run.get("links", {}).get("temporal_ui", ""))


def _follow_run(api: Api, run_id: str, console: Console, *, as_json: bool) -> AgentEvent:
    """Shows a run until its terminal event, which is returned. Ctrl-C leaves the run alone."""
    try:
        if as_json:
            return _print_events(api, run_id)
        with (
            open_display(console, lambda: api.get(f"/v1/runs/{run_id}", pending=False)) as shown,
            listen_for_keys(api, run_id, shown),
        ):
            for event in api.watch(run_id, shown.say, shown.write):
                shown.show(event)
                if event.type == "paused" and not event.section:  # a section that waits does not hold up the others
                    shown.say(_what_helps(run_id, str(event.data.get("reason"))))
                elif event.type == "approval_requested":
                    for line in call_lines(event.data):
                        shown.say(line)
                elif event.type == "plan_proposed":
                    for line in plan_lines(event.data):
                        shown.say(line)
                    shown.say(f"`elcano approve {run_id}` lets it go on, `elcano refuse {run_id} REASON` ends it")
            return event
    except KeyboardInterrupt:
        message = f"the run goes on; `elcano watch {run_id}` comes back to it, `elcano stop {run_id}` ends it"
        raise Failed(message, Exit.INTERRUPTED) from None


def _what_helps(run_id: str, reason: str) -> str:
    """Say how to continue a paused run: one that a user paused, or one that is short of a limit."""
    more = f"elcano top-up {run_id} {_MORE.get(reason, _MORE['tokens'])}"
    on = f"elcano unpause {run_id}" if reason == "pause" else more
    return f"`{on}` lets it go on, `elcano stop {run_id}` has it write the report"


def _print_events(api: Api, run_id: str) -> AgentEvent:
    for event in api.watch(run_id, print_note):
        _print_line(event.model_dump_json())
    return event


def print_note(text: str) -> None:
    """Prints a message about the command itself to stderr, apart from its output."""
    sys.stderr.write(f"elcano: {text}\n")


def _deliver_report(api: Api, run_id: str, *, form: str, out: Path | None) -> None:
    text = api.report(run_id, NAMES[form])
    if out is not None:
        if form == "md":
            text = save_pictures_beside(api, run_id, text, out)
        out.write_text(text, encoding="utf-8", newline="")  # RIS ends its lines as it has to
        Console(stderr=True).print(f"Report saved in {out}", highlight=False, soft_wrap=True)
    elif sys.stdout.isatty() and form == "md":
        Console().print(Markdown(text))
    else:
        _print_line(text.rstrip("\n"))


def _exit_from_event(last: AgentEvent) -> Exit:
    return BY_STATUS[str(last.data["status"])]


def _wait_for_last_event(api: Api, run_id: str) -> AgentEvent:
    """The terminal event of a run that has its report and is about to end."""
    *_, last = api.watch(run_id, print_note)
    return last


def _no_report(run: JsonObject) -> str:
    if run["status"] == "running":
        return f"{run['run_id']} has no report yet; `elcano watch {run['run_id']}` shows how it goes"
    failure = run.get("failure")
    reason = f": {failure['message']}" if isinstance(failure, dict) else ""
    return f"{run['run_id']} has no report, its status is {run['status']}{reason}"


def _build_runs_table(listed: list[dict[str, Any]], width: int) -> Table:
    """Runs in lines of `width`: where ids fit beside everything else they are whole, else their ends."""
    wide = width >= _WIDE
    ids = [str(run["run_id"]) for run in listed]
    shown = {one: one for one in ids} if wide else short_ids(ids)
    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("run", no_wrap=True, min_width=max(map(len, shown.values())))
    table.add_column("status", no_wrap=True, min_width=max(len(standing_of(run)) for run in listed))
    table.add_column("mode", no_wrap=True, overflow="ellipsis", max_width=None if wide else _MODE_CHARACTERS)
    if wide:
        table.add_column("engine", no_wrap=True)
    table.add_column("started", no_wrap=True)
    table.add_column("question", overflow="ellipsis", no_wrap=True, ratio=1)
    for run in listed:
        started = local_time(run["started_at"], "%Y-%m-%d %H:%M" if wide else "%m-%d %H:%M")
        question = " ".join(run["question"].split())
        run_id = Text(shown[run["run_id"]], style=f"link {page}" if (page := _get_temporal_page(run)) else "")
        engine = [run["engine"]] if wide else []
        table.add_row(run_id, standing_of(run), mode_of(run), *engine, started, question)
    return table


def standing_of(run: JsonObject) -> str:
    """How a run of a list stands in one word: of one that goes on, where it is, if it does not research.

    With a question mark: it went on when it was last heard of, and Temporal does not say whether it still does.
    """
    if run.get("stale"):
        return f"{run['status']}?"
    stage = run.get("stage")
    return str(run["status"] if stage in (None, "researching", "closed") else stage)


def mode_of(run: JsonObject) -> str:
    """The mode of a run in one word; of one that chose its mode with the one chosen: `auto/deep`."""
    choice = run.get("choice")
    return f"{run['mode']}/{choice['mode']}" if isinstance(choice, dict) else str(run["mode"])


def open_api() -> Api:
    """The API that the settings name."""
    return Api(program_settings().base_url)


def _require_writable(out: Path | None) -> None:
    """A path that cannot work is refused before the research, not after it."""
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise Failed(f"--out {str(out)!r} is not a file in an existing folder", Exit.BAD_INPUT)


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
