"""The model options: `--model NAMES` for every agent, `--model AGENT=NAMES` for one; both may be combined.

Whether there is such an agent or model is for the server to say.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

_OF_AGENT: Final = re.compile(r"([a-z][a-z0-9_]*)=(.*)", re.DOTALL)

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="[AGENT=]NAMES",
        help="Who answers: `offline`, `openai:gpt-5.1`, or a comma-separated fallback list; with AGENT= before it, for "
        "one agent alone. Repeatable; left out: as the server is set up.",
        show_default=False,
    ),
]
ModelsFromHere = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="[AGENT=]NAMES",
        help="Who answers from here on; with AGENT= before it, one agent. Repeatable; left out: as before.",
        show_default=False,
    ),
]


def model_request(said: Sequence[str] | None) -> str | dict[str, Any]:
    """Return a request's models: names for all agents, or those for all and for single ones; empty if none are given.

    Raises:
        typer.BadParameter: one agent, or all, are given models twice, or none.
    """
    default, by_agent = "", dict[str, str]()
    for one in said or ():
        found = _OF_AGENT.fullmatch(one.strip())
        agent, names = (found[1], found[2].strip()) if found else ("", one.strip())
        if not names:
            raise typer.BadParameter(f"{one!r} names no model", param_hint="--model")
        if by_agent.get(agent) if agent else default:
            whom = f"the agent {agent!r}" if agent else "all agents"
            raise typer.BadParameter(
                f"{whom} can have one list of models, separated by commas: {one!r} is a second one",
                param_hint="--model",
            )
        if agent:
            by_agent[agent] = names
        else:
            default = names
    return {"default": default, "by_agent": {**by_agent}} if by_agent else default
