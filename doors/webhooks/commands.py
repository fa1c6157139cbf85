"""`elcano webhooks`: servers that are notified of runs."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from elcano.cli.declared_commands import Cell, print_rows, request_command
from elcano.cli.options import AsJson, argument, option
from elcano.cli.printing import exit_with_json, format_local_time, print_line
from elcano.cli.requests import get_json, post_json, print_note

app = typer.Typer(
    no_args_is_help=True,
    help="Notify servers of your own when runs end, wait or need approval.",
)

WebhookId = Annotated[str, argument("A webhook's id, as `elcano webhooks list` prints it.")]
_COLUMNS: Final[Mapping[str, Cell]] = {
    "id": "id",
    "state": "state",
    "url": "url",
    "events": lambda one: " ".join(one["events"]),
    "run": lambda one: one["run_id"] or "all",
}
_DELIVERY_COLUMNS: Final[Mapping[str, Cell]] = {
    "when": lambda one: format_local_time(one["created_at"], "%Y-%m-%d %H:%M:%S"),
    "event": "type",
    "status": "status",
    "attempts": "attempts",
    "message": "id",
    "last error": "error",
}


@app.command("create")
def create_webhook(
    url: Annotated[str, argument("Where messages are sent: https://...")],
    event: Annotated[
        list[str] | None, option("An event to send; may be repeated. Left out: ends, holds and approvals.")
    ] = None,
    run: Annotated[str, option("The one run that messages are about; left out: all runs from now on.")] = "",
    description: Annotated[str, option("What it is for.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a webhook and print its secret, by which receivers check what they get."""
    body: dict[str, Any] = {"url": url, "description": description}
    body |= {"events": event} if event else {}
    body |= {"run_id": run} if run else {}
    _print_secret(post_json("/v1/webhooks", body), as_json)


@app.command("list")
def list_webhooks(as_json: AsJson = False) -> None:
    """List your webhooks, the oldest first."""
    found: list[dict[str, Any]] = get_json("/v1/webhooks")
    exit_with_json(found, wanted=as_json)
    print_rows(found, _COLUMNS, "There are no webhooks.")
    for one in found:
        if one["reason"]:
            print_note(f"{one['id']} was disabled: {one['reason']}; `elcano webhooks enable {one['id']}`")


@app.command("deliveries")
def list_deliveries(
    webhook: WebhookId,
    limit: Annotated[int, option("Deliveries at most.", min=1, max=200)] = 20,
    as_json: AsJson = False,
) -> None:
    """List the deliveries to a webhook and their outcomes, the newest first."""
    found: dict[str, Any] = get_json(f"/v1/webhooks/{webhook}/deliveries", limit=limit)
    exit_with_json(found, wanted=as_json)
    print_rows(found["deliveries"], _DELIVERY_COLUMNS)


app.command("test")(
    request_command(
        "Send a test to a webhook.",
        "POST /v1/webhooks/{webhook}/test",
        "{answer[id]} is on its way; `elcano webhooks deliveries {webhook}` shows what becomes of it",
        {"webhook": WebhookId},
    )
)
app.command("retry")(
    request_command(
        "Send a message again that was given up.",
        "POST /v1/webhooks/{webhook}/deliveries/{message}/retry",
        "{message} is on its way",
        {"webhook": WebhookId, "message": Annotated[str, argument("A message's id.")]},
    )
)


@app.command("rotate")
def rotate_secret(
    webhook: WebhookId,
    keep_hours: Annotated[float, option("For how many hours messages are signed by the former one too.", min=0)] = 24.0,
    as_json: AsJson = False,
) -> None:
    """Give a webhook a new secret and print it."""
    _print_secret(post_json(f"/v1/webhooks/{webhook}/rotate", {"keep_hours": keep_hours}), as_json)


app.command("enable")(
    request_command(
        "Switch a webhook on again that was disabled.",
        "POST /v1/webhooks/{webhook}/enable",
        "{webhook} is active",
        {"webhook": WebhookId},
    )
)
app.command("delete")(
    request_command(
        "Delete a webhook.", "DELETE /v1/webhooks/{webhook}", "{webhook} is deleted", {"webhook": WebhookId}
    )
)


def _print_secret(made: dict[str, Any], as_json: bool) -> None:
    exit_with_json(made, wanted=as_json)
    print_line(made["secret"])
    print_note(f"this is the secret of webhook {made['id']}; keep it now, it cannot be shown again")
