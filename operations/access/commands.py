"""`elcano keys`, `elcano share` and `elcano audit`: API keys, links to runs, and who did what.

They are asked of the API, for the tenant of the key that the command itself sends. `create --in-store` makes a key for
any tenant without the API, on a machine that can open the store: so the first one is made.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

import typer

from elcano.cli.declared_commands import Cell, Row, list_command, print_rows, request_command
from elcano.cli.exit_codes import BadInput
from elcano.cli.options import AsJson, Out, Run, argument, drop_unset, option
from elcano.cli.printing import (
    exit_with_json,
    format_line,
    format_local_time,
    print_line,
    require_writable,
)
from elcano.cli.requests import get_json, open_api, post_json, print_note

keys = typer.Typer(no_args_is_help=True, help="Make, list, rotate and revoke API keys, and sign users out.")

RoleName = Literal["reader", "researcher", "approver", "operator", "admin"]
KeyId = Annotated[str, argument("A key's id, as `elcano keys list` prints it.")]
DAYS: Final = 90.0


@keys.command("create")
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


def _format_role(key: Row) -> str:
    return str(key["role"]) + (f" ({', '.join(key['scopes'])})" if key["scopes"] else "")


keys.command("list")(
    list_command(
        "List the API keys of your tenant, the newest first.",
        "/v1/keys",
        {
            "id": "id",
            "name": "name",
            "role": _format_role,
            "state": "state",
            "expires": "expires_at",
            "last used": "used_at",
        },
        "There are no keys.",
    )
)


@keys.command("rotate")
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


keys.command("revoke")(
    request_command(
        "Revoke a key at once, and end the sessions that were begun with it.",
        "DELETE /v1/keys/{key}",
        "{key} is revoked",
        {"key": KeyId},
    )
)


@keys.command("sign-out")
def end_sessions(user: Annotated[str, argument("The user, as `elcano audit` shows it.")]) -> None:
    """End all sessions of a user, also those begun at the login service."""
    with open_api() as api:
        api.delete(f"/v1/sessions/{quote(user, safe='')}")
    print_line(f"{format_line(user)} is signed out")


def _create_in_store(body: dict[str, Any], tenant: str) -> dict[str, Any]:
    """Make a key without the API.

    Raises:
        BadInput: it cannot be made, or the store cannot be opened.
    """
    import asyncio

    from pydantic import ValidationError

    from elcano.graphs.errors import ElcanoError
    from elcano.operations.access.key_routes import KeyRequest, create_key_in_store
    from elcano.service.errors import RequestInvalid
    from elcano.settings import program_settings

    try:
        request = KeyRequest.model_validate(body)
        request.require_possible()
        return asyncio.run(create_key_in_store(request, tenant, program_settings())).model_dump(mode="json")
    except ValidationError as error:
        raise BadInput("; ".join(f"{one['loc'][0]}: {one['msg']}" for one in error.errors())) from error
    except (RequestInvalid, ElcanoError) as error:
        raise BadInput(str(error)) from error


links = typer.Typer(no_args_is_help=True, help="Share a run by links that can only be read, expire and can be revoked.")


@links.command("create")
def create_link(
    run: Run,
    days: Annotated[float, option("In how many days it expires.", min=0)] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Make a link to a run, and print it: everyone who has it can read the report, the events and the status."""
    from elcano.settings import program_settings

    made: dict[str, Any] = post_json(f"/v1/runs/{run}/links", {"days": days})
    exit_with_json(made, wanted=as_json)
    print_line(f"{program_settings().base_url.rstrip('/')}{made['path']}")
    until = format_local_time(made["expires_at"])
    print_note(f"this is link {made['id']}, until {until}; keep it now, it cannot be shown again")


links.command("list")(
    list_command(
        "List the links to a run, the newest first.",
        "/v1/runs/{run}/links",
        {"id": "id", "state": "state", "expires": "expires_at", "made by": "created_by"},
        "There are no links to this run.",
        {"run": Run},
    )
)
links.command("revoke")(
    request_command(
        "Revoke a link at once.",
        "DELETE /v1/runs/{run}/links/{link}",
        "{link} is revoked",
        {"run": Run, "link": Annotated[str, argument("A link's id, as `elcano share list` prints it.")]},
    )
)


_MEDIA_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv"}
_AUDIT_COLUMNS: Final[Mapping[str, Cell]] = {
    "when": lambda one: format_local_time(one["at"], "%Y-%m-%d %H:%M:%S"),
    "who": lambda one: format_line(one["user"] or one["key_id"] or "-"),
    "role": "role",
    "what": "action",
    "with": "target",
    "answer": lambda one: f"{one['outcome']}{' refused' if one['outcome'] == 403 else ''}",
    "from": "address",
}


def show_audit_log(
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many entries to show.")] = 50,
    form: Annotated[
        Literal["jsonl", "csv"] | None, option("Export all entries, oldest first, in this format.", "--format")
    ] = None,
    since: Annotated[str, option("Only entries from this time on, such as `2026-01-31T00:00:00Z`.")] = "",
    until: Annotated[str, option("Only entries before this time.")] = "",
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Show the audit log: who did what with your tenant's runs, keys and graphs, the newest first; or export it."""
    times: dict[str, Any] = drop_unset({"since": since or None, "until": until or None})
    if form is not None:
        _export_entries(form, times, out)
        return
    found: dict[str, Any] = get_json("/v1/audit", limit=limit, **times)
    exit_with_json(found, wanted=as_json)
    print_rows(found["entries"], _AUDIT_COLUMNS, "Nothing is recorded.")


def _export_entries(form: str, times: dict[str, Any], out: Path | None) -> None:
    require_writable(out)
    with open_api() as api:
        text = api.get_text("/v1/audit", _MEDIA_TYPES[form], **times)
    if out is None:
        print_line(text.rstrip("\n"))
    else:
        out.write_text(text, encoding="utf-8", newline="")
