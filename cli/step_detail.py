"""`elcano step`: one step from the inside. The state before and after is for programs; people see what changed."""

import json
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from elcano.cli.client import Api
from elcano.cli.exits import Exit
from elcano.cli.printing import (
    OUTCOMES,
    format_dollars,
    format_line,
    format_seconds,
    format_tokens,
    local_time,
    make_results_console,
    print_json,
)
from elcano.graphs.frozen import Json
from elcano.settings import program_settings

SHOWN_LINES: Final = 40
"""Of what went in and of what came out."""
SHOWN_ITEMS: Final = 10
"""Of what was appended to a list."""
_GAUGES: Final = {"tokens": "tokens", "cost_usd": "US$", "seconds": "seconds", "iterations": "iterations"}


def print_step(run_id: str, number: int, *, as_json: bool) -> Exit:
    """Prints one step; as JSON with the whole state before and after it."""
    path = f"/v1/runs/{run_id}/steps/{number}"
    with Api(program_settings().base_url) as api:
        found = api.get(path, whole="true") if as_json else api.get(path)
    if as_json:
        print_json(found)
        return Exit.OK
    console = make_results_console()
    _print_step_head(console, found)
    _print_json_value(console, "In", found["input"], found["no_input"] or "nothing")
    _print_json_value(console, "Out", found["output"], found["step"]["reason"] or "nothing")
    _print_state_changes(console, found)
    _print_step_budget(console, found)
    missing = ", ".join(f"{one['where']} ({one['size']:,} bytes)" for one in found["left_out"])
    _print_text(console, f"Too large to be shown: {missing}" if missing else "", "yellow")
    _print_text(console, "`--json` has the state before and after it, whole", "dim")
    return Exit.OK


def _print_step_head(console: Console, found: dict[str, Any]) -> None:
    row = found["step"]
    title = Text(f"Step {row['number']} of {found['steps']}: {row['node'] or '?'}", "bold")
    title.append(f"  {' '.join(filter(None, (row['kind'], row['name'])))}, turn {row['iteration']}  ", "not bold")
    title.append(row["outcome"], OUTCOMES[row["outcome"]])
    console.print(title, soft_wrap=True)
    _print_text(console, row["reason"] or row["summary"])
    at = "" if row["began_at"] is None else local_time(row["began_at"], " (%Y-%m-%d %H:%M:%S)")
    took = f", took {format_seconds(row['seconds'])}" if row["seconds"] is not None else ""
    waited = f", of these {format_seconds(row['waited'])} without a worker" if row["waited"] >= 0.1 else ""
    _print_text(console, f"began at {format_seconds(row['began'])}{at}{took}{waited}", "dim")
    _print_text(console, f"limits: {row['limits']}" if row["limits"] else "", "dim")
    used = [
        format_tokens(row["usage"]) and f"{format_tokens(row['usage'])} tokens",
        format_dollars(row["usage"]["cost_usd"]),
        row["model"],
    ]
    _print_text(console, " · ".join(filter(None, used)), "dim")
    for held in row["held"]:
        _print_text(console, f"at {format_seconds(held['at'])} in vain: {held['detail']}", "yellow")
    for attempt in row["attempts"]:
        told = f"{attempt['activity']} attempt {attempt['attempt']}: {attempt['outcome']}"
        _print_text(console, f"{told}, {format_tokens(attempt['usage']) or 'no'} tokens", "dim")
    for one in found["between"]:
        _print_text(console, f"{'while it ran' if one['during'] else 'before it'}: {one['text']}", "cyan")


def _print_json_value(console: Console, name: str, value: Json, otherwise: str) -> None:
    """A value as indented JSON, cut where it gets long."""
    console.print(Text(f"\n{name}", "bold"))
    if value is None:
        _print_text(console, f"  {otherwise}", "dim")
        return
    lines = json.dumps(value, indent=2, ensure_ascii=False).splitlines()
    for shown in lines[:SHOWN_LINES]:
        console.print(Text(f"  {shown}"), soft_wrap=True)
    if (hidden := len(lines) - SHOWN_LINES) > 0:
        _print_text(console, f"  … {hidden:,} more lines; `--json` has all", "dim")


def _print_state_changes(console: Console, found: dict[str, Any]) -> None:
    if found["after"] is None:
        return
    console.print(Text("\nChanged", "bold"))
    for change in found["changed"]:
        where = Text(f"  {change['field']}  ", "cyan")
        match change["how"]:
            case "appended" | "cut_off":
                sign = "+" if change["how"] == "appended" else "-"
                console.print(where.append(f"{sign}{change['count']:,}", "green"))
                for item in change["items"][:SHOWN_ITEMS]:
                    console.print(Text(f"    {_format_list_item(item)}"), soft_wrap=True)
                if (hidden := change["count"] - SHOWN_ITEMS) > 0:
                    _print_text(console, f"    … {hidden:,} more", "dim")
            case _:
                told = f"{format_line(change['before'])} → " if change["before"] not in (None, "") else ""
                console.print(where.append(f"{told}{format_line(change['after'])}", "not bold"), soft_wrap=True)
    if not found["changed"]:
        _print_text(console, "  nothing", "dim")
    elif found["changed_more"]:
        _print_text(console, "  and more", "dim")


def _format_list_item(item: Json) -> str:
    """A part of a list; evidence by its id and title."""
    match item:
        case {"id": id, "title": title}:
            return f"{id}  {title}"
        case _:
            return format_line(item)


def _print_step_budget(console: Console, found: dict[str, Any]) -> None:
    console.print(Text("\nBudget", "bold"))
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2))
    before, after = found["budget_before"], found["budget_after"]
    for name, label in _GAUGES.items():
        limit = before[name]["limit"] if after is None else after[name]["limit"]
        used = f"{before[name]['used']:,g}" + ("" if after is None else f" → {after[name]['used']:,g}")
        table.add_row("", label, used, "not limited" if limit is None else f"of {limit:,g}")
    console.print(table)


def _print_text(console: Console, text: str, style: str = "") -> None:
    if text:
        console.print(Text(text, style), soft_wrap=True)
