"""`elcano tenants`: the deletion of a tenant."""

import sys
import time
from typing import Annotated, Any

import typer

from elcano.cli.exit_codes import BadInput, Refused
from elcano.cli.options import Yes, argument
from elcano.cli.printing import print_line
from elcano.cli.requests import open_api, print_note

app = typer.Typer(no_args_is_help=True, help="Delete a tenant with everything it owns.")

Tenant = Annotated[str, argument("The tenant: your own, or any for admins of ELCANO_OPERATOR_TENANT.")]
LOOK_SECONDS = 1.0
UNAUTHENTICATED = 401


@app.command("delete")
def delete_tenant(tenant: Tenant, yes: Yes = False) -> None:
    """Delete a tenant with everything it owns, for good: runs, knowledge, histories, keys; and wait until it is gone.

    The deletion continues if the command is interrupted; the same command waits for it again.
    """
    if not yes:
        _require_name(tenant)
    path = f"/v1/tenants/{tenant}/deletion"
    with open_api() as api:
        deletion: dict[str, Any] = api.post(path, {"confirm": tenant})
        said = ""
        while deletion["state"] != "finished":
            if deletion["waiting"] not in ("", said):
                said = deletion["waiting"]
                print_note(f"it waits, and is tried again: {said}")
            time.sleep(LOOK_SECONDS)
            try:
                deletion = api.get(path)
            except Refused as error:
                if error.status != UNAUTHENTICATED:
                    raise
                print_line(f"{tenant} is being deleted, and your key with it; the rest continues without you")
                return
    counted = f"{deletion['rows']:,} rows, {deletion['objects']:,} objects, {deletion['histories']:,} histories"
    print_line(f"{tenant} is deleted: {counted}")


def _require_name(tenant: str) -> None:
    """Have the name of the tenant typed again.

    Raises:
        BadInput: it is another one, or there is no terminal to ask.
    """
    if not sys.stdin.isatty():
        raise BadInput("deletion is permanent; without a terminal to confirm it, add --yes")
    print_note(f"this deletes everything that {tenant!r} owns, and cannot be undone")
    if typer.prompt("Type the name of the tenant to delete it", err=True) != tenant:
        raise BadInput("nothing was deleted: that is not the name of the tenant")
