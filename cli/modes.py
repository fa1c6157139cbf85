"""`elcano modes` and `elcano domains`: the modes and domains of runs, as the API explains them."""

from typing import Annotated

from elcano.cli.exits import BadInput
from elcano.cli.options import AsJson, argument
from elcano.cli.printing import make_results_console, make_table, print_json
from elcano.cli.requests import get_json


def modes(as_json: AsJson = False) -> None:
    """Explain the modes: what each is for, what it costs, what it needs."""
    listed = get_json("/v1/modes")
    if as_json:
        print_json(listed)
        return
    table = make_table("mode", "cost", "usual tokens", "calls", "at most", "what for")
    for mode in listed:
        name = " = ".join([mode["name"], *mode["aliases"]]) + (" (default)" if mode["default"] else "")
        usual, most = mode["usual"], mode["limits"]["tokens"]
        figures = (f"{usual['tokens']:,}", f"{usual['calls']}", f"{most:,}")
        table.add_row(name, mode["cost_class"], *figures, mode["purpose"])
    console = make_results_console()
    console.print(table)
    for mode in listed:
        for why in mode["unavailable"]:
            console.print(f"Unavailable: {why}", soft_wrap=True, markup=False)
        for what in mode["left_out"]:
            console.print(f"{mode['name']} works without {what}", soft_wrap=True, markup=False)


def domains(
    name: Annotated[str, argument("Print the rubric of this domain as JSON.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the fields whose standards can be used to judge evidence (`elcano ask --domain`)."""
    listed = get_json("/v1/domains")
    if name:
        found = next((one for one in listed if one["name"] == name), None)
        if found is None:
            known = ", ".join(one["name"] for one in listed)
            raise BadInput(f"there is no domain {name!r}; there are: {known}")
        print_json(found)
    elif as_json:
        print_json(listed)
    else:
        table = make_table("domain", "scores", "what for")
        for one in listed:
            table.add_row(one["name"], ", ".join(score["name"] for score in one["scores"]), one["description"])
        make_results_console().print(table)
