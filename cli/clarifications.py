"""`elcano clarify`: answers what a run asked back before it begins, on the command line or question by question."""

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elcano.cli.exit_codes import BadInput
from elcano.cli.options import Key, Run, argument
from elcano.cli.printing import escape_controls, print_line
from elcano.cli.requests import open_api, print_note

if TYPE_CHECKING:
    from elcano.cli.client import Api


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
        for number, option in enumerate(one["options"], start=1):
            yield f"    {number}. {option}{' (recommended)' if option == one['recommended'] else ''}"


def _ask_in_terminal(questions: Any) -> dict[str, str]:
    """Ask each question that waits; an empty answer skips it, the number of an option stands for its words."""
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
