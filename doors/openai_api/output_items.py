"""The items of a response: what was thought, what was searched for, what waits for approval, and the report.

Each is made of a run's events and its report alone, so it is the same whenever and by whichever process it is made.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.report.report import Reference, Report
from elcano.graphs.report.works import find_citation_mark, resolve_work_url
from elcano.graphs.state.events import AgentEvent

Item: TypeAlias = dict[str, Any]

APPROVAL: Final = "mcp_approval_request"
"""The type of the items that ask for approval."""
PLAN_CALL: Final = "plan"
"""Placeholder for the call in the id of the item that asks for plan approval."""
ELCANO: Final = "elcano"
"""The server that asks for it."""
_MARK: Final = re.compile(
    r"(?P<fence>^(?P<ticks>```+|~~~+).*?^(?P=ticks)[`~]*\s*?$)"
    r"|(?P<code>(?<!`)(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`))"
    r"|\\."
    r"|\[(?P<number>\d+)(?:, [^\[\]\n]*)?\](?!\()",
    re.DOTALL | re.MULTILINE,
)
"""The number of a reference in a report, and before it what is passed over as a whole: code, and what is escaped. No
other bracket of a report holds a bare number."""


def build_reasoning(run_id: str, number: int, texts: list[str]) -> Item:
    """Build the reasoning between two searches, one part for each event."""
    summary = [{"type": "summary_text", "text": text} for text in texts]
    return {"id": f"rs_{run_id}_{number}", "type": "reasoning", "summary": summary}


def build_search(run_id: str, number: int, event: AgentEvent, status: str) -> Item:
    """One search, from the event that reports its start."""
    queries = [str(query) for query in _list_values(event.data.get("queries"))]
    action = {"type": "search", "query": queries[0] if queries else event.message, "queries": queries, "sources": []}
    return {"id": f"ws_{run_id}_{number}", "type": "web_search_call", "status": status, "action": action}


def build_plan_approval(run_id: str, event: AgentEvent) -> Item:
    """The question whether a plan of sections is to be researched."""
    return _build_approval(f"{run_id}/{PLAN_CALL}/{event.seq}", ELCANO, "approve_plan", json.dumps(event.data))


def build_call_approval(call: Mapping[str, Any]) -> Item:
    """The question whether a tool that writes is to be called; `call` as events and views have it."""
    return _build_approval(f"{call['run_id']}/{call['call']}", call["server"], call["tool"], call["arguments"])


def _build_approval(name: str, server: str, tool: str, arguments: str) -> Item:
    return {
        "id": f"mcpr_{name}",
        "type": APPROVAL,
        "server_label": server,
        "name": tool,
        "arguments": arguments,
    }


def read_approval_id(item_id: str) -> tuple[str, str] | None:
    """The run, or the section, that asked for approval, and the call; None if it is no id of ours."""
    run_id, slash, call = item_id.removeprefix("mcpr_").partition("/")
    return (run_id, call) if slash and item_id.startswith("mcpr_") else None


def build_message(run_id: str, text: str, annotations: list[Item], status: str = "completed") -> Item:
    """The report."""
    content = [build_text(text, annotations)] if text or status == "completed" else []
    return {"id": f"msg_{run_id}", "type": "message", "role": "assistant", "status": status, "content": content}


def build_text(text: str, annotations: list[Item]) -> Item:
    """The one part of a report."""
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}


def write_text(report: Report) -> str:
    """The text of an answer: the report, or the answer in a schema that was asked for instead, as JSON."""
    form = report.attachments.get(ATTACHED)
    return report.markdown if form is None else json.dumps(form["answer"], ensure_ascii=False)


def list_annotations(report: Report, elsewhere: str) -> list[Item]:
    """A citation for every number of a reference in the text, at its characters (code points).

    Args:
        report: whose text it is.
        elsewhere: the address for references that have none, as of an own file.
    """
    if ATTACHED in report.attachments:  # the text is JSON, and no place for numbers
        return []
    addresses = {one.number: resolve_reference_url(one) or elsewhere for one in report.references}
    titles = {one.number: _format_title(one) for one in report.references}
    return [
        {
            "type": "url_citation",
            "start_index": start,
            "end_index": end,
            "url": addresses[number],
            "title": titles[number],
        }
        for number, start, end in _find_numbers(report.markdown)
        if number in addresses
    ]


def _format_title(reference: Reference) -> str:
    """The title of a reference, with a mark if the work does not stand."""
    mark = find_citation_mark(reference.work)
    return f"{reference.title} ({mark})" if mark else reference.title


def _find_numbers(markdown: str) -> Iterator[tuple[int, int, int]]:
    for found in _MARK.finditer(markdown):
        if found["number"]:
            yield int(found["number"]), found.start(), found.end()


def resolve_reference_url(reference: Reference) -> str:
    """The address at which readers find what is cited; empty if it has none."""
    known = resolve_work_url(reference.work) if reference.work is not None else ""
    return known or next((one for one in reference.locators if one.startswith(("https://", "http://"))), "")


def _list_values(value: object) -> list[object]:
    return value if isinstance(value, list) else []
