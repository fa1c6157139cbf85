"""`elcano audit`: who did what, and its export."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from elcano.cli.options import AsJson, Out, drop_unset, option
from elcano.cli.printing import (
    exit_with_json,
    format_line,
    format_local_time,
    print_columns,
    print_line,
    require_writable,
)
from elcano.cli.requests import get_json, open_api

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
