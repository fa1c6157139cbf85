"""The commands steer, approve and refuse, and how what waits for approval is shown."""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.graphs.frozen import Json, JsonObject
from elcano.settings import program_settings

_PLAN_FIELDS: Final = {"title", "sections"}


def build_steer_request(
    instruction: str,
    add_sources: Sequence[str] | None,
    drop_sources: Sequence[str] | None,
    add_sections: Sequence[str] | None,
    drop_sections: Sequence[str] | None,
) -> JsonObject:
    """Return the requested changes as the API takes them."""
    body: JsonObject = {
        "instruction": instruction,
        "add_sources": [*(add_sources or ())],
        "drop_sources": [*(drop_sources or ())],
        "add_sections": [_parse_section(text) for text in add_sections or ()],
        "drop_sections": [*(drop_sections or ())],
    }
    return {name: value for name, value in body.items() if value}


def steer_run(run_id: str, body: JsonObject, key: str) -> Exit:
    """Has a run go on otherwise, and says from when on."""
    answer = _post_action(run_id, "steer", body, key)
    when = f"; the sections changed {answer['sections']}" if answer.get("sections") else ""
    _print_line(f"{run_id} goes by it from step {answer['step']} on{when}")
    return Exit.OK


def approve_pending(run_id: str, file: Path | None, call: str, by: str, key: str) -> Exit:
    """Approves a call, or a plan; one in a file takes its place.

    Raises:
        Failed: both are named, a call and a plan in a file.
    """
    if call and file is not None:
        raise Failed("a call is approved as it is: leave `--file` out", Exit.BAD_INPUT)
    if call:
        answer = _post_action(run_id, "approve-call", _build_call_decision(call, by), key)
        _print_line(f"{run_id} calls {answer['server']}/{answer['tool']} now")
        return Exit.OK
    body = _read_plan_file(file) if file is not None else {}
    answer = _post_action(run_id, "approve", {**body, **({"by": by} if by else {})}, key)
    _print_line(f"{run_id} researches its plan now:")
    for line in plan_lines(answer):
        _print_line(line)
    return Exit.OK


def refuse_pending(run_id: str, reason: str, call: str, by: str, key: str) -> Exit:
    """Refuses a call, or a plan."""
    if call:
        answer = _post_action(run_id, "refuse-call", {"reason": reason, **_build_call_decision(call, by)}, key)
        _print_line(f"{run_id} does not call {answer['server']}/{answer['tool']}, and goes on")
        return Exit.OK
    _post_action(run_id, "refuse", {"reason": reason, **({"by": by} if by else {})}, key)
    _print_line(f"{run_id} is going to its report now, without having researched its plan")
    return Exit.OK


def call_lines(call: JsonObject) -> Iterable[str]:
    """What to do about a call that waits, as its event tells of it."""
    run_id, id = call.get("run_id"), call.get("call")
    if not call.get("whole", True):
        yield "there is more of its arguments: the input of its step has them whole"
    yield f"`elcano approve {run_id} --call {id}` has it called, `elcano refuse {run_id} REASON --call {id}` does not"


def _build_call_decision(call: str, by: str) -> JsonObject:
    return {"call": call, **({"by": by} if by else {})}


def plan_lines(plan: JsonObject) -> Iterable[str]:
    """A plan as a list: its title, and each section with its question and what its answer has to have."""
    if plan.get("title"):
        yield str(plan["title"])
    sections = plan.get("sections")
    for number, section in enumerate(sections if isinstance(sections, list) else (), start=1):
        if isinstance(section, dict):
            yield f"{number:>3}. {section.get('title')}: {section.get('question')}"
            criteria = section.get("criteria")
            yield from (f"     - {one}" for one in (criteria if isinstance(criteria, list) else ()))


def _parse_section(text: str) -> Json:
    """`Title: question`, or a title alone."""
    title, _, question = text.partition(":")
    return {"title": title.strip(), "question": question.strip()}


def _read_plan_file(file: Path) -> JsonObject:
    """Read a plan from a file.

    Raises:
        Failed: it cannot be read, or is no plan.
    """
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        plan = json.loads(text)
    except (OSError, ValueError) as error:
        raise Failed(f"{file} cannot be read as a plan: {error}", Exit.BAD_INPUT) from error
    if not isinstance(plan, dict) or not plan or plan.keys() - _PLAN_FIELDS:
        raise Failed(f"{file} is no plan: give an object with `title` or `sections`, and nothing else", Exit.BAD_INPUT)
    return plan


def _post_action(run_id: str, what: str, body: JsonObject, key: str) -> JsonObject:
    with Api(program_settings().base_url) as api:
        answer: JsonObject = api.post(f"/v1/runs/{run_id}/{what}", body, _print_note, key)
    return answer


def _print_note(text: str) -> None:
    sys.stderr.write(f"elcano: {text}\n")


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
