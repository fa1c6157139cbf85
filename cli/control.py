"""Commands that control a run in progress: stop, pause, cancel, top up, steer, approve, refuse, answer questions."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from elcano.cli.declared_commands import request_command
from elcano.cli.exit_codes import BadInput
from elcano.cli.options import (
    AddIterations,
    AddSeconds,
    AddSteps,
    AddTokens,
    AddUsd,
    Key,
    Reason,
    Run,
    Yes,
    argument,
    drop_unset,
    option,
)
from elcano.cli.printing import escape_controls, print_line, require_confirmation
from elcano.cli.requests import open_api, post_to_run, print_note

if TYPE_CHECKING:
    from elcano.cli.client import Api

LIMITS: Final = ("tokens", "cost_usd", "seconds", "iterations", "steps")
_PLAN_FIELDS: Final = {"title", "sections"}

Call = Annotated[str, option("Decide on the pending tool call with this id instead; `elcano watch` shows it.")]
By = Annotated[str, option("Who decides; shown in the events.")]


def cancel_run(run: Run, reason: Reason = "", yes: Yes = False) -> None:
    """Cancel a run at once, without a report; its findings are kept."""
    if not yes:
        require_confirmation(
            f"Cancel {run}, without a report? `elcano stop` writes one",
            alone="a cancelled run has no report; without a terminal to confirm it, add --yes",
            refused="nothing was cancelled",
        )
    polled = post_to_run(run, "cancel", {"reason": reason})["worker"] == "polling"
    ends = ": it ends now, without a report; its findings are kept"
    waits = ", but no worker is running: it ends without a report when one is"
    print_line(f"{run} is cancelled{ends if polled else waits}")


def top_up(
    run: Run,
    tokens: AddTokens = None,
    usd: AddUsd = None,
    seconds: AddSeconds = None,
    iterations: AddIterations = None,
    steps: AddSteps = None,
    key: Key = "",
) -> None:
    """Raise a run's limits; a run that waits for budget continues."""
    added = {"tokens": tokens, "cost_usd": usd, "seconds": seconds, "iterations": iterations, "steps": steps}
    limits = post_to_run(run, "top-up", drop_unset(added), key)["limits"]
    spend = ", ".join(f"{name} {limits[name]:,}" for name in LIMITS if limits[name] is not None)
    print_line(f"{run} may now spend: {spend}")


def steer_run(
    run: Run,
    instruction: Annotated[str, typer.Argument(help="What you want of the research from now on.")] = "",
    add_source: Annotated[list[str] | None, option("Search this source too. Repeatable.")] = None,
    drop_source: Annotated[list[str] | None, option("Stop searching this source. Repeatable.")] = None,
    add_section: Annotated[
        list[str] | None, option("Research this section too. Repeatable.", metavar="TITLE[: QUESTION]")
    ] = None,
    drop_section: Annotated[list[str] | None, option("Leave this section out. Repeatable.", metavar="TITLE")] = None,
    key: Key = "",
) -> None:
    """Change a run's instructions, sources or sections while it works."""
    changes = {
        "instruction": instruction,
        "add_sources": add_source,
        "drop_sources": drop_source,
        "add_sections": [_parse_section(text) for text in add_section or ()],
        "drop_sections": drop_section,
    }
    answer = post_to_run(run, "steer", drop_unset(changes), key)
    when = f"; changes to sections apply {answer['sections']}" if answer.get("sections") else ""
    print_line(f"{run} follows this from step {answer['step']} on{when}")


def approve_request(
    run: Run,
    file: Annotated[
        Path | None,
        option(
            'Replace the plan with the one in this JSON file: {"title": ..., "sections": [{"title": ..., '
            '"question": ..., "criteria": [...]}]}; leave out what you do not need; `-` reads standard input.'
        ),
    ] = None,
    call: Call = "",
    by: By = "",
    key: Key = "",
) -> None:
    """Approve a pending plan, or a pending tool call that writes."""
    if call and file is not None:
        raise BadInput("a tool call is approved as it is: leave `--file` out")
    if call:
        answer = post_to_run(run, "approve-call", drop_unset({"call": call, "by": by}), key)
        print_line(f"{run} calls {answer['server']}/{answer['tool']} now")
        return
    plan = _read_plan_file(file) if file is not None else {}
    answer = post_to_run(run, "approve", {**plan, **drop_unset({"by": by})}, key)
    print_line(f"{run} researches its plan now:")
    for line in format_plan(answer):
        print_line(line)


def refuse_request(
    run: Run,
    reason: Annotated[str, argument("Why; shown in the events and in the report.")],
    call: Call = "",
    by: By = "",
    key: Key = "",
) -> None:
    """Refuse a pending plan, which ends the run, or a pending tool call, without which it continues."""
    if call:
        answer = post_to_run(run, "refuse-call", drop_unset({"reason": reason, "call": call, "by": by}), key)
        print_line(f"{run} continues without calling {answer['server']}/{answer['tool']}")
        return
    post_to_run(run, "refuse", {"reason": reason, **drop_unset({"by": by})}, key)
    print_line(f"{run} is going to its report now, without researching its plan")


def answer_questions(
    run: Run,
    answers: Annotated[list[str] | None, argument("Answers as `q1=Adults`; those left out are skipped.")] = None,
    skip: Annotated[bool, typer.Option("--skip", help="Skip all questions.")] = False,
    key: Key = "",
) -> None:
    """Answer the questions of a run, or skip them; without answers, question by question in the terminal."""
    given = dict(_parse_answer(one) for one in answers or ())
    with open_api() as api:
        if not given and not skip:
            if not sys.stdin.isatty():
                raise BadInput("without a terminal to ask in, give the answers as `q1=Adults`, or --skip")
            given = _ask_in_terminal(api.get(f"/v1/runs/{run}")["questions"])
        answer = api.post_with_key(f"/v1/runs/{run}/clarifications", {"answers": given}, print_note, key)
    answered = sum(bool(one["answer"]) for one in answer["questions"])
    print_line(f"{run} begins, with {answered} of {len(answer['questions'])} questions answered")


COMMANDS: Final[Mapping[str, Callable[..., None]]] = {
    "pause": request_command(
        "Pause a run: it finishes the calls in flight and starts no new ones until `elcano unpause`.",
        "POST /v1/runs/{run}/pause",
        "{run} is paused; `elcano unpause {run}` continues it",
        {"run": Run},
        {"reason": Reason},
        keyed=True,
    ),
    "unpause": request_command(
        "Continue a paused run.",
        "POST /v1/runs/{run}/unpause",
        "{run} continues; `elcano watch {run}` shows it",
        {"run": Run},
        keyed=True,
    ),
    "steer": steer_run,
    "clarify": answer_questions,
    "approve": approve_request,
    "refuse": refuse_request,
    "top-up": top_up,
    "stop": request_command(
        "Stop a run early; it still writes a report from what it has.",
        "POST /v1/runs/{run}/stop",
        "{run} is going to its report now; `elcano watch {run}` shows it",
        {"run": Run},
        {"reason": Reason},
        keyed=True,
    ),
    "cancel": cancel_run,
}
"""In the order in which `elcano --help` lists them."""


def explain_pending_call(call: Mapping[str, Any]) -> Iterable[str]:
    """Explain how to decide on the pending tool call of an event."""
    run_id, id = call.get("run_id"), call.get("call")
    if not call.get("whole", True):
        yield "its arguments are longer: `elcano step` shows them in full"
    approve, refuse = f"elcano approve {run_id} --call {id}", f"elcano refuse {run_id} REASON --call {id}"
    yield f"`{approve}` approves the call, `{refuse}` refuses it"


def format_plan(plan: Mapping[str, Any]) -> Iterable[str]:
    """A plan as a list: its title, and each section with its question and the criteria of its answer."""
    if plan.get("title"):
        yield str(plan["title"])
    for number, section in enumerate(plan.get("sections") or (), start=1):
        yield f"{number:>3}. {section.get('title')}: {section.get('question')}"
        yield from (f"     - {one}" for one in section.get("criteria") or ())


def _parse_section(text: str) -> dict[str, str]:
    """Parse `Title: question`, or a title alone."""
    title, _, question = text.partition(":")
    return {"title": title.strip(), "question": question.strip()}


def _read_plan_file(file: Path) -> dict[str, Any]:
    """Read a plan from a file, or from standard input.

    Raises:
        BadInput: it cannot be read, or is no plan.
    """
    try:
        plan = json.loads(sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read as a plan: {error}") from error
    if not isinstance(plan, dict) or not plan or plan.keys() - _PLAN_FIELDS:
        raise BadInput(f"{file} is no plan: it needs an object with `title` or `sections`, and nothing else")
    return plan


def answer_when_asked(api: "Api", run_id: str) -> None:
    """Wait until a new run has asked back, or has begun, and have what it asks answered in the terminal."""
    for event in api.watch_run(run_id, print_note):
        if event.type == "questions_asked":
            given = _ask_in_terminal(event.data["questions"])
            api.post_with_key(f"/v1/runs/{run_id}/clarifications", {"answers": given}, print_note)
        if event.terminal or event.type == "questions_asked" or event.step > 1:
            return


def format_questions(data: Mapping[str, Any]) -> Iterable[str]:
    """The questions of a run, each with its options."""
    for one in data.get("questions") or ():
        yield f"{one['id']}: {one['question']}"
        for number, words in enumerate(one["options"], start=1):
            yield f"    {number}. {words}{' (recommended)' if words == one['recommended'] else ''}"


def _ask_in_terminal(questions: Any) -> dict[str, str]:
    """Ask each question that waits; an empty answer skips it, the number of an option selects it."""
    given: dict[str, str] = {}
    for one in (one for one in questions if one["answer"] is None):
        for line in format_questions({"questions": [one]}):
            print_line(escape_controls(line))
        said = typer.prompt("Answer (Enter skips)", default="", show_default=False).strip()
        if said.isdecimal() and 1 <= int(said) <= len(one["options"]):
            said = one["options"][int(said) - 1]
        given |= {one["id"]: said} if said else {}
    return given


def _parse_answer(text: str) -> tuple[str, str]:
    id, sign, answer = text.partition("=")
    if not sign or not answer.strip():
        raise BadInput(f"{text!r} is no answer: write the question's id and the answer, as `q1=Adults`")
    return id.strip(), answer.strip()
