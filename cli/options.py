"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from elcano.cli.run_ids import whole_id, whole_ids

Run = Annotated[
    str,
    typer.Argument(
        help="The id of a run or a section; of the run a part suffices.", show_default=False, callback=whole_id
    ),
]
Runs = Annotated[
    list[str],
    typer.Argument(help="Ids, as `elcano runs` lists them, or parts of them.", show_default=False, callback=whole_ids),
]
Name = Annotated[str, typer.Argument(help="A built-in graph or a JSON file.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Form = Annotated[
    Literal["md", "html", "json", "bibtex", "ris", "csl"],
    typer.Option(
        "--format",
        help="md: the report; html: one page of it; json: the same as data, with every statement and citation; "
        "bibtex, ris, csl (CSL-JSON): its references, for a program that manages them.",
    ),
]
Key = Annotated[
    str,
    typer.Option(
        help="The key of an earlier attempt of the same command, if it is not known what became of it.",
        show_default=False,
    ),
]
Out = Annotated[Path | None, typer.Option(help="Write the report to this file.", show_default=False)]
