"""What a run waits for, as an agent is asked it, and where its decisions are sent."""

from typing import Any

from elcano.client import AsyncElcano, AsyncRun
from elcano.client.models import RunView
from elcano.doors.mcp_server.research_tools import decide_request, list_requests
from elcano.doors.mcp_server.server import describe_task

MOMENT = "2026-11-18T08:26:40Z"


class Asked(AsyncElcano):
    """An API that notes what is asked of runs."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any]]] = []

    def run(self, run_id: str) -> AsyncRun:
        return NotingRun(self, run_id)


class NotingRun(AsyncRun):
    def __init__(self, asked: Asked, run_id: str) -> None:
        self.run_id = run_id
        self._noted = asked.asked

    async def control(self, action: str, *, key: str = "", **body: Any) -> dict[str, Any]:
        self._noted.append((self.run_id, action, body))
        return {}


def call(run_id: str) -> dict[str, Any]:
    told = {"call": "0001-call", "step": 1, "node": "call", "server": "tickets", "tool": "open", "arguments": "{}"}
    return {**told, "run_id": run_id, "since": MOMENT, "until": MOMENT}


async def test_calls_of_a_run_and_of_its_sections_are_decided_each_at_its_own() -> None:
    run = {"run_id": "run-1", "question": "Why?", "mode": "deep", "status": "running", "started_at": MOMENT}
    view = RunView.model_validate({**run, "approvals": [call("run-1"), call("run-1.0004s01"), call("run-1.0004s02")]})
    names = [one.request for one in list_requests(view)]
    assert len(set(names)) == 3
    state, task = describe_task(view)
    assert (state, list(task["inputRequests"])) == ("input_required", names)
    elcano = Asked()
    for number, name in enumerate(names):
        await decide_request(elcano, view.run_id, name, number != 1, "no", None)
    assert elcano.asked == [
        ("run-1", "approve-call", {"call": "0001-call"}),
        ("run-1.0004s01", "refuse-call", {"call": "0001-call", "reason": "no"}),
        ("run-1.0004s02", "approve-call", {"call": "0001-call"}),
    ]
