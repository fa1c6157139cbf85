"""Prints the table of a run's steps, and one step in detail, with what it changed."""

import json
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from elcano.cli.printing import (
    OUTCOMES,
    format_dollars,
    format_line,
    format_local_time,
    format_seconds,
    format_tokens,
    make_results_console,
    make_table,
)
from elcano.graphs.frozen import Json

SHOWN_LINES: Final = 40
"""Maximum number of lines of a step's input and of its output."""
SHOWN_ITEMS: Final = 10
"""Maximum number of appended list items."""
_GAUGES: Final = {"tokens": "tokens", "cost_usd": "US$", "seconds": "seconds", "iterations": "iterations"}
_COLUMNS: Final = ("step", "node", "iteration", "began", "took", "tokens in + out", "cost", "attempts", "outcome")
_RIGHT: Final = {"step", "iteration", "began", "took", "tokens in + out", "cost", "attempts"}


def print_steps(run_id: str, found: dict[str, Any]) -> None:
    """Print the steps of a run, and between them what happened there."""
    console = make_results_console()
    ended = "is running" if found["status"] == "running" else f"ended: {found['status']}"
    console.print(Text(f"{run_id} {ended}, {found['total']} steps"), soft_wrap=True)
    if found["rows"]:
        console.print(_build_steps_table(found["rows"]))
        hint = f"`began` counts the run's own time; `elcano step {run_id} NUMBER` shows a step"
        console.print(Text(hint, style="dim"), soft_wrap=True)


def print_step(found: dict[str, Any]) -> None:
    """Print one step."""
    console = make_results_console()
    _print_step_head(console, found)
    _print_json_value(console, "Input", found["input"], found["no_input"] or "nothing")
    _print_json_value(console, "Output", found["output"], found["step"]["reason"] or "nothing")
    _print_state_changes(console, found)
    _print_step_budget(console, found)
    missing = ", ".join(f"{one['where']} ({one['size']:,} bytes)" for one in found["left_out"])
    _print_text(console, f"Too large to show: {missing}" if missing else "", "yellow")
    _print_text(console, "`--json` has the whole state before and after it", "dim")


def _build_steps_table(rows: list[dict[str, Any]]) -> Table:
    table = make_table(*_COLUMNS, right=_RIGHT)
    for row in rows:
        if row["row"] == "between":
            when = "while it ran" if row["during"] else f"before step {row['before']}"
            table.add_row(
                "", Text("·"), "", format_seconds(row["at"]), "", "", "", "", Text(f"{when}: {row['text']}", "dim")
            )
            continue
        table.add_row(*_format_step_cells(row))
        for branch in row["branches"]:
            told = f"{branch['status']}: {branch['run_id']}"
            used = "" if branch["tokens"] is None else f"{branch['tokens']:,}"
            table.add_row("", Text(f"  {branch['section']}", "dim"), "", "", "", used, "", "", Text(told, "dim"))
    return table


def _format_step_cells(row: dict[str, Any]) -> list[str | Text]:
    """Format a step as a row of the table."""
    called = row["name"] or row["kind"] or ""
    node = row["node"] if called in ("", row["node"]) else f"{row['node']} ({called})"
    tried = len(row["attempts"]) + (0 if row["attempts"] else len(row["held"]))
    failed = sum(attempt["outcome"] != "completed" for attempt in row["attempts"])
    outcome = Text(row["outcome"], OUTCOMES[row["outcome"]])
    if said := row["reason"] or row["summary"]:
        outcome.append(f"  {' '.join(said.split())}", "dim" if row["outcome"] == "completed" else "")
    return [
        str(row["number"]),
        Text(node or "?"),
        str(row["iteration"]),
        format_seconds(row["began"]),
        format_seconds(row["seconds"]) + (f" (+{format_seconds(row['waited'])})" if row["waited"] >= 0.1 else ""),
        format_tokens(row["usage"]),
        format_dollars(row["usage"]["cost_usd"]),
        (f"{tried}, {failed} failed" if failed else str(tried)) if tried else "",
        outcome,
    ]


def _print_step_head(console: Console, found: dict[str, Any]) -> None:
    row = found["step"]
    title = Text(f"Step {row['number']} of {found['steps']}: {row['node'] or '?'}", "bold")
    title.append(f"  {' '.join(filter(None, (row['kind'], row['name'])))}, iteration {row['iteration']}  ", "not bold")
    title.append(row["outcome"], OUTCOMES[row["outcome"]])
    console.print(title, soft_wrap=True)
    _print_text(console, row["reason"] or row["summary"])
    at = "" if row["began_at"] is None else format_local_time(row["began_at"], " (%Y-%m-%d %H:%M:%S)")
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
        _print_text(console, f"attempt at {format_seconds(held['at'])} failed: {held['detail']}", "yellow")
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
