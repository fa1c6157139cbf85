"""The program `elcano`: its commands in sections, those of the kernel and those of the plugins.

A module of commands imports what is large when a command runs, so that `elcano --help` answers at once.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, TypeAlias

import typer
from typer.core import TyperGroup

from elcano import __version__
from elcano.cli.ask import ask_question, watch_progress
from elcano.cli.control import COMMANDS as CONTROL_COMMANDS
from elcano.cli.exit_codes import replace_process
from elcano.cli.graphs import app as graphs
from elcano.cli.graphs import list_domains, list_modes
from elcano.cli.reports import print_report, print_results
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
from elcano.cli.sources_and_agents import agents, sources
from elcano.graphs.plugin import list_plugins, resolve_path

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
