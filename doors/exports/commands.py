"""`elcano export`: what a run leaves, saved as a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from elcano.cli.options import Run, option
from elcano.cli.printing import print_line, require_writable
from elcano.cli.requests import open_api

Form = Annotated[
    Literal["html", "docx", "pdf", "latex", "csv", "jsonl", "zip"],
    typer.Option(
        "--format",
        help="html, docx, pdf, latex: the report; csv, jsonl: the evidence; zip: everything, with the certificate.",
    ),
]
Out = Annotated[Path | None, option("Save it as this file; by default `RUN.FORMAT`, and `RUN.latex.zip`.")]


def export_run(run: Run, form: Form = "docx", out: Out = None) -> None:
    """Save a run's report as a page, for Word, as PDF or for LaTeX, its evidence as a table, or all it leaves."""
    file = Path(f"{run}.latex.zip" if form == "latex" else f"{run}.{form}") if out is None else out
    require_writable(file)
    with open_api() as api:
        api.download(f"/v1/runs/{run}/exports/{form}", file)
    print_line(str(file))
