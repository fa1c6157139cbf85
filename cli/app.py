"""The commands and their options. Each calls one function of another module, imported when it is needed."""

from typing import Annotated, Any, Literal

import typer

from elcano import __version__
from elcano.cli import (
    agent_options,
    graph_options,
    modes,
    results,
    resume_options,
    source_options,
    steering_options,
    step_options,
)
from elcano.cli.model_options import Models, model_request
from elcano.cli.options import AsJson, Form, Key, Out, Run, Runs
from elcano.cli.program_exec import replace_process
from elcano.cli.run_ids import whole_id
from elcano.graphs.registry import list_plugins, resolve_path

_EPILOG = (
    "Exit codes: 0 done; 1 the run failed; 2 bad input; 3 the API cannot be reached; 4 the run ended early and its "
    "report is partial; 5 it was stopped; 6 nothing that it found answers the question; 7 it was cancelled; "
    "8 it was ended from outside; 9 the output cannot be written; 130 Ctrl-C (the run goes on)."
)

app = typer.Typer(
    name="elcano",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(graph_options.app, name="graph")
app.add_typer(agent_options.app, name="agent")
app.add_typer(source_options.app, name="sources")
app.add_typer(steering_options.app)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"elcano {__version__}")
        raise typer.Exit


def _whole_id_if_any(run: str) -> str:
    return whole_id(run) if run else run


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Durable deep research: ask a question, get a report whose every citation was checked."""


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What is to be found out.", show_default=False)],
    mode: Annotated[
        str, typer.Option(help="The graph to walk; `elcano modes` explains them.", show_default="auto: as it needs")
    ] = "",
    graph: Annotated[
        str | None, typer.Option(help="Walk the graph in this JSON file instead.", metavar="FILE", show_default=False)
    ] = None,
    engine: Annotated[
        Literal["graph", "chain"] | None,
        typer.Option(
            help="graph: the graph engine walks the mode; chain: the mode as plain code, of the built-in ones. "
            "Left out: as the server is set up.",
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", "--docs", help="Search only this source or document collection; repeatable."),
    ] = None,
    domain: Annotated[
        str,
        typer.Option(
            help="By the standards of which field evidence is judged: `elcano domains`, or a rubric in a JSON file. "
            "Left out: as the question decides.",
            show_default=False,
        ),
    ] = "",
    follow: Annotated[
        str,
        typer.Option(
            "--follow",
            metavar="RUN",
            help="The question follows this run, which has ended: what was asked and answered there is known.",
            show_default=False,
            callback=_whole_id_if_any,
        ),
    ] = "",
    background: Annotated[str, typer.Option(help="What the agents should know besides the question.")] = "",
    instructions: Annotated[str, typer.Option(help="What you want of the report's length, tone or form.")] = "",
    budget_tokens: Annotated[int | None, typer.Option(help="Tokens to spend at most.", show_default=False)] = None,
    budget_usd: Annotated[float | None, typer.Option(help="US dollars at most.", show_default=False)] = None,
    budget_seconds: Annotated[float | None, typer.Option(help="Seconds at most.", show_default=False)] = None,
    budget_iterations: Annotated[
        int | None, typer.Option(help="Turns of the research loop at most.", show_default=False)
    ] = None,
    budget_stalls: Annotated[
        int | None, typer.Option(help="Of magentic: rounds without progress before a new plan.", show_default=False)
    ] = None,
    budget_resets: Annotated[
        int | None, typer.Option(help="Of magentic: new plans at most.", show_default=False)
    ] = None,
    path_seconds: Annotated[
        float | None,
        typer.Option(
            min=1,
            max=3600,
            help="Of data: seconds for each call to a database where the question goes in paths.",
            show_default=False,
        ),
    ] = None,
    approve_plan: Annotated[
        bool,
        typer.Option("--approve-plan", help="Wait for `elcano approve` before planned sections are researched."),
    ] = False,
    refuse_writes: Annotated[
        bool,
        typer.Option("--refuse-writes", help="Do not wait for anybody to approve calls of tools that write."),
    ] = False,
    no_review: Annotated[
        bool, typer.Option("--no-review", help="Do not have statements read against the words that they quote.")
    ] = False,
    pause: Annotated[
        bool, typer.Option("--pause", help="When the budget is used up, wait for `elcano top-up` instead of writing.")
    ] = False,
    model: Models = None,
    no_watch: Annotated[bool, typer.Option("--no-watch", help="Print the run's id and leave.")] = False,
    as_json: AsJson = False,
    out: Out = None,
    key: Key = "",
) -> None:
    """Ask a question, watch the research, print the report."""
    from elcano.cli import graphs, run_commands

    budget = {
        "tokens": budget_tokens,
        "cost_usd": budget_usd,
        "seconds": budget_seconds,
        "iterations": budget_iterations,
        "stalls": budget_stalls,
        "resets": budget_resets,
        "path_seconds": path_seconds,
        "when_exhausted": "pause" if pause else None,
    }
    body: dict[str, Any] = {
        "question": question,
        "mode": mode,
        "graph": None if graph is None else graphs.load_graph(graph).model_dump(mode="json"),
        "sources": source,
        "domain": modes.parse_domain_option(domain),
        "previous_run": follow,
        "background": background,
        "instructions": instructions,
        "model": model_request(model),
        "approve_plan": approve_plan,
        "budget": {name: value for name, value in budget.items() if value is not None},
    }
    chosen = {name: value for name, value in body.items() if value}
    if refuse_writes:
        chosen["approvals"] = "refuse"
    if no_review:
        chosen["review"] = False
    if engine is not None:
        chosen["use_graph"] = engine == "graph"
    raise typer.Exit(run_commands.ask_question(chosen, key=key, watch=not no_watch, as_json=as_json, out=out))


@app.command()
def serve(
    verbose: Annotated[bool, typer.Option("--verbose", help="Show everything that the processes log.")] = False,
) -> None:
    """Run Temporal, a worker and the API together until Ctrl-C."""
    replace_process("elcano.dev", *(["--verbose"] if verbose else []))


@app.command()
def runs(
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many to list.")] = 20,
    status: Annotated[
        str | None,
        typer.Option(
            help="Only runs that are so: running, completed, partial, unanswered, stopped, failed, cancelled or "
            "terminated.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    from elcano.cli import run_commands

    raise typer.Exit(run_commands.print_runs(limit=limit, status=status, as_json=as_json))


@app.command()
def watch(run: Run, as_json: AsJson = False) -> None:
    """Show a run from its beginning, and go on until its end."""
    from elcano.cli import run_commands

    raise typer.Exit(run_commands.watch_run(run, as_json=as_json))


@app.command()
def report(run: Run, form: Form = "md", as_json: AsJson = False, out: Out = None) -> None:
    """Print a run's report, or its references alone; the exit code says how the run ended."""
    from elcano.cli import run_commands

    raise typer.Exit(run_commands.print_report(run, form="json" if as_json else form, out=out))


app.command()(results.results)
app.command()(modes.modes)
app.command()(modes.domains)


@app.command()
def stop(
    run: Run,
    reason: Annotated[str, typer.Option(help="Shown in the report's head.", show_default=False)] = "",
    key: Key = "",
) -> None:
    """End a run early; it still writes its report from what it has."""
    from elcano.cli import run_commands

    raise typer.Exit(run_commands.request_stop(run, reason, key))


@app.command()
def pause(
    run: Run,
    reason: Annotated[str, typer.Option(help="Shown while it is paused.", show_default=False)] = "",
    key: Key = "",
) -> None:
    """Let a run rest: it finishes the calls under way and begins nothing more, until `elcano unpause`."""
    from elcano.cli import control

    raise typer.Exit(control.request_pause(run, reason, key))


@app.command()
def unpause(run: Run, key: Key = "") -> None:
    """Let a run that was paused go on where it was."""
    from elcano.cli import control

    raise typer.Exit(control.go_on(run, key))


@app.command()
def cancel(
    run: Run,
    reason: Annotated[str, typer.Option(help="Shown in its last event.", show_default=False)] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """End a run at once, without a report; its findings are kept."""
    from elcano.cli import control

    raise typer.Exit(control.request_cancellation(run, reason, sure=yes))


@app.command("top-up")
def top_up(
    run: Run,
    tokens: Annotated[int, typer.Option(min=0, help="Tokens to add.", show_default=False)] = 0,
    usd: Annotated[float, typer.Option(min=0, help="US dollars to add.", show_default=False)] = 0.0,
    seconds: Annotated[float, typer.Option(min=0, help="Seconds to add.", show_default=False)] = 0.0,
    iterations: Annotated[int, typer.Option(min=0, help="Turns to add.", show_default=False)] = 0,
    steps: Annotated[int, typer.Option(min=0, help="Steps to add.", show_default=False)] = 0,
    key: Key = "",
) -> None:
    """Raise a run's limits; a run that is paused goes on."""
    from elcano.cli import run_commands

    added = {"tokens": tokens, "cost_usd": usd, "seconds": seconds, "iterations": iterations, "steps": steps}
    raise typer.Exit(run_commands.top_up(run, {name: value for name, value in added.items() if value}, key))


app.command("resume")(resume_options.resume)
app.command("rollback")(resume_options.rollback)
app.command("fork")(resume_options.fork)


@app.command()
def delete(
    runs: Runs,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Delete runs that have ended, with their reports, evidence and everything else that they left."""
    from elcano.cli import deletion

    raise typer.Exit(deletion.delete_runs(runs, sure=yes))


app.command()(step_options.steps)
app.command()(step_options.step)
app.command()(step_options.diff)


@app.command()
def doctor() -> None:
    """Check everything that a run needs, and say how to fix what is missing."""
    replace_process("elcano.dev.doctor")


def _add_plugin_commands() -> None:
    """Add the commands of the plugins: groups of them, or single functions."""
    for plugin in list_plugins():
        for name, path in plugin.commands.items():
            found = resolve_path(plugin, path)
            if isinstance(found, typer.Typer):
                app.add_typer(found, name=name)
            else:
                app.command(name)(found)


_add_plugin_commands()
