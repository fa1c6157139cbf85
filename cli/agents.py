"""The commands about agents. Creating and checking one needs no server; saved agents live behind the API."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.agents.own_definition import is_name_taken
from elcano.graphs.checks.callees import every_fault
from elcano.graphs.frozen import JsonObject
from elcano.graphs.schemas.bounds import build_json_pointer, prefix_fault_pointers
from elcano.graphs.schemas.schema_parser import parse_schema
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.settings import program_settings

_OBJECT: Final[TypeAdapter[JsonObject]] = TypeAdapter(JsonObject)
_BEGINNING: Final[JsonObject] = {
    "description": "Says which passages answer the question.",
    "instructions": "You screen passages for a colleague who writes a report.\n"
    "Keep those that answer the question for the reader, and say in one sentence why.",
    "inputs": [{"name": "reader", "type": "string", "description": "For whom the report is."}],
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
"""What an agent begins with; `format: evidence` says that texts are keys of the passages shown."""


def print_new_agent(name: str) -> Exit:
    """Prints an agent to begin with.

    Raises:
        Failed: the name cannot be an agent's, or means something already.
    """
    if is_name_taken(name):
        raise Failed(f"{name!r} is a built-in agent: give yours another name", Exit.BAD_INPUT)
    try:
        agent = OwnAgent.model_validate({"name": name, **_BEGINNING})
    except ValidationError as error:
        wrong = "lower-case letters, digits and underscores, a letter first, 48 at most"
        raise Failed(f"{name!r} cannot be the name of an agent: {wrong}", Exit.BAD_INPUT) from error
    _print_line(agent.model_dump_json(indent=2, exclude_defaults=True))
    return Exit.OK


def check_agent(file: Path) -> Exit:
    """Prints the faults of the agent in a file, each with its place as a JSON pointer."""
    given = _read_json_object(file)
    found = _list_agent_faults(given)
    for fault in found:
        _print_line(fault)
    if found:
        raise Failed(f"the agent in {file} has {len(found)} fault(s)", Exit.BAD_INPUT)
    _print_line(f"agent {given['name']!r} can be called")
    return Exit.OK


def push_agent(file: Path) -> Exit:
    """Has the API keep the agent of a file.

    Raises:
        Failed: there is no such file, it holds no JSON object, or the API refuses it.
    """
    with Api(program_settings().base_url) as api:
        kept = api.ask("/v1/agents", _read_json_object(file))
    _print_line(f'{kept["name"]}@{kept["version"]} is kept: nodes call it by "agent": "{kept["name"]}"')
    return Exit.OK


def list_agents(*, own: bool) -> Exit:
    """Prints agents, one per line: the built-in ones, or those saved in the API."""
    lines = [(name, agent.description) for name, agent in AGENTS.items()]
    if own:
        with Api(program_settings().base_url) as api:
            cards = [card for card in api.get("/v1/agents") if card["version"] is not None]
        lines = [(f"{card['name']}@{card['version']}", card["description"]) for card in cards]
    width = max((len(name) for name, _ in lines), default=0)
    for name, description in lines:
        _print_line(f"{name:<{width}}  {description}".rstrip())
    return Exit.OK


def show_agent(name: str) -> Exit:
    """Prints an agent as JSON: one of your own ready to edit and push, a built-in one with its input and output."""
    if name in AGENTS:
        agent = AGENTS[name]
        told = {
            "name": name,
            "description": agent.description,
            "input": agent.input.model_json_schema(),
            "output": agent.output.model_json_schema(),
            "instructions": agent.asks.instructions,
        }
        _print_line(json.dumps(told, indent=2, ensure_ascii=False))
        return Exit.OK
    with Api(program_settings().base_url) as api:
        view = api.get(f"/v1/agents/{quote(name, safe='@')}")
    _print_line(json.dumps(view["definition"], indent=2, ensure_ascii=False))
    return Exit.OK


def delete_agents(names: Sequence[str]) -> Exit:
    """Deletes agents that the API keeps; one that cannot be deleted does not keep the others."""
    code = Exit.OK
    with Api(program_settings().base_url) as api:
        for name in dict.fromkeys(names):
            try:
                api.delete(f"/v1/agents/{quote(name, safe='@')}")
            except Failed as error:
                if error.code == Exit.NOT_REACHABLE:
                    raise
                sys.stderr.write(f"elcano: {name}: {error}\n")
                code = code or error.code
            else:
                _print_line(f"{name} is deleted")
    return code


def _list_agent_faults(given: JsonObject) -> list[str]:
    try:
        agent = OwnAgent.model_validate(given)
    except ValidationError as error:
        found = [f"{build_json_pointer(*one['loc']) or '/'}: {one['msg']}" for one in error.errors(include_url=False)]
        output = given.get("output")
        schema = prefix_fault_pointers(parse_schema(output).faults, "/output") if isinstance(output, dict) else ()
        return [*found, *(f"{one.pointer}: {one.message}" for one in schema)]
    return [f"{one.pointer or '/'}: {one.message}" for one in every_fault(agent)]


def _read_json_object(path: Path) -> JsonObject:
    """The JSON object in a file.

    Raises:
        Failed: it holds none, or cannot be read.
    """
    try:
        return _OBJECT.validate_json(path.read_bytes())
    except (ValidationError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else "it does not hold a JSON object"
        raise Failed(f"{path} is not an agent: {why}", Exit.BAD_INPUT) from error


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
