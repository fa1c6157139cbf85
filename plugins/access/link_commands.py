"""`elcano share`: links by which a run can be read without a key."""

from typing import Annotated, Any

import typer

from elcano.cli.options import AsJson, Run, argument, option
from elcano.cli.printing import exit_with_json, format_line, format_local_time, print_columns, print_line
from elcano.cli.requests import get_json, open_api, post_json, print_note

app = typer.Typer(no_args_is_help=True, help="Share a run by links that can only be read, expire and can be revoked.")


@app.command("create")
def create_link(
    run: Run,
    days: Annotated[float, option("In how many days it expires.", min=0)] = 30.0,
    versions: Annotated[bool, option("Make a feed of the report's later versions, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a link to a run, and print it: everyone who has it can read the report, the events and the status."""
    from elcano.settings import program_settings

    made: dict[str, Any] = post_json(f"/v1/runs/{run}/links", {"days": days, "versions": versions})
    exit_with_json(made, wanted=as_json)
    base = program_settings().base_url.rstrip("/")
    for path in filter(None, (made["path"], made["feed"])):
        print_line(f"{base}{path}")
    until = format_local_time(made["expires_at"])
    print_note(f"this is link {made['id']}, until {until}; keep it now, it cannot be shown again")


@app.command("list")
def list_links(run: Run, as_json: AsJson = False) -> None:
    """List the links to a run, the newest first."""
    found: list[dict[str, Any]] = get_json(f"/v1/runs/{run}/links")
    exit_with_json(found, wanted=as_json)
    rows = [["id", "state", "expires", "made by"]]
    for one in found:
        until = format_local_time(one["expires_at"])
        rows.append([one["id"], one["state"], until, format_line(one["created_by"] or "-")])
    print_columns(rows, none="There are no links to this run.")


@app.command("revoke")
def revoke_link(run: Run, link: Annotated[str, argument("A link's id, as `elcano share list` prints it.")]) -> None:
    """Revoke a link at once."""
    with open_api() as api:
        api.delete(f"/v1/runs/{run}/links/{link}")
    print_line(f"{link} is revoked")
