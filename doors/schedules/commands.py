"""`elcano schedules`: questions that are asked again and again."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from elcano.cli.declared_commands import Row, list_command, request_command
from elcano.cli.options import AsJson, argument, option
from elcano.cli.printing import exit_with_json, format_line, format_local_time, print_line
from elcano.cli.requests import get_json, open_api, print_note

app = typer.Typer(no_args_is_help=True, help="Ask a question again and again, by a calendar or an interval.")

Name = Annotated[str, argument("A schedule's name.")]
Note = Annotated[str, option("Why.")]


@app.command("create")
def create_schedule(
    name: Annotated[str, argument("The schedule's name: small letters, digits and hyphens.")],
    question: Annotated[str, argument("The question to research each time.")],
    cron: Annotated[list[str] | None, option("When: a cron expression; may be repeated.")] = None,
    every: Annotated[float, option("When: every so many seconds.", min=0)] = 0.0,
    time_zone: Annotated[str, option("The time zone of the cron expressions.")] = "UTC",
    mode: Annotated[str, option("The mode; left out: chosen from the question.")] = "",
    overlap: Annotated[
        str, option("If the earlier run is still running: skip, queue_one, queue_all or allow.")
    ] = "skip",
    tokens: Annotated[int, option("Tokens that its runs may use together in --days.", min=0)] = 0,
    days: Annotated[float, option("The days of --tokens.", min=0)] = 30.0,
    run_file: Annotated[Path | None, option("A JSON file with the other fields of `POST /v1/runs`.")] = None,
    living: Annotated[bool, option("Bring the last report up to date each time.")] = False,
    paused: Annotated[bool, option("Start nothing until it is unpaused.")] = False,
    replace: Annotated[bool, option("Put it in the place of the one of this name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a schedule, or another one of its name, and print when it starts runs."""
    run: dict[str, Any] = {} if run_file is None else json.loads(run_file.read_text(encoding="utf-8"))
    run |= {"question": question} | ({"mode": mode} if mode else {})
    body: dict[str, Any] = {"name": name, "run": run, "time_zone": time_zone, "overlap": overlap, "paused": paused}
    body |= {"cron": cron} if cron else {}
    body |= {"every_seconds": every} if every else {}
    body |= {"budget": {"tokens": tokens, "days": days}} if tokens else {}
    body |= {"living": True} if living else {}
    with open_api() as api:
        made = api.put(f"/v1/schedules/{name}", body) if replace else api.post("/v1/schedules", body)
    _print_schedule(made, as_json)


def _describe_next(one: Row) -> str:
    if one["fault"]:
        return "changed"
    return "paused" if one["paused"] else "".join(map(format_local_time, one["next_times"][:1])) or "-"


app.command("list")(
    list_command(
        "List your schedules by name.",
        "/v1/schedules",
        {"name": "name", "next run": _describe_next, "question": "question"},
        "There are no schedules.",
    )
)


@app.command("show")
def show_schedule(name: Name, as_json: AsJson = False) -> None:
    """Show a schedule with its next times."""
    _print_schedule(get_json(f"/v1/schedules/{name}"), as_json)


@app.command("runs")
def list_runs(name: Name, limit: Annotated[int, option("Runs at most.", min=1, max=200)] = 20) -> None:
    """List the runs that a schedule started, the newest first."""
    for run in get_json(f"/v1/schedules/{name}/runs", limit=limit)["runs"]:
        print_line(run)


app.command("pause")(
    request_command(
        "Start nothing until the schedule is unpaused.",
        "POST /v1/schedules/{name}/pause",
        "{name} is paused",
        {"name": Name},
        {"note": Note},
    )
)
app.command("unpause")(
    request_command(
        "Start runs again.", "POST /v1/schedules/{name}/unpause", "{name} starts runs", {"name": Name}, {"note": Note}
    )
)
app.command("trigger")(
    request_command(
        "Start a run now.",
        "POST /v1/schedules/{name}/trigger",
        "{name} starts a run; `elcano schedules runs {name}` lists it",
        {"name": Name},
    )
)
app.command("delete")(
    request_command(
        "Delete a schedule. The runs that it started stay.",
        "DELETE /v1/schedules/{name}",
        "{name} is deleted",
        {"name": Name},
    )
)


def _print_schedule(one: dict[str, Any], as_json: bool) -> None:
    exit_with_json(one, wanted=as_json)
    print_line(f"{one['name']}: {format_line(one['question'])}")
    for time in one["next_times"]:
        print_line(f"  {format_local_time(time, '%Y-%m-%d %H:%M:%S')}")
    if one["fault"]:
        print_note(f"it starts no runs: {one['fault']}")
    elif one["last_refusal"]:
        print_note(f"its last time started no run: {one['last_refusal']}")
    if one["paused"]:
        print_note(f"it is paused: {one['note'] or 'no reason given'}")
