"""How a run is shown on a terminal while it works."""

import io
import re

from rich.console import Console
from rich.live import Live

from cli.live import Moving, budget_line, display
from graphs.events import AgentEvent, EventType
from graphs.frozen import JsonObject


def test_the_budget_line_shows_the_limits_that_there_are() -> None:
    gauges: JsonObject = {
        "exceeded": False,
        "tokens": {"limit": 100_000, "used": 31_000, "remaining": 69_000},
        "cost_usd": {"limit": None, "used": 0.0, "remaining": None},
        "seconds": {"limit": 600.0, "used": 41.7, "remaining": 558.3},
        "iterations": {"limit": 5, "used": 2, "remaining": 3},
    }
    assert budget_line(gauges) == "tokens 31,000 of 100,000 · seconds 42 of 600 · iteration 2 of 5"
    assert budget_line({}) == ""


def test_a_terminal_keeps_the_results_and_shows_what_runs_now() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100)
    gauges: JsonObject = {"tokens": {"limit": 100_000, "used": 31_000}}
    told: list[tuple[EventType, str]] = [
        ("started", "Research [started]"),
        ("thinking", "Thinking hard"),
        ("looping", "Iteration 2 of at most 5"),
        ("judging", "Judging now"),
        ("complete", "Done"),
    ]
    with display(console, lambda: gauges) as shown:
        for seq, (type, message) in enumerate(told, start=1):
            shown.show(AgentEvent(seq=seq, type=type, message=message, at=0.0, step=0, iteration=0))
            console.file.flush()
        shown.say("the stream broke off")
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", written.getvalue())
    for kept in ("Research [started]", "Iteration 2 of at most 5", "Done", "the stream broke off"):
        assert f"{kept}\n" in re.sub(r" +\n", "\n", text)
    assert "tokens 31,000 of 100,000" in text


def test_a_terminal_shows_open_sections_side_by_side_and_how_they_ended() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, height=40)

    def told(seq: int, type: EventType, message: str, section: str = "", **data: object) -> AgentEvent:
        place = {"path": f"0004.{section}", "section": section} if section else {}
        fields = {"seq": seq, "type": type, "message": message, "at": 0.0, "step": 0, "iteration": 0, "data": data}
        return AgentEvent.model_validate({**fields, **place})

    def since(position: int) -> str:
        console.file.flush()
        return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", written.getvalue()[position:])

    with Live(console=console, auto_refresh=False, transient=True) as live:
        shown = Moving(live, dict)
        shown.show(told(1, "branch_started", "History: research begins", "History"))
        shown.show(told(2, "branch_started", "Costs: research begins", "Costs"))
        shown.show(told(2, "searching", "Looking at 1995", "History"))
        place = len(written.getvalue())
        shown.show(told(3, "search_complete", "4 passages", "Costs"))
        live.refresh()
        side_by_side = since(place)
        assert "[History] Looking at 1995" in side_by_side
        assert "[Costs] 4 passages" in side_by_side
        shown.show(told(3, "branch_complete", "History: drafted", "History", status="drafted"))
        shown.show(told(4, "branch_complete", "Costs: no section, it failed", "Costs", status="gap"))
        shown.show(told(5, "branch_complete", "Method: no source answers it", "Method", status="unanswered"))
        shown.show(told(6, "branch_complete", "Figures: done, 4 passages", "Figures", status="done"))
        place = len(written.getvalue())
        live.refresh()
        assert "Costs" not in since(place)
    text = since(0)
    assert "✓ History: drafted" in text
    assert "✗ Costs: no section, it failed" in text
    assert "○ Method: no source answers it" in text
    assert "✓ Figures: done, 4 passages" in text
