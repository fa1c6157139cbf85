"""Arguments and options that several commands share, and what they mean.

Nothing large is imported here, so that `elcano --help` answers at once.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from elcano.cli.exit_codes import BadInput
from elcano.cli.requests import get_json

SHOWN: Final = 8
"""Number of characters of an id in narrow lists: its end, which is random."""
_ULID: Final = 26
_NAMED: Final = 10
"""Number of matching runs that an error message lists."""
_AGENT_MODEL: Final = re.compile(r"([a-z][a-z0-9_]*)=(.*)", re.DOTALL)


def find_run_id(part: str) -> str:
    """Complete a part of a run's id; for a section's id, the part is the text before the first full stop.

    An id that matches no run is returned as it is: the API refuses it.

    Raises:
        Failed: the part matches several runs, or the API does not answer.
    """
    from elcano.graphs.tenants import RUN_ID

    root, stop, section = part.partition(".")
    tail = root.rpartition("-")[2]
    if re.fullmatch(RUN_ID, root) and (len(tail) == _ULID or not tail.startswith("0")):  # every ULID starts with a 0
        return part
    found: list[dict[str, Any]] = get_json("/v1/runs", limit=_NAMED + 1, run_id=root)["runs"] if root else []
    if len(found) > 1:
        named = "".join(f"\n  {run['run_id']}  {' '.join(run['question'].split())[:60]}" for run in found[:_NAMED])
        more = "\n  and others" if len(found) > _NAMED else ""
        raise BadInput(f"{root!r} matches several runs; give more of the id:{named}{more}")
    return (str(found[0]["run_id"]) if found else root) + stop + section


def find_run_ids(parts: list[str]) -> list[str]:
    """Complete several parts of ids."""
    return [find_run_id(part) for part in parts]


def _find_run_id_if_any(part: str) -> str:
    return find_run_id(part) if part else part


def shorten_run_ids(run_ids: Sequence[str]) -> dict[str, str]:
    """Return the end of each id, as long as it takes to distinguish these runs."""
    longest = max(map(len, run_ids), default=SHOWN)
    few = next(
        (length for length in range(SHOWN, longest) if len({one[-length:] for one in run_ids}) == len(set(run_ids))),
        longest,
    )
    return {one: one[-few:] for one in run_ids}


def parse_models(given: Sequence[str] | None) -> str | dict[str, Any]:
    """Return a request's models: names for all agents, or those for all and for single ones; empty if none are given.

    Whether there is such an agent or model is for the server to say.

    Raises:
        typer.BadParameter: one agent, or all of them, get models twice, or none.
    """
    default, by_agent = "", dict[str, str]()
    for one in given or ():
        found = _AGENT_MODEL.fullmatch(one.strip())
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


def load_graph_option(file: str) -> dict[str, Any] | None:
    """Load the graph in a file, as a request has it; None if no file is given.

    Raises:
        BadInput: the file holds no graph.
    """
    if not file:
        return None
    from elcano.cli.graph_files import load_graph

    return load_graph(file).model_dump(mode="json")


def parse_egress(text: str) -> str | list[str]:
    """A request's egress scope: `any`, `public`, `private`, or hosts separated by commas; empty if none is given."""
    return text if text in ("", "any", "public", "private") else [host.strip() for host in text.split(",")]


def drop_unset(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was not given: None, empty texts, lists and objects."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def option(help: str, *names: str, **more: Any) -> Any:
    """An option whose default is not shown: it is empty."""
    return typer.Option(*names, help=help, show_default=False, **more)


def argument(help: str, **more: Any) -> Any:
    """An argument whose default is not shown: it has none, or an empty one."""
    return typer.Argument(help=help, show_default=False, **more)


Run = Annotated[str, argument("A run's or a section's id, or any unique part of a run's id.", callback=find_run_id)]
Runs = Annotated[list[str], argument("Ids of runs, or unique parts of them.", callback=find_run_ids)]
RunOrNone = Annotated[
    str,
    option(
        "Ask a follow-up question: the run starts with the conversation and passages of this one, which has ended.",
        "--follow",
        metavar="RUN",
        callback=_find_run_id_if_any,
    ),
]
AllowedDomains = Annotated[
    list[str] | None,
    option(
        "Use only this domain, with all below it, such as who.int or '*.gov'. Repeatable; own documents stay.",
        "--allow-domain",
    ),
]
BlockedDomains = Annotated[list[str] | None, option("Use nothing from this domain. Repeatable.", "--block-domain")]
AllowedJournals = Annotated[
    list[str] | None,
    option("Use only this journal, by ISSN or name. Repeatable; allowed domains count too.", "--allow-journal"),
]
BlockedJournals = Annotated[list[str] | None, option("Use nothing from this journal. Repeatable.", "--block-journal")]
AllowedKinds = Annotated[
    list[str] | None,
    option("Use only this kind of source, such as article, review, page or document. Repeatable.", "--allow-kind"),
]
BlockedKinds = Annotated[
    list[str] | None, option("Use nothing of this kind, such as preprint. Repeatable.", "--block-kind")
]
Egress = Annotated[
    str,
    option("Whom the run may contact: any, public, private, or hosts separated by commas.", metavar="SCOPE"),
]
StepNumber = Annotated[int, argument("The number of a step, as `elcano steps` lists it.", min=1)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Key = Annotated[str, option("Idempotency key of an earlier attempt whose outcome is unknown.")]
Reason = Annotated[str, option("Why; shown in the events and in the report.")]
Out = Annotated[Path | None, option("Write to this file.")]
Form = Annotated[
    Literal["md", "html", "json", "bibtex", "ris", "csl"],
    typer.Option(
        "--format",
        help="md: the report; html: as one page; json: as data, with every statement and citation; bibtex, ris, csl "
        "(CSL-JSON): only its references, for a reference manager.",
    ),
]
Models = Annotated[
    list[str] | None,
    option(
        "Model to use: `offline`, `openai:gpt-5.1`, or a list of fallbacks with commas; with AGENT= before it, for "
        "that agent only. Repeatable; by default as configured, or as before.",
        "--model",
        metavar="[AGENT=]NAMES",
    ),
]
Sources = Annotated[
    list[str] | None,
    option("Search only this source or document collection. Repeatable.", "--source", "--docs"),
]
Background = Annotated[str, option("What the agents should know besides the question.")]
Instructions = Annotated[str, option("Instructions for the report: length, tone, form.")]
GraphFile = Annotated[str, option("Run the graph in this JSON file instead.", metavar="FILE")]
BudgetTokens = Annotated[int | None, option("Limit in tokens.")]
BudgetUsd = Annotated[float | None, option("Limit in US dollars.")]
BudgetSeconds = Annotated[float | None, option("Limit in seconds.")]
AddTokens = Annotated[int | None, option("Tokens to add.", min=1)]
AddUsd = Annotated[float | None, option("US dollars to add.", min=0)]
AddSeconds = Annotated[float | None, option("Seconds to add.", min=0)]
AddIterations = Annotated[int | None, option("Iterations to add.", min=1)]
AddSteps = Annotated[int | None, option("Steps to add.", min=1)]
