"""What each key asks of the API, what is shown of the answer, and how amounts are read."""

import io
import json

import pytest
from rich.console import Console

from elcano.cli.client import Api
from elcano.cli.exit_codes import Exit, Failed
from elcano.cli.live import LiveDisplay
from elcano.cli.live_keys import HELP, KeyActions, parse_top_up
from elcano.graphs.frozen import JsonObject
from tests.unit.cli.scripted import RUN, Answer, Server, problem, run, stands

LIMITS = {"tokens": 150_000, "cost_usd": None, "seconds": 600.0, "iterations": 5, "steps": 200}


class Screen:
    """What a person sees of a run, and their keys."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._written = io.StringIO()
        self.shown = LiveDisplay(Console(file=self._written, width=200))
        self._api = Api(f"http://127.0.0.1:{server.server_port}")
        self.asking = KeyActions(self._api, RUN, self.shown)

    def press(self, *keys: str) -> str:
        """The lines that come of it."""
        before = len(self._written.getvalue())
        for key in keys:
            self.asking.handle(key)
        return self._written.getvalue()[before:].strip()

    @property
    def typed(self) -> str:
        """The line that is typed into."""
        console = Console(file=io.StringIO(), width=200)
        with console.capture() as captured:
            console.print(self.shown.render())
        return captured.get().splitlines()[-1].strip()

    @property
    def sent(self) -> list[tuple[str, JsonObject]]:
        """What was asked of the API to change something."""
        asked = [(request, body) for request, _, body in self._server.asked if request.startswith("POST ")]
        return [(request.rpartition("/")[2], json.loads(body)) for request, body in asked]


@pytest.fixture
def screen(server: Server) -> Screen:
    for action in ("pause", "unpause", "stop", "approve"):
        server.answer(f"POST /v1/runs/{RUN}/{action}", Answer({"run_id": RUN}, status=202))
    server.answer(f"POST /v1/runs/{RUN}/steer", Answer({"run_id": RUN, "step": 7, "note": ""}, status=202))
    server.answer(f"POST /v1/runs/{RUN}/top-up", Answer({"run_id": RUN, "limits": LIMITS}, status=202))
    server.answer(f"POST /v1/runs/{RUN}/cancel", Answer({"run_id": RUN, "worker": "not polling"}, status=202))
    server.answer(f"GET /v1/runs/{RUN}", stands("running", hold=None), stands("running", hold={"reason": "pause"}))
    return Screen(server)


def test_p_pauses_and_continues(screen: Screen) -> None:
    assert screen.press("p").startswith("paused: ")
    assert screen.press("P") == "continued"
    assert screen.sent == [("pause", {}), ("unpause", {})]


def test_a_line_is_typed_mended_and_sent(screen: Screen) -> None:
    assert screen.press(*"s", *"enoughh", "\x7f") == ""
    assert screen.typed == "stop the run; why? (Enter: stop, Esc: keep running): enough▏"
    assert screen.press("\r") == "stopped: the run is going to its report now"
    assert screen.sent == [("stop", {"reason": "enough"})]
    assert "stop" not in screen.typed


def test_escape_takes_a_line_back_and_arrows_mean_nothing(screen: Screen) -> None:
    assert screen.press("s", "\x1b[A", "x\x1bOB", "\x1b", "\x1b[3~", "x") == ""
    assert screen.sent == []


def test_more_keys_ask_for_more(screen: Screen) -> None:
    assert (
        screen.press("t1.5 usd\r")
        == "added: the run may now spend tokens 150,000, seconds 600.0, iterations 5, steps 200"
    )
    assert screen.press("ilook at costs\r") == "sent: step 7"
    assert screen.press("i\r") == ""
    assert screen.press("a") == "approved"
    assert screen.press("?") == HELP
    assert screen.sent == [("top-up", {"cost_usd": 1.5}), ("steer", {"instruction": "look at costs"}), ("approve", {})]


@pytest.mark.parametrize(("answer", "sent"), [("y", 1), ("yes", 1), ("n", 0), ("", 0), ("yep", 0)])
def test_a_cancellation_is_confirmed(answer: str, sent: int, screen: Screen) -> None:
    said = screen.press(f"c{answer}\r")
    assert len(screen.sent) == sent
    assert said == ("cancelled, but no worker is running: it ends without a report when one is" if sent else "")


def test_a_refusal_is_shown_with_its_reason(screen: Screen, server: Server) -> None:
    server.answer(f"POST /v1/runs/{RUN}/approve", problem(409, "The run refuses this now", "no plan waits"))
    assert screen.press("a") == "not done: The run refuses this now: no plan waits"


@pytest.mark.parametrize(
    ("amount", "body"),
    [
        ("50000", {"tokens": 50_000}),
        ("50,000 tokens", {"tokens": 50_000}),
        ("1.5 usd", {"cost_usd": 1.5}),
        ("$2", {"cost_usd": 2.0}),
        ("600 Seconds", {"seconds": 600.0}),
        ("3iterations", {"iterations": 3}),
        ("20 steps", {"steps": 20}),
    ],
)
def test_an_amount_is_read(amount: str, body: JsonObject) -> None:
    assert parse_top_up(amount) == body


@pytest.mark.parametrize("amount", ["", "much", "-5", "5 apples", "1.5 tokens", "1e9", "5 5", "$"])
def test_what_is_no_amount_is_refused(amount: str) -> None:
    with pytest.raises(Failed, match="is no amount"):
        parse_top_up(amount)


def test_the_commands_ask_the_same(server: Server, screen: Screen, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("pause", RUN, "--reason", "lunch") == Exit.OK
    assert run("unpause", RUN) == Exit.OK
    assert run("cancel", RUN, "--yes", "--reason", "wrong") == Exit.OK
    assert screen.sent == [("pause", {"reason": "lunch"}), ("unpause", {}), ("cancel", {"reason": "wrong"})]
    said = capsys.readouterr().out
    assert f"`elcano unpause {RUN}` continues it" in said
    assert "no worker is running" in said


def test_cancelling_wants_a_yes(
    server: Server, screen: Screen, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("cancel", RUN) == Exit.BAD_INPUT
    assert "add --yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", _no)
    assert run("cancel", RUN) == Exit.BAD_INPUT
    assert "nothing was cancelled" in capsys.readouterr().err
    assert screen.sent == []


def _no(text: str, **_: object) -> bool:
    return False
