"""`elcano keys`: make, list, rotate and revoke API keys.

They are asked of the API, for the tenant of the key that the command itself sends. `create --in-store` makes a key for
any tenant without the API, on a machine that can open the store: so the first one is made.
"""

from typing import Annotated, Any, Final, Literal

import typer

from elcano.cli.exit_codes import BadInput
from elcano.cli.options import AsJson, argument, drop_unset, option
from elcano.cli.printing import exit_with_json, format_line, format_local_time, print_columns, print_line
from elcano.cli.requests import get_json, open_api, post_json, print_note

app = typer.Typer(no_args_is_help=True, help="Make, list, rotate and revoke API keys.")

RoleName = Literal["reader", "researcher", "approver", "operator", "admin"]
KeyId = Annotated[str, argument("A key's id, as `elcano keys list` prints it.")]
DAYS: Final = 90.0


@app.command("create")
def create_key(
    name: Annotated[str, argument("Who or what will use it; what it does is recorded under this name.")],
    role: Annotated[RoleName, option("What it may do (see `docs/access.md`).")] = "researcher",
    scope: Annotated[list[str] | None, option("Limit it to this permission of the role. Repeatable.")] = None,
    days: Annotated[float, option("In how many days it expires; 0: never.", min=0)] = DAYS,
    in_store: Annotated[
        bool, option("Make it in the store of this machine's settings, without the API: the first key.")
    ] = False,
    tenant: Annotated[str, option("The tenant of the key; only with `--in-store`.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make an API key, and print it: this once."""
    if tenant and not in_store:
        raise BadInput("--tenant needs --in-store: over the API, keys are made for the tenant of your own key")
    body = {"name": name, "role": role, "scopes": scope or [], "days": days or None}
    made: dict[str, Any] = _create_in_store(body, tenant) if in_store else post_json("/v1/keys", body)
    exit_with_json(made, wanted=as_json)
    print_line(made["key"])
    print_note(f"this is key {made['id']}, {made['role']}; keep it now, it cannot be shown again")


@app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the API keys of your tenant, the newest first."""
    found: list[dict[str, Any]] = get_json("/v1/keys")
    exit_with_json(found, wanted=as_json)
    rows = [["id", "name", "role", "state", "expires", "last used"]]
    for one in found:
        limited = f" ({', '.join(one['scopes'])})" if one["scopes"] else ""
        moments = (format_local_time(one[at]) if one[at] else "never" for at in ("expires_at", "used_at"))
        rows.append([one["id"], format_line(one["name"]), one["role"] + limited, one["state"], *moments])
    print_columns(rows, none="There are no keys.")


@app.command("rotate")
def rotate_key(
    key: KeyId,
    grace_hours: Annotated[
        float | None, option("How long the former secret is accepted too; 0: no longer. Left out: a day.", min=0)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Give a key a new secret, and print it: this once."""
    made = post_json(f"/v1/keys/{key}/rotate", drop_unset({"grace_hours": grace_hours}))
    exit_with_json(made, wanted=as_json)
    print_line(made["key"])
    until = f" until {format_local_time(made['former_until'])}" if made["former_until"] else " no longer"
    print_note(f"the former secret of key {made['id']} is accepted{until}")


@app.command("revoke")
def revoke_key(key: KeyId) -> None:
    """Revoke a key at once, and end the sessions that were begun with it."""
    with open_api() as api:
        api.delete(f"/v1/keys/{key}")
    print_line(f"{key} is revoked")


def _create_in_store(body: dict[str, Any], tenant: str) -> dict[str, Any]:
    """Make a key without the API.

    Raises:
        BadInput: it cannot be made, or the store cannot be opened.
    """
    import asyncio

    from pydantic import ValidationError

    from elcano.api.http.errors import RequestInvalid
    from elcano.graphs.errors import ElcanoError
    from elcano.plugins.access.key_routes import KeyRequest, create_key_in_store
    from elcano.settings import program_settings

    try:
        request = KeyRequest.model_validate(body)
        request.require_possible()
        return asyncio.run(create_key_in_store(request, tenant, program_settings())).model_dump(mode="json")
    except ValidationError as error:
        raise BadInput("; ".join(f"{one['loc'][0]}: {one['msg']}" for one in error.errors())) from error
    except (RequestInvalid, ElcanoError) as error:
        raise BadInput(str(error)) from error
