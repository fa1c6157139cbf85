"""What changes something is sent with a key, and again with the same one when it is not known whether it was done."""

import asyncio
import json

import pytest

from elcano.cli.exit_codes import Exit
from elcano.cli.requests import open_api
from elcano.client import connection
from tests.unit.cli.scripted import RUN, Answer, Server, problem, run, script_a_run

TOP_UP = f"POST /v1/runs/{RUN}/top-up"
LIMITS = {"tokens": 150_000, "cost_usd": None, "seconds": 660.0, "iterations": 5, "steps": 200}
TAKEN = Answer({"run_id": RUN, "limits": LIMITS}, status=202)
UNKNOWN = problem(503, "It is not known whether that was applied", "it may still be applied")
LOST = Answer({}, status=202, broken=True)


def keys(server: Server) -> list[str]:
    return [headers["idempotency-key"] for request, headers, _ in server.asked if request.startswith("POST")]


@pytest.mark.parametrize("first", [UNKNOWN, LOST, problem(503, "Temporal cannot be reached")])
def test_a_request_whose_outcome_is_not_known_is_repeated_with_its_key(
    server: Server, capsys: pytest.CaptureFixture[str], first: Answer
) -> None:
    server.answer(TOP_UP, first, first, TAKEN)
    assert run("top-up", RUN, "--tokens", "50000") == Exit.OK
    assert len(keys(server)) == 3
    assert len(set(keys(server))) == 1
    assert {body for _, _, body in server.asked} == {json.dumps({"tokens": 50_000}, separators=(",", ":")).encode()}
    shown = capsys.readouterr()
    assert "150,000" in shown.out
    assert shown.err.count("trying again") == 2


def test_who_waits_for_workers_is_told_once_that_there_are_none(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elcano.cli.client.LOOK_SECONDS", 0.01)
    worker = {"ok": False, "detail": "no worker polls the task queue 'elcano'"}
    server.answer("GET /readyz", Answer("no JSON"), Answer({"ready": False, "checks": {"worker": worker}}, status=503))

    async def work() -> int:
        while len(server.asked) < 2 or not told:  # noqa: ASYNC110 - a thread answers
            await asyncio.sleep(0.01)
        return 7

    told: list[str] = []
    with open_api() as api:
        assert api.wait(work, told.append) == 7
    assert told == [f"still waiting, but no worker runs it: {worker['detail']}"]


def test_each_command_has_a_key_of_its_own(server: Server) -> None:
    script_a_run(server)
    server.answer(TOP_UP, TAKEN)
    server.answer(f"POST /v1/runs/{RUN}/stop", Answer({"run_id": RUN, "reason": ""}, status=202))
    assert run("ask", "Why?", "--no-watch") == Exit.OK
    assert run("top-up", RUN, "--tokens", "50000") == Exit.OK
    assert run("top-up", RUN, "--tokens", "50000") == Exit.OK
    assert run("stop", RUN) == Exit.OK
    assert len(set(keys(server))) == 4


def test_a_command_that_gives_up_says_how_to_learn_what_became_of_it(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connection, "REPEAT_SECONDS", 0.0)
    server.answer(TOP_UP, UNKNOWN)
    assert run("top-up", RUN, "--tokens", "50000") == Exit.NOT_REACHABLE
    (key,) = keys(server)
    assert f"--key {key}" in capsys.readouterr().err
    server.answer(TOP_UP, LOST)
    assert run("top-up", RUN, "--tokens", "50000", "--key", key) == Exit.NOT_REACHABLE
    assert keys(server) == [key, key]
    assert f"--key {key}" in capsys.readouterr().err


def test_a_house_that_is_full_is_not_asked_again(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("POST /v1/runs", problem(429, "Too many runs are open", "500 runs are open"))
    assert run("ask", "Why?") == Exit.NOT_REACHABLE
    assert len(server.asked) == 1
    assert "500 runs are open" in capsys.readouterr().err
