"""Prints the table of a run's steps, one step in detail with what it changed, and two runs side by side."""

import json
from collections.abc import Iterable
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
from elcano.graphs.text import format_count, shorten_text

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
        more = "" if found["missing"] else f"; `elcano step {run_id} NUMBER` shows a step"
        console.print(Text(f"`began` counts the run's own time{more}", style="dim"), soft_wrap=True)
    _print_text(console, found["missing"], "yellow")


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
            text = f"{branch['status']}: {branch['run_id']}"
            used = "" if branch["tokens"] is None else f"{branch['tokens']:,}"
            table.add_row("", Text(f"  {branch['section']}", "dim"), "", "", "", used, "", "", Text(text, "dim"))
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
        outcome = f"{attempt['activity']} attempt {attempt['attempt']}: {attempt['outcome']}"
        _print_text(console, f"{outcome}, {format_tokens(attempt['usage']) or 'no'} tokens", "dim")
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
                before = f"{format_line(change['before'])} → " if change["before"] not in (None, "") else ""
                console.print(where.append(f"{before}{format_line(change['after'])}", "not bold"), soft_wrap=True)
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
        limit = (after or before)["limits"][name]
        used = f"{before['used'][name]:,g}" + ("" if after is None else f" → {after['used'][name]:,g}")
        table.add_row("", label, used, "not limited" if limit is None else f"of {limit:,g}")
    console.print(table)


def _print_text(console: Console, text: str, style: str = "") -> None:
    if text:
        console.print(Text(text, style), soft_wrap=True)


SHOWN_EVIDENCE: Final = 10
"""Maximum number of passages shown that only one run knows."""
VALUE_CHARACTERS: Final = 200
"""Maximum length of a value that differs between the requests: a node of a graph is long."""
_SIGNS: Final = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}


def print_comparison(found: dict[str, Any]) -> None:
    """Print how two runs differ; a difference is not an error."""
    console = make_results_console()
    console.print(_build_figures_table(found["a"], found["b"]))
    for note in found["notes"]:
        console.print(Text(note, "yellow"), soft_wrap=True)
    _print_asked_changes(console, found["asked"])
    _print_plan_changes(console, found["plan"])
    _print_step_changes(console, found["steps"])
    _print_evidence_changes(console, found["evidence"])
    _print_report_changes(console, found["report"])


def _build_figures_table(a: dict[str, Any], b: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name, style in (("a", "red"), ("b", "green")):
        table.add_column(Text(name, f"bold {style}"), overflow="fold")
    table.add_row("run", Text(a["run_id"]), Text(b["run_id"]))
    table.add_row("question", *(Text(format_line(run["question"])) for run in (a, b)))
    for name in ("status", "steps", "iterations", "evidence", "requests", "tokens"):
        table.add_row(name, *(f"{run[name]:,}" if isinstance(run[name], int) else run[name] for run in (a, b)))
    table.add_row("cost", *(format_dollars(run["cost_usd"]) or "$0" for run in (a, b)))
    table.add_row("time", *(format_seconds(run["seconds"]) for run in (a, b)))
    return table


def _print_asked_changes(console: Console, asked: list[dict[str, Any]]) -> None:
    _print_section_title(console, "Asked otherwise", "" if asked else "nothing")
    for one in asked:
        sides = {
            side: shorten_text(format_line(one[side]), VALUE_CHARACTERS) for side in ("a", "b") if one[side] is not None
        }
        if len(sides) == 1 and one["field"].startswith("graph."):  # a node or an edge that only one graph has
            sign, style = _SIGNS["added" if "b" in sides else "removed"]
            console.print(Text(f"  {sign} {one['field']}", style), soft_wrap=True)
            continue
        console.print(Text(f"  {one['field']}", "cyan"), soft_wrap=True)
        for side, (sign, style) in (("a", _SIGNS["removed"]), ("b", _SIGNS["added"])):
            if side in sides:
                console.print(Text(f"    {sign} {sides[side]}", style), soft_wrap=True)


def _print_plan_changes(console: Console, plan: dict[str, Any]) -> None:
    if not any(plan.values()):
        return
    _print_section_title(console, "Plan", f"{format_count(len(plan['both']), 'section')} the same")
    for name in ("removed", "added"):
        _print_changed_items(console, name, (f"section: {title}" for title in plan[name]), len(plan[name]))


def _print_step_changes(console: Console, steps: dict[str, Any]) -> None:
    common, pairs = steps["common"], steps["pairs"]
    beginning = (
        f"{format_count(common, 'step')} the same at the beginning" if common else "not the same from the first on"
    )
    _print_section_title(console, "Steps", f"{beginning}{'' if pairs else ', and there are no others'}")
    if not pairs:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("", "a", "b", "node", "iteration", "a", "b"):
        table.add_column(name, no_wrap=True)
    for pair in pairs:
        one = pair["b"] or pair["a"]
        sign, style = ("=", "dim") if pair["same"] else _SIGNS[_classify_pair(pair)]
        numbers = (str(side["number"]) if side else "" for side in (pair["a"], pair["b"]))
        outcomes = (Text(side["outcome"], OUTCOMES[side["outcome"]]) if side else "" for side in (pair["a"], pair["b"]))
        table.add_row(Text(f"  {sign}", style), *numbers, Text(one["node"], style), str(one["iteration"]), *outcomes)
    console.print(table)


def _classify_pair(pair: dict[str, Any]) -> str:
    return "added" if pair["a"] is None else "removed" if pair["b"] is None else "changed"


def _print_evidence_changes(console: Console, evidence: dict[str, Any]) -> None:
    counts = f"{evidence['both_count']:,} in both"
    counts += f", {evidence['only_a_count']:,} only in a, {evidence['only_b_count']:,} only in b"
    _print_section_title(console, "Evidence", counts)
    for name, how in (("only_a", "removed"), ("only_b", "added")):
        _print_changed_items(
            console, how, (f"{one['id']}  {one['title']}" for one in evidence[name]), evidence[f"{name}_count"]
        )


def _print_changed_items(console: Console, how: str, texts: Iterable[str], count: int) -> None:
    sign, style = _SIGNS[how]
    for place, text in enumerate(texts):
        if place == SHOWN_EVIDENCE:
            console.print(Text(f"  {sign} … {count - place:,} more; `--json` has them", "dim"), soft_wrap=True)
            return
        console.print(Text(f"  {sign} {text}", style), soft_wrap=True)


def _print_report_changes(console: Console, report: dict[str, Any] | None) -> None:
    if report is None:
        _print_section_title(console, "Report", "not both wrote one")
        return
    changed = len(report["claims"])
    _print_section_title(console, "Report", f"{format_count(report['claims_same'], 'claim')} the same, {changed:,} not")
    if report["a_title"] != report["b_title"]:
        console.print(Text(f"  - {report['a_title']}", "red"), soft_wrap=True)
        console.print(Text(f"  + {report['b_title']}", "green"), soft_wrap=True)
    if report["a_answered"] != report["b_answered"]:
        answers = "b answers its question, a does not" if report["b_answered"] else "a answers its question, b does not"
        console.print(Text(f"  {answers}", "yellow"))
    for sign, support in (("a", report["a_support"]), ("b", report["b_support"])):
        if support and (counted := [f"{count:,} {how.replace('_', ' ')}" for how, count in support.items() if count]):
            console.print(Text(f"  statements of {sign}: {', '.join(counted)}"), soft_wrap=True)
    for name, how in (("sections_removed", "removed"), ("sections_added", "added")):
        for heading in report[name]:
            console.print(Text(f"  {_SIGNS[how][0]} section: {heading}", _SIGNS[how][1]), soft_wrap=True)
    for pair in report["claims"]:
        _print_claim_change(console, pair)
    for name, how in (("references_removed", "removed"), ("references_added", "added")):
        references = report[name]
        _print_changed_items(
            console, how, (f"reference: {one['title']} ({one['document']})" for one in references), len(references)
        )


def _print_claim_change(console: Console, pair: dict[str, Any]) -> None:
    """Prints a claim with its heading; if it changed, both forms, and if the words are equal, what else differs."""
    a, b = pair["a"], pair["b"]
    sign, style = _SIGNS[pair["how"]]
    if pair["how"] != "changed":
        one = a or b
        console.print(Text(f"  {sign} [{one['section']}] {format_line(one['text'])}", style), soft_wrap=True)
        return
    moved = f"{a['section']} → {b['section']}" if a["section"] != b["section"] else b["section"]
    cites = "" if a["evidence"] == b["evidence"] else ", cites other evidence"
    console.print(Text(f"  {sign} [{moved}] {pair['similarity']:.0%} alike{cites}", style), soft_wrap=True)
    if format_line(a["text"]) == format_line(b["text"]):
        console.print(Text(f"      {format_line(b['text'])}"), soft_wrap=True)
        return
    console.print(Text(f"    - {format_line(a['text'])}", "red"), soft_wrap=True)
    console.print(Text(f"    + {format_line(b['text'])}", "green"), soft_wrap=True)


def _print_section_title(console: Console, name: str, said: str) -> None:
    console.print(Text(f"\n{name}", "bold").append(f"  {said}", "not bold"), soft_wrap=True)
