"""`elcano ask` and `elcano watch`: start a run, show it while it works, print its report at the end."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from elcano.cli.control import answer_when_asked, explain_pending_call, format_plan, format_questions
from elcano.cli.exit_codes import BY_STATUS, BadInput, Exit, Failed
from elcano.cli.options import (
    AllowedDomains,
    AllowedJournals,
    AllowedKinds,
    AsJson,
    Background,
    BlockedDomains,
    BlockedJournals,
    BlockedKinds,
    BudgetSeconds,
    BudgetTokens,
    BudgetUsd,
    Egress,
    GraphFile,
    Instructions,
    Key,
    Models,
    Out,
    Run,
    RunOrNone,
    Sources,
    argument,
    drop_unset,
    load_graph_option,
    option,
    parse_egress,
    parse_models,
)
from elcano.cli.printing import escape_controls, print_json, print_line, require_writable
from elcano.cli.reports import deliver_report
from elcano.cli.requests import open_api, print_note

if TYPE_CHECKING:
    from rich.console import Console

    from elcano.cli.client import Api
    from elcano.client.models import AgentEvent

_TOP_UPS: Final = {
    "tokens": "--tokens 50000",
    "cost": "--usd 1",
    "time": "--seconds 600",
    "iterations": "--iterations 3",
    "steps": "--steps 100",
}
"""An example of what to add to the limit that made a run pause."""


def ask_question(
    question: Annotated[str, argument("The question.")],
    mode: Annotated[
        str, typer.Option(help="The mode; `elcano modes` explains them.", show_default="chosen from the question")
    ] = "",
    graph: GraphFile = "",
    engine: Annotated[
        Literal["graph", "chain"] | None,
        option(
            "graph: the graph engine runs any mode; chain: plain code runs a built-in one. By default as the server is "
            "configured."
        ),
    ] = None,
    source: Sources = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            help="Upload this file, folder or ZIP archive, and search it. Repeatable.", exists=True, resolve_path=True
        ),
    ] = None,
    domain: Annotated[
        str,
        option(
            "Field whose standards are used to judge evidence (`elcano domains`), or a rubric in a JSON file. "
            "By default chosen from the question."
        ),
    ] = "",
    allow_domain: AllowedDomains = None,
    block_domain: BlockedDomains = None,
    allow_journal: AllowedJournals = None,
    block_journal: BlockedJournals = None,
    allow_kind: AllowedKinds = None,
    block_kind: BlockedKinds = None,
    egress: Egress = "",
    follow: RunOrNone = "",
    schema: Annotated[
        Path | None, option("A JSON Schema: answer in its form too (`elcano answer`), each value with its quotes.")
    ] = None,
    background: Background = "",
    instructions: Instructions = "",
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    budget_iterations: Annotated[int | None, option("Limit in iterations of the research loop.")] = None,
    budget_stalls: Annotated[int | None, option("magentic only: rounds without progress before a new plan.")] = None,
    budget_resets: Annotated[int | None, option("magentic only: limit in new plans.")] = None,
    path_seconds: Annotated[
        float | None, option("data only: seconds for each database call of an answer by paths.", min=1, max=3600)
    ] = None,
    clarify: Annotated[
        bool, typer.Option("--clarify", help="Let a model ask back first what the question leaves open.")
    ] = False,
    approve_plan: Annotated[
        bool, typer.Option("--approve-plan", help="Wait for `elcano approve` before researching the planned sections.")
    ] = False,
    refuse_writes: Annotated[
        bool, typer.Option("--refuse-writes", help="Refuse tool calls that write, instead of waiting for approval.")
    ] = False,
    no_review: Annotated[
        bool, typer.Option("--no-review", help="Skip the reviewer, who reads statements against their quotes.")
    ] = False,
    pause: Annotated[
        bool,
        typer.Option("--pause", help="When the budget is used up, wait for `elcano top-up` instead of finishing."),
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Let interactive runs go first; for runs that no one waits for.")
    ] = False,
    model: Models = None,
    no_watch: Annotated[bool, typer.Option("--no-watch", help="Print the run's id and exit.")] = False,
    as_json: AsJson = False,
    out: Out = None,
    key: Key = "",
) -> None:
    """Ask a question, watch the research, print the report."""
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
    trust = {
        "allowed_domains": allow_domain,
        "blocked_domains": block_domain,
        "allowed_journals": allow_journal,
        "blocked_journals": block_journal,
        "allowed_kinds": allow_kind,
        "blocked_kinds": block_kind,
        "egress": parse_egress(egress),
    }
    body = {
        "mode": mode,
        "graph": load_graph_option(graph),
        "use_graph": None if engine is None else engine == "graph",
        "sources": source,
        "domain": _parse_domain(domain),
        "trust": drop_unset(trust),
        "previous_run": follow,
        "output_schema": _load_schema(schema),
        "background": background,
        "instructions": instructions,
        "model": parse_models(model),
        "clarify": clarify or None,
        "approve_plan": approve_plan or None,
        "approvals": "refuse" if refuse_writes else None,
        "review": False if no_review else None,
        "priority": "batch" if batch else None,
        "budget": drop_unset(budget),
    }
    require_writable(out)
    with open_api() as api:
        if file:
            body["sources"] = [*(source or ()), _upload_files(api, file)]
        run = api.post_with_key("/v1/runs", {"question": question, **drop_unset(body)}, print_note, key)
        if no_watch:
            print_json(run) if as_json else print_line(run["run_id"])
            return
        if clarify and sys.stdin.isatty():
            answer_when_asked(api, run["run_id"])
        raise typer.Exit(watch_and_deliver(api, run, as_json=as_json, out=out))


def watch_progress(run: Run, as_json: AsJson = False) -> None:
    """Show a run from its beginning to its end."""
    from rich.console import Console

    with open_api() as api:
        last = _follow_run(api, run, Console(), as_json=as_json)
    raise typer.Exit(BY_STATUS[str(last.data["status"])])


def _load_schema(file: Path | None) -> dict[str, Any] | None:
    """The JSON Schema in a file; None if no file is given.

    Raises:
        BadInput: the file cannot be read, or holds no JSON object.
    """
    if file is None:
        return None
    from elcano.cli.graph_files import read_json_object

    return read_json_object(file, "a JSON Schema")


def _upload_files(api: "Api", paths: list[Path]) -> str:
    """Upload files into a collection of just these, and return it as a source once all are read.

    Raises:
        BadInput: one cannot be taken, or none can be read.
    """
    from elcano.client.archive_members import UNREADABLE
    from elcano.client.collections import AsyncCollection, find_files, name_own_collection
    from elcano.graphs.text import format_count

    try:
        files = find_files(paths)
        own = name_own_collection(files)
    except UNREADABLE as error:
        raise BadInput(f"--file cannot be read: {error}") from error
    collection = AsyncCollection(api.connection, own)
    refused = [one for one in api.call(collection.add, *paths) if one.refusal]
    if not files or refused:
        raise BadInput(
            "; ".join(escape_controls(f"{one.path}: {one.refusal}") for one in refused) or "--file names no file"
        )
    print_note(f"{format_count(len(files), 'file')} in the collection {collection.name}; waiting until all are read")
    view = api.wait(collection.wait, print_note)
    for one in api.iterate(collection.documents()):
        if one.reason:
            part = "" if one.state == "refused" else "a part of "
            print_note(f"{part}{one.path} is not searched: {one.reason}")
    if not view.indexed:
        raise BadInput("none of the files can be read")
    return collection.source


def _parse_domain(text: str) -> str | dict[str, Any]:
    """The name of a domain, or the rubric in a JSON file.

    Raises:
        BadInput: the file cannot be read, or holds no JSON object.
    """
    if not text.endswith(".json"):
        return text
    try:
        rubric = json.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"--domain {text!r} cannot be read: {error}") from error
    if not isinstance(rubric, dict):
        raise BadInput(f"--domain {text!r} holds no rubric: `elcano domains biomedical` shows one")
    return rubric


def watch_and_deliver(api: "Api", run: Mapping[str, Any], *, as_json: bool, out: Path | None) -> Exit:
    """Show a run while it works, deliver its report, and return the exit code that its end means."""
    from rich.console import Console

    run_id = str(run["run_id"])
    console = Console(stderr=True)
    console.print(f"Run {run_id} (engine: {run['engine']})", highlight=False, soft_wrap=True)
    if not console.is_terminal and (page := run.get("links", {}).get("temporal_ui")):  # else the display shows it
        console.print(f"In the Temporal UI: {page}", highlight=False, soft_wrap=True)
    last = _follow_run(api, run_id, console, as_json=False)
    if last.data.get("report") is not None:
        deliver_report(api, run_id, form="json" if as_json else "md", out=out)
    return BY_STATUS[str(last.data["status"])]


def _follow_run(api: "Api", run_id: str, console: "Console", *, as_json: bool) -> "AgentEvent":
    """Show a run until its terminal event, which is returned. Ctrl-C leaves the run alone."""
    from elcano.cli.live import open_display

    try:
        if as_json:
            for event in api.watch_run(run_id, print_note):
                print_line(event.model_dump_json())
            return event
        with open_display(console, lambda: api.get(f"/v1/runs/{run_id}", pending=False)) as display:
            for event in api.watch_run(run_id, display.say, display.write):
                display.show(event)
                for line in _explain_waiting(run_id, event):
                    display.say(line)
            return event
    except KeyboardInterrupt:
        message = f"the run continues; `elcano watch {run_id}` shows it again, `elcano stop {run_id}` ends it"
        raise Failed(message, Exit.INTERRUPTED) from None


def _explain_waiting(run_id: str, event: "AgentEvent") -> list[str]:
    """Explain how to continue a run that waits for a person: paused, out of budget, or in need of approval."""
    match event.type:
        case "paused" if not event.section:  # a section that waits does not hold up the others
            reason = str(event.data.get("reason"))
            top_up = f"top-up {run_id} {_TOP_UPS.get(reason, _TOP_UPS['tokens'])}"
            action = f"unpause {run_id}" if reason == "pause" else top_up
            return [f"`elcano {action}` continues it, `elcano stop {run_id}` makes it write the report"]
        case "approval_requested":
            return [*explain_pending_call(event.data)]
        case "questions_asked":
            return [*format_questions(event.data), f"`elcano clarify {run_id}` answers or skips them"]
        case "plan_proposed":
            decide = f"`elcano approve {run_id}` approves the plan, `elcano refuse {run_id} REASON` ends the run"
            return [*format_plan(event.data), decide]
    return []
