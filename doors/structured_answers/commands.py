"""`elcano answer`: a run's answer in the schema that it was asked with."""

import json
from typing import Annotated

import typer

from elcano.cli.options import Run
from elcano.cli.printing import print_line
from elcano.cli.requests import open_api

Basis = Annotated[bool, typer.Option("--basis", help="With the quotes, verdicts and confidence of each field.")]


def print_answer(run: Run, basis: Basis = False) -> None:
    """Print a run's answer in the form of its `--schema`, as JSON."""
    with open_api() as api:
        found = api.get(f"/v1/runs/{run}/answer")
    print_line(json.dumps(found if basis else found["answer"], ensure_ascii=False, indent=2))
