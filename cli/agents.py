"""`elcano agent`: list, show, create, check and store agents."""

from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from elcano.cli.exit_codes import BadInput
from elcano.cli.options import argument
from elcano.cli.printing import print_columns, print_json, print_line
from elcano.cli.requests import delete_each, get_json, post_json

app = typer.Typer(no_args_is_help=True, help="List, create, check and store agents.")

File = Annotated[Path, argument("A JSON file with an agent.")]
_TEMPLATE: Final[dict[str, Any]] = {
    "description": "Selects the passages that answer the question.",
    "instructions": "You screen passages for a colleague who writes a report.\n"
    "Keep those that answer the question for the reader, and say in one sentence why.",
    "inputs": [{"name": "reader", "type": "string", "description": "Who the report is for."}],
    "output": {
        "type": "object",
        "properties": {
            "kept": {"type": "array", "items": {"type": "string", "format": "evidence"}},
            "why": {"type": "string", "description": "In one sentence."},
        },
        "required": ["kept", "why"],
    },
    "passages": True,
}
"""A new agent; `format: evidence` says that texts are keys of the passages shown."""


@app.command("list")
def list_agents(own: Annotated[bool, typer.Option("--own", help="Your own, stored in the API.")] = False) -> None:
    """List the agents that nodes can call; the built-in ones need no server."""
    from elcano.graphs.catalogue.agents import AGENTS

    if own:
        stored = [card for card in get_json("/v1/agents") if card["version"] is not None]
        print_columns([(f"{card['name']}@{card['version']}", card["description"]) for card in stored])
    else:
        print_columns([(name, agent.description) for name, agent in AGENTS.items()])


@app.command("show")
def show_agent(name: Annotated[str, argument("A built-in agent, or one of your own.")]) -> None:
    """Print an agent as JSON: its input, output and instructions."""
    from elcano.graphs.agents.definition import get_definition
    from elcano.graphs.catalogue.agents import AGENTS

    if name not in AGENTS:
        print_json(get_json(f"/v1/agents/{quote(name, safe='@')}")["definition"], indent=2)
        return
    agent = get_definition(name)
    shown = {
        "name": name,
        "description": agent.description,
        "input": agent.input.model_json_schema(),
        "output": agent.output.model_json_schema(),
        "instructions": agent.asks.instructions,
    }
    print_json(shown, indent=2)


@app.command("new")
def new_agent(name: Annotated[str, argument("The name of the new agent.")]) -> None:
    """Print an agent to start from; save it to a file and edit it."""
    from pydantic import ValidationError

    from elcano.cli.graph_files import NAME_FORM
    from elcano.graphs.catalogue.agents import is_name_taken
    from elcano.graphs.spec.own_agent import OwnAgent

    if is_name_taken(name):
        raise BadInput(f"{name!r} is a built-in agent: choose another name")
    try:
        agent = OwnAgent.model_validate({"name": name, **_TEMPLATE})
    except ValidationError as error:
        raise BadInput(f"{name!r} cannot be the name of an agent: {NAME_FORM}") from error
    print_line(agent.model_dump_json(indent=2, exclude_defaults=True))


@app.command("check")
def check_agent(file: File) -> None:
    """Print every fault of an agent, after its place; exit code 2 if there are any. Needs no server."""
    from elcano.cli.graph_files import list_agent_faults, read_json_object

    given = read_json_object(file, "an agent")
    faults = list_agent_faults(given)
    for fault in faults:
        print_line(fault)
    if faults:
        raise BadInput(f"the agent in {file} has {len(faults)} fault(s)")
    print_line(f"agent {given['name']!r} can be called")


@app.command("push")
def push_agent(file: File) -> None:
    """Store an agent in the API, as a new version if it has one of that name."""
    from elcano.cli.graph_files import read_json_object

    stored = post_json("/v1/agents", read_json_object(file, "an agent"))
    print_line(f'{stored["name"]}@{stored["version"]} is stored: nodes call it by "agent": "{stored["name"]}"')


@app.command("delete")
def delete_agents(names: Annotated[list[str], argument("Names of your own agents.")]) -> None:
    """Delete your own agents with all their versions; graphs and runs that call them continue."""
    raise typer.Exit(delete_each("/v1/agents", names))
