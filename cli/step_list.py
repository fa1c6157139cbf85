"""`elcano steps`: a run as a table of its steps, the newest last; what came between them stands between them."""

from typing import Any, Final

from rich.table import Table
from rich.text import Text

from elcano.cli.client import Api
from elcano.cli.exits import Exit
from elcano.cli.printing import (
    OUTCOMES,
    format_dollars,
    format_seconds,
    format_tokens,
    make_results_console,
    print_json,
)
from elcano.settings import program_settings

_COLUMNS: Final = ("step", "node", "turn", "began", "took", "tokens in + out", "cost", "tries", "outcome")
_RIGHT: Final = {"step", "turn", "began", "took", "tokens in + out", "cost", "tries"}


def print_steps(run_id: str, *, as_json: bool) -> Exit:
    """Prints all steps of a run; as JSON what the API answers, all pages in one."""
    with Api(program_settings().base_url) as api:
        found = _fetch_all_steps(api, run_id)
    if as_json:
        print_json(found)
        return Exit.OK
    console = make_results_console()
    ended = "is running" if found["status"] == "running" else f"ended: {found['status']}"
    console.print(Text(f"{run_id} {ended}, {found['total']} steps"), soft_wrap=True)
    if found["rows"]:
        console.print(_build_steps_table(found["rows"]))
        console.print(
            Text(f"began counts the run's own time; `elcano step {run_id} NUMBER` looks into a step", style="dim"),
            soft_wrap=True,
        )
    return Exit.OK


def _fetch_all_steps(api: Api, run_id: str) -> dict[str, Any]:
    """Every page. While a run goes on its last step may have ended from one page to the next: the later one counts."""
    path = f"/v1/runs/{run_id}/steps"
    found: dict[str, Any] = api.get(path)
    rows = list(found["rows"])
    while found["next"] is not None:
        found = api.get(path, after=found["next"])
        rows += found["rows"]
    return {**found, "rows": rows}


def _build_steps_table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in _COLUMNS:
        table.add_column(column, justify="right" if column in _RIGHT else "left", no_wrap=column != "outcome")
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
    """A step as a row of the table."""
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
