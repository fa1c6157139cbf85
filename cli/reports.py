"""Commands that print what a run produced: its report, and the tables that its answer rests on."""

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import quote

import typer

from elcano.cli.exit_codes import BY_STATUS, BadInput, Failed
from elcano.cli.options import AsJson, Form, Out, Run, argument
from elcano.cli.printing import print_line, require_writable
from elcano.cli.requests import open_api, print_note

if TYPE_CHECKING:
    from elcano.cli.client import Api

UNANSWERED: Final = "No answer rests on these results (yet): they are what the run has found."
_TABLE_TYPES: Final = {"csv": "text/csv", "json": "application/json"}
_PICTURE: Final = re.compile(r"(?<=\]\()(?:chart|analysis/plots/(?P<number>\d{1,3}))\.svg(?=\))")


def print_report(run: Run, form: Form = "md", as_json: AsJson = False, out: Out = None) -> None:
    """Print a run's report, or only its references; the exit code says how the run ended."""
    require_writable(out)
    with open_api() as api:
        found = api.get(f"/v1/runs/{run}")
        code = BY_STATUS.get(found["status"])
        if found["report"] is None:
            raise BadInput(_explain_no_report(found)) if code is None else Failed(_explain_no_report(found), code)
        deliver_report(api, run, form="json" if as_json else form, out=out)
        if code is None:  # it has its report and is about to end
            *_, last = api.watch_run(run, print_note)
            code = BY_STATUS[str(last.data["status"])]
    raise typer.Exit(code)


def print_results(
    run: Run,
    number: Annotated[int | None, argument("The number of one result; by default all are listed.", min=1)] = None,
    form: Annotated[
        Literal["text", "csv", "json"],
        typer.Option(
            "--format",
            help="csv: for spreadsheets, where no text is taken for a formula; json: with the types of the columns; "
            "text: the list.",
        ),
    ] = "text",
    out: Out = None,
) -> None:
    """List the query results that a run's answer rests on, or that it has found so far, or print one of them."""
    if number is None and form == "csv":
        raise BadInput("which result? Give its number: `elcano results RUN 1 --format csv`")
    require_writable(out)
    with open_api() as api:
        if number is None:
            found = api.get(f"/v1/runs/{run}/results")
            text = json.dumps(found) if form == "json" else _format_results(found)
        else:
            text = api.get_text(f"/v1/runs/{run}/results/{number}", _TABLE_TYPES["json" if form == "json" else "csv"])
    if out is None:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    else:
        out.write_text(text, newline="")
        print_line(str(out))


MEDIA_TYPES: Final = {
    "md": "text/markdown",
    "html": "text/html",
    "json": "application/json",
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl": "application/vnd.citationstyles.csl+json",
}
"""The names of the forms of a report, and what the API calls them."""


def deliver_report(api: "Api", run_id: str, *, form: str, out: Path | None) -> None:
    """Print a report, or save it with its pictures.

    Args:
        api: The API that has it.
        run_id: The run.
        form: One of `MEDIA_TYPES`.
        out: The file to save it as.
    """
    from rich.console import Console
    from rich.markdown import Markdown

    text = api.get_text(f"/v1/runs/{run_id}/report", MEDIA_TYPES[form])
    if out is not None:
        if form == "md":
            text = _save_pictures(api, run_id, text, out)
        out.write_text(text, encoding="utf-8", newline="")  # RIS has line ends of its own
        Console(stderr=True).print(f"Report saved in {out}", highlight=False, soft_wrap=True)
    elif sys.stdout.isatty() and form == "md":
        Console().print(Markdown(text))
    else:
        print_line(text.rstrip("\n"))


def _save_pictures(api: "Api", run_id: str, text: str, file: Path) -> str:
    """Save a report's pictures next to `file`, as `report-chart.svg` for `report.md`, and link them in the text.

    Raises:
        Failed: a picture cannot be fetched.
    """

    def save_picture(found: re.Match[str]) -> str:
        number = found["number"]
        picture = file.with_name(f"{file.stem}-{f'plot-{number}' if number else 'chart'}.svg")
        api.download(f"/v1/runs/{run_id}/{found[0]}", picture)
        return quote(picture.name)

    return _PICTURE.sub(save_picture, text)


def _explain_no_report(run: dict[str, Any]) -> str:
    if run["status"] == "running":
        return f"{run['run_id']} has no report yet; `elcano watch {run['run_id']}` shows its progress"
    failure = run.get("failure")
    reason = f": {failure['message']}" if isinstance(failure, dict) else ""
    return f"{run['run_id']} has no report, its status is {run['status']}{reason}"


def _format_results(listed: dict[str, Any]) -> str:
    """The results as lines, without characters that would control a terminal."""
    results = listed["results"]
    lines = [] if listed.get("answer", True) or not results else [UNANSWERED]
    for one in results:
        columns = ", ".join(str(column["name"]) for column in one["columns"])
        more = ", not read to its end" if one["truncated"] else ""
        lines.append(f"{one['number']}  {one['database']}: {one['rows']:,} rows{more} ({columns}), read at {one['at']}")
        lines.append(f"   {' '.join(one['sql'].split()) or 'computed by code'}")
    shown = ("".join(sign if sign.isprintable() else "\ufffd" for sign in line) for line in lines)
    return "\n".join(shown) or "There are no results."
