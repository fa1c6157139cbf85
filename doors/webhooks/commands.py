"""`elcano webhooks`: servers that are notified of runs."""

from typing import Annotated, Any

import typer

from elcano.cli.options import AsJson, argument, option
from elcano.cli.printing import exit_with_json, format_line, format_local_time, print_columns, print_line
from elcano.cli.requests import get_json, open_api, post_json, print_note

app = typer.Typer(
    no_args_is_help=True,
    help="Notify servers of your own when runs end, wait or need approval.",
)

WebhookId = Annotated[str, argument("A webhook's id, as `elcano webhooks list` prints it.")]


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
    rows = [["id", "state", "url", "events", "run"]]
    rows += [
        [one["id"], one["state"], format_line(one["url"]), " ".join(one["events"]), one["run_id"] or "all"]
        for one in found
    ]
    print_columns(rows, none="There are no webhooks.")
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
    rows = [["when", "event", "status", "attempts", "message", "last error"]]
    for one in found["deliveries"]:
        when = format_local_time(one["created_at"], "%Y-%m-%d %H:%M:%S")
        rows.append(
            [when, one["type"], one["status"], str(one["attempts"]), one["id"], format_line(one["error"] or "-")]
        )
    print_columns(rows)


@app.command("test")
def send_test(webhook: WebhookId) -> None:
    """Send a test to a webhook."""
    begun = post_json(f"/v1/webhooks/{webhook}/test", {})
    print_line(f"{begun['id']} is on its way; `elcano webhooks deliveries {webhook}` shows what becomes of it")


@app.command("retry")
def retry_delivery(webhook: WebhookId, message: Annotated[str, argument("A message's id.")]) -> None:
    """Send a message again that was given up."""
    post_json(f"/v1/webhooks/{webhook}/deliveries/{message}/retry", {})
    print_line(f"{message} is on its way")


@app.command("rotate")
def rotate_secret(
    webhook: WebhookId,
    keep_hours: Annotated[float, option("For how many hours messages are signed by the former one too.", min=0)] = 24.0,
    as_json: AsJson = False,
) -> None:
    """Give a webhook a new secret and print it."""
    _print_secret(post_json(f"/v1/webhooks/{webhook}/rotate", {"keep_hours": keep_hours}), as_json)


@app.command("enable")
def enable_webhook(webhook: WebhookId) -> None:
    """Switch a webhook on again that was disabled."""
    post_json(f"/v1/webhooks/{webhook}/enable", {})
    print_line(f"{webhook} is active")


@app.command("delete")
def delete_webhook(webhook: WebhookId) -> None:
    """Delete a webhook."""
    with open_api() as api:
        api.delete(f"/v1/webhooks/{webhook}")
    print_line(f"{webhook} is deleted")


def _print_secret(made: dict[str, Any], as_json: bool) -> None:
    exit_with_json(made, wanted=as_json)
    print_line(made["secret"])
    print_note(f"this is the secret of webhook {made['id']}; keep it now, it cannot be shown again")
