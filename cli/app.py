"""The program `elcano`: its commands in sections, those of the kernel and those of the plugins.

A module of commands imports what is large when a command runs, so that `elcano --help` answers at once.

`elcano sources`: the sources, the state of each, and whether one finds anything; `elcano agent`: agents to call.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import quote

import typer
from typer.core import TyperGroup

from elcano import __version__
from elcano.cli.ask import ask_question, watch_progress
from elcano.cli.control import COMMANDS as CONTROL_COMMANDS
from elcano.cli.exit_codes import BadInput, replace_process
from elcano.cli.graphs import app as graphs
from elcano.cli.graphs import list_domains, list_modes
from elcano.cli.options import AsJson, argument
from elcano.cli.printing import exit_with_json, format_seconds, print_columns, print_json, print_line
from elcano.cli.reports import print_report, print_results
from elcano.cli.requests import delete_each, get_json, post_json, print_note
from elcano.cli.runs import (
    compare_runs,
    delete_runs,
    fork_run,
    list_runs,
    list_steps,
    resume_run,
    roll_back_run,
    show_step,
)
from elcano.graphs.plugin import list_plugins, resolve_path

sources = typer.Typer()
agents = typer.Typer(no_args_is_help=True, help="List, create, check and store agents.")

STATES: Final = {
    "ready": "ready",
    "search_failed": "search failed",
    "needs_key": "needs a key",
    "off": "switched off",
    "unserved": "no worker",
    "waiting": "waiting",
    "failing": "failing",
    "trial": "on trial",
}


@sources.callback(invoke_without_command=True)
def list_sources(context: typer.Context, as_json: AsJson = False) -> None:
    """List the sources with their state, and what is missing where one cannot be searched."""
    if context.invoked_subcommand is not None:
        return
    found: list[Any] = get_json("/v1/sources")
    exit_with_json(found, wanted=as_json)
    if not found:
        print_line("There are no sources; name a folder in ELCANO_COLLECTIONS.")
    width = max((len(source["name"]) for source in found), default=0)
    column = max(map(len, STATES.values()))
    for source in found:
        shown = STATES.get(source["state"], source["state"])
        print_line(f"{source['name']:<{width}}  {shown:<{column}}  {source['description']}")
        for line in (source["missing"], *_describe_state(source), "; ".join(_list_traits(source))):
            if line:
                print_line(f"{'':<{width}}  {'':<{column}}  {line}")


@sources.command("check")
def check_source(
    name: Annotated[str, argument("The source, as `elcano sources` lists it.")],
    query: Annotated[str, argument("What to search for.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many passages to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Search one source once, through a worker, and show the results; nothing is stored."""
    found = post_json(f"/v1/sources/{quote(name, safe='')}/check", {"query": query, "limit": limit})
    exit_with_json(found, wanted=as_json)
    count = len(found["passages"])
    many = "nothing" if not count else "1 passage" if count == 1 else f"{count} passages"
    print_line(f"{name} found {many} for {found['query']!r} in {format_seconds(found['seconds'])}")
    for number, passage in enumerate(found["passages"], 1):
        print_line(f"\n{number}. {passage['title']}\n   {passage['locator']}\n   {passage['excerpt']}")
    for warning in found["warnings"]:
        print_note(f"warning: {warning}")


def _describe_state(source: dict[str, Any]) -> list[str]:
    """Describe the state of a source's provider, if something is or was wrong."""
    lines = []
    if source["state"] in ("search_failed", "waiting", "failing", "trial"):
        since = f"since {_format_utc_time(source['since'])}" if source["since"] else ""
        until = f"not searched until {_format_utc_time(source['until'])}" if source["until"] else ""
        lines += ["; ".join(filter(None, (since, until)))]
    if source["last_error"]:
        lines += [f"last error ({_format_utc_time(source['last_error_at'])}): {source['last_error']}"]
    return lines


def _list_traits(source: dict[str, Any]) -> list[str]:
    """List a source's abilities and limits, beyond those of a plain folder."""
    rate, with_key = source["per_second"], source["per_second_with_key"]
    traits = [source["kind"], source["texts"]]
    traits += ["dated"] if source["dated"] else []
    traits += [f"languages: {', '.join(source['languages'])}"] if source["languages"] else []
    traits += [f"queries can narrow by {', '.join(source['filters'])}"] if source["filters"] else []
    traits += [f"{rate:g} {'search' if rate == 1 else 'searches'} a second"] if rate else []
    traits += [f"{with_key:g} with {source['key']}"] if with_key else []
    return traits


def _format_utc_time(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


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


@agents.command("list")
def list_agents(own: Annotated[bool, typer.Option("--own", help="Your own, stored in the API.")] = False) -> None:
    """List the agents that nodes can call; the built-in ones need no server."""
    from elcano.graphs.catalogue.agents import AGENTS

    if own:
        stored = [card for card in get_json("/v1/agents") if card["version"] is not None]
        print_columns([(f"{card['name']}@{card['version']}", card["description"]) for card in stored])
    else:
        print_columns([(name, agent.description) for name, agent in AGENTS.items()])


@agents.command("show")
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


@agents.command("new")
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


@agents.command("check")
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


@agents.command("push")
def push_agent(file: File) -> None:
    """Store an agent in the API, as a new version if it has one of that name."""
    from elcano.cli.graph_files import read_json_object

    stored = post_json("/v1/agents", read_json_object(file, "an agent"))
    print_line(f'{stored["name"]}@{stored["version"]} is stored: nodes call it by "agent": "{stored["name"]}"')


@agents.command("delete")
def delete_agents(names: Annotated[list[str], argument("Names of your own agents.")]) -> None:
    """Delete your own agents with all their versions; graphs and runs that call them continue."""
    raise typer.Exit(delete_each("/v1/agents", names))


Command: TypeAlias = typer.Typer | Callable[..., None]

_EPILOG: Final = (
    "Exit codes: 0 done; 1 the run failed; 2 bad input; 3 the API cannot be reached; 4 the run ended early and its "
    "report is partial; 5 it was stopped; 6 nothing it found answers the question; 7 it was cancelled; "
    "8 it was ended from outside; 9 the output cannot be written; 130 Ctrl-C (the run continues)."
)


def serve_stack(
    verbose: Annotated[bool, typer.Option("--verbose", help="Show everything that the processes log.")] = False,
) -> None:
    """Run Temporal, a worker and the API together until Ctrl-C."""
    replace_process("elcano.dev", *(["--verbose"] if verbose else []))


def check_installation() -> None:
    """Check everything that a run needs, and explain how to fix what is missing."""
    replace_process("elcano.dev.doctor")


_SECTIONS: Final[Mapping[str, Mapping[str, Command]]] = {
    "Ask and read": {
        "ask": ask_question,
        "watch": watch_progress,
        "report": print_report,
        "results": print_results,
        "runs": list_runs,
        "delete": delete_runs,
    },
    "Control a run in progress": CONTROL_COMMANDS,
    "Look back and continue": {
        "steps": list_steps,
        "step": show_step,
        "diff": compare_runs,
        "resume": resume_run,
        "rollback": roll_back_run,
        "fork": fork_run,
    },
    "What runs are made of": {
        "modes": list_modes,
        "domains": list_domains,
        "sources": sources,
        "graph": graphs,
        "agent": agents,
        **{name: resolve_path(plugin, path) for plugin in list_plugins() for name, path in plugin.commands.items()},
    },
    "Programs": {"serve": serve_stack, "doctor": check_installation},
}


class _SectionedGroup(TyperGroup):
    """Lists the commands in their sections, each with the whole first sentence of its help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(limit=200)) for name in commands])


app = typer.Typer(
    name="elcano",
    cls=_SectionedGroup,
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # typer's decorated help takes longer to import than all the rest
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"elcano {__version__}")
        raise typer.Exit


@app.callback()
def main_options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Durable deep research: ask a question, get a report whose every citation was checked."""


for _commands in _SECTIONS.values():
    for _name, _command in _commands.items():
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name)
        else:
            app.command(_name)(_command)
