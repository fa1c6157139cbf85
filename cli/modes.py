"""`elcano modes` and `elcano domains`: by what a run can go, as the API explains it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from elcano.cli.options import AsJson

if TYPE_CHECKING:
    from rich.table import Table


def modes(as_json: AsJson = False) -> None:
    """Explain the modes: what each is for, what it costs, what it needs."""
    from elcano.cli import printing

    listed = _fetch_list("/v1/modes")
    if as_json:
        printing.print_json(listed)
        return
    table = _build_text_table("mode", "cost", "usual tokens", "calls", "at most", "what for")
    for mode in listed:
        name = " = ".join([mode["name"], *mode["aliases"]]) + (" (default)" if mode["default"] else "")
        usual, most = mode["usual"], mode["limits"]["tokens"]
        figures = (f"{usual['tokens']:,}", f"{usual['calls']}", f"{most:,}")
        table.add_row(name, mode["cost_class"], *figures, mode["purpose"])
    printing.make_results_console().print(table)
    for mode in listed:
        for why in mode["unavailable"]:
            printing.make_results_console().print(f"Not now: {why}", soft_wrap=True, markup=False)
        for what in mode["left_out"]:
            printing.make_results_console().print(f"{mode['name']} goes without {what}", soft_wrap=True, markup=False)


def domains(
    name: Annotated[str, typer.Argument(help="Print the rubric of this one, as JSON.", show_default=False)] = "",
    as_json: AsJson = False,
) -> None:
    """List the fields by whose standards evidence can be judged (`elcano ask --domain`)."""
    from elcano.cli import printing
    from elcano.cli.exits import Exit, Failed

    listed = _fetch_list("/v1/domains")
    if name:
        found = next((one for one in listed if one["name"] == name), None)
        if found is None:
            known = ", ".join(one["name"] for one in listed)
            raise Failed(f"there is no domain {name!r}; there are: {known}", Exit.BAD_INPUT)
        printing.print_json(found)
    elif as_json:
        printing.print_json(listed)
    else:
        table = _build_text_table("domain", "scores", "what for")
        for one in listed:
            table.add_row(one["name"], ", ".join(score["name"] for score in one["scores"]), one["description"])
        printing.make_results_console().print(table)


def parse_domain_option(text: str) -> str | dict[str, Any]:
    """What `--domain` says: a name, or the rubric in a JSON file.

    Raises:
        Failed: the file cannot be read, or holds no object of JSON.
    """
    import json
    from pathlib import Path

    from elcano.cli.exits import Exit, Failed

    if not text.endswith(".json"):
        return text
    try:
        rubric = json.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failed(f"--domain {text!r} cannot be read: {error}", Exit.BAD_INPUT) from error
    if not isinstance(rubric, dict):
        raise Failed(f"--domain {text!r} holds no rubric: `elcano domains biomedical` shows one", Exit.BAD_INPUT)
    return rubric


def _fetch_list(path: str) -> list[Any]:
    from elcano.cli.run_commands import open_api

    with open_api() as api:
        listed: list[Any] = api.get(path)
        return listed


def _build_text_table(*columns: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns, start=1):
        table.add_column(column, no_wrap=number < len(columns))
    return table
