"""`elcano usage` and `elcano quotas`: what was used, and what may still be."""

from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from elcano.cli.options import AsJson, option
from elcano.cli.printing import (
    exit_with_json,
    format_dollars,
    format_local_time,
    print_columns,
    print_line,
    print_printable,
)
from elcano.cli.requests import get_json, open_api

_AS_DAY: dict[str, Any] = {"metavar": "DAY", "formats": ["%Y-%m-%d"]}
FirstDay = Annotated[
    datetime | None,
    option("The first day in UTC; by default the first of the month.", "--from", **_AS_DAY),
]
LastDay = Annotated[datetime | None, option("The last day; by default today.", "--to", **_AS_DAY)]


def show_usage(
    by: Annotated[
        list[str] | None,
        option("Grouping: day (by default), tenant, key, mode, model or source. Repeatable.", metavar="NAME"),
    ] = None,
    first: FirstDay = None,
    last: LastDay = None,
    all_tenants: Annotated[
        bool, typer.Option("--all-tenants", help="Count all tenants; for operators of ELCANO_OPERATOR_TENANT.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the usage of your tenant: runs, calls, tokens and money."""
    groups: list[str] = list(by or ["day"])
    named = {"from": _format_day(first), "to": _format_day(last), "all_tenants": "true" if all_tenants else ""}
    asked: dict[str, Any] = {"group_by": groups, **{name: value for name, value in named.items() if value}}
    if as_csv:
        with open_api() as api:
            table = api.get_text(f"/v1/usage?{urlencode(asked, doseq=True)}", "text/csv")
        for line in table.splitlines():
            print_printable(line)
        return
    found: dict[str, Any] = get_json("/v1/usage", **asked)
    exit_with_json(found, wanted=as_json)
    if not found["rows"]:
        print_line(f"Nothing was used from {found['first']} to {found['last']}.")
        return
    head = [*groups, "runs", "calls", "tokens", "cost"]
    rows = [[*(row[name] or "-" for name in groups), *_format_figures(row)] for row in found["rows"]]
    total = ["all together", *[""] * (len(groups) - 1), *_format_figures(found["total"])]
    print_columns([head, *rows, total])
    if unpriced := found["total"]["unpriced_requests"]:
        print_line(f"The cost is too low: {unpriced:,} requests went to models without a known price.")


def show_quotas(as_json: AsJson = False) -> None:
    """Show the quotas of your tenant and API key, the rest of each, and when it renews."""
    found: dict[str, Any] = get_json("/v1/quotas")
    exit_with_json(found, wanted=as_json)
    rows = [["limit", "of", "allowed", "used", "claimed", "left", "returns"]]
    for one in found["limits"]:
        whose = f"key {one['key']}" if one["key"] is not None else f"tenant {found['tenant']}"
        figures = [_format_amount(one["unit"], one[name]) for name in ("limit", "used", "claimed", "left")]
        when = "when a run ends" if one["resets_at"] is None else format_local_time(one["resets_at"])
        rows.append([one["name"], whose, *figures, when])
    print_columns(rows, none=f"The tenant {found['tenant']} has no quotas.")


def _format_day(day: datetime | None) -> str:
    return "" if day is None else f"{day:%Y-%m-%d}"


def _format_figures(row: dict[str, Any]) -> list[str]:
    return [f"{row['runs']:,}", f"{row['calls']:,}", f"{row['tokens']:,}", format_dollars(row["cost_usd"])]


def _format_amount(unit: str, value: float) -> str:
    return format_dollars(value) if unit == "usd" else f"{int(value):,}"
