"""`elcano keys`, `elcano share` and `elcano audit`: API keys, links to runs, and who did what.

They are asked of the API, for the tenant of the key that the command itself sends. `create --in-store` makes a key for
any tenant without the API, on a machine that can open the store: so the first one is made.
"""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from elcano.cli.exit_codes import BadInput
from elcano.cli.options import AsJson, Out, Run, argument, drop_unset, option
from elcano.cli.printing import (
    exit_with_json,
    format_line,
    format_local_time,
    print_columns,
    print_line,
    require_writable,
)
from elcano.cli.requests import get_json, open_api, post_json, print_note

keys = typer.Typer(no_args_is_help=True, help="Make, list, rotate and revoke API keys.")

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


@keys.command("list")
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


@keys.command("revoke")
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


@links.command("list")
def list_links(run: Run, as_json: AsJson = False) -> None:
    """List the links to a run, the newest first."""
    found: list[dict[str, Any]] = get_json(f"/v1/runs/{run}/links")
    exit_with_json(found, wanted=as_json)
    rows = [["id", "state", "expires", "made by"]]
    for one in found:
        until = format_local_time(one["expires_at"])
        rows.append([one["id"], one["state"], until, format_line(one["created_by"] or "-")])
    print_columns(rows, none="There are no links to this run.")


@links.command("revoke")
def revoke_link(run: Run, link: Annotated[str, argument("A link's id, as `elcano share list` prints it.")]) -> None:
    """Revoke a link at once."""
    with open_api() as api:
        api.delete(f"/v1/runs/{run}/links/{link}")
    print_line(f"{link} is revoked")


_MEDIA_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv"}


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
    rows = [["when", "who", "role", "what", "with", "answer", "from"]]
    for one in found["entries"]:
        when = format_local_time(one["at"], "%Y-%m-%d %H:%M:%S")
        who = format_line(one["user"] or one["key_id"] or "-")
        answer = f"{one['outcome']}{' refused' if one['outcome'] == 403 else ''}"
        rows.append([when, who, one["role"], one["action"], format_line(one["target"]), answer, one["address"]])
    print_columns(rows, none="Nothing is recorded.")


def _export_entries(form: str, times: dict[str, Any], out: Path | None) -> None:
    require_writable(out)
    with open_api() as api:
        text = api.get_text("/v1/audit", _MEDIA_TYPES[form], **times)
    if out is None:
        print_line(text.rstrip("\n"))
    else:
        out.write_text(text, encoding="utf-8", newline="")
