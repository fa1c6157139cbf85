"""`elcano results`: the tables that an answer rests on, or that were found so far, listed, or one of them whole."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from elcano.cli.exits import Exit, Failed
from elcano.cli.options import Run

_TYPES: Final = {"csv": "text/csv", "json": "application/json"}

UNANSWERED: Final = "No answer rests on these results (yet): they are what the run has found."

Number = Annotated[int | None, typer.Argument(min=1, help="Its number; left out: all are listed.", show_default=False)]
ResultForm = Annotated[
    Literal["text", "csv", "json"],
    typer.Option(
        "--format",
        help="csv: for spreadsheets, in which no text is taken for a formula; json: with the types of its columns; "
        "text: the list.",
    ),
]
Out = Annotated[Path | None, typer.Option(help="Write it to this file.", show_default=False)]


def results(run: Run, number: Number = None, form: ResultForm = "text", out: Out = None) -> None:
    """List the results of queries that a run's answer rests on, or that it has found so far, or print one of them."""
    from elcano.cli.run_commands import open_api

    if number is None and form == "csv":
        raise Failed("which result? Name its number: `elcano results RUN 1 --format csv`", Exit.BAD_INPUT)
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise Failed(f"--out {str(out)!r} is not a file in an existing folder", Exit.BAD_INPUT)
    with open_api() as api:
        if number is None:
            found = api.get(f"/v1/runs/{run}/results")
            text = json.dumps(found) if form == "json" else _format_result_list(found)
        else:
            kind = _TYPES["json" if form == "json" else "csv"]
            text = api.text(f"/v1/runs/{run}/results/{number}", kind)
    if out is None:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    else:
        out.write_text(text, newline="")
        sys.stdout.write(f"{out}\n")


def _format_result_list(said: dict[str, Any]) -> str:
    found = said["results"]
    lines = [] if said.get("answer", True) or not found else [UNANSWERED]
    for one in found:
        columns = ", ".join(str(column["name"]) for column in one["columns"])
        more = ", not read to its end" if one["truncated"] else ""
        lines.append(f"{one['number']}  {one['database']}: {one['rows']:,} rows{more} ({columns}), read at {one['at']}")
        lines.append(f"   {' '.join(one['sql'].split()) or 'put together by code'}")
    return "\n".join(_mask_unprintable(line) for line in lines) or "There is no result."


def _mask_unprintable(line: str) -> str:
    """A line without what a terminal would take for commands."""
    return "".join(one if one.isprintable() else "\ufffd" for one in line)
