"""How a run is shown on a terminal while it works."""

import io
import re
import threading
from datetime import UTC, datetime

import pytest
from rich.console import Console

from elcano.cli import live
from elcano.cli.exit_codes import Exit, Failed
from elcano.cli.live import LIVE_LINES, LiveDisplay, PlainDisplay, format_budget, open_display
from elcano.client.models import AgentEvent
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.events import EventType

EPOCH = datetime.fromtimestamp(0, UTC)


def test_the_format_budget_shows_the_limits_that_there_are() -> None:
    budget: JsonObject = {
        "exceeded": False,
        "limits": {"tokens": 100_000, "cost_usd": None, "seconds": 600.0, "iterations": 5},
        "used": {"tokens": 31_000, "cost_usd": 0.0, "seconds": 41.7, "iterations": 2},
    }
    assert format_budget({"budget": budget}) == "tokens 31,000 of 100,000 · seconds 42 of 600 · iteration 2 of 5"
    assert format_budget({}) == ""


def test_the_iterations_of_a_run_whose_sections_count_their_own_are_not_shown() -> None:
    budget: JsonObject = {"limits": {"tokens": 200_000, "iterations": 5}, "used": {"tokens": 9_509, "iterations": 1}}
    run: JsonObject = {"budget": budget, "branches": [{"title": "Costs"}]}
    assert format_budget(run) == "tokens 9,509 of 200,000"
    run |= {"sections": {"open": 2, "ended": 1, "iterations": 6, "steps": 34, "evidence": 1}}
    shown = "tokens 9,509 of 200,000 · 1 of 3 sections ended · 6 rounds · 34 steps · 1 passage"
    assert format_budget(run) == shown


def test_figures_from_before_the_run_began_are_not_shown_as_those_of_now() -> None:
    assert format_budget({"budget": {"limits": {"tokens": 200_000}, "used": {"tokens": 0}}, "stale": True}) == ""


def test_the_format_budget_follows_the_server_without_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "ASK_SECONDS", 0.0)
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    seen = [threading.Event() for _ in range(4)]
    asked = iter(range(1_000_000))

    def ask() -> JsonObject:
        turn = next(asked)
        if turn < len(seen):
            seen[turn].set()
        if turn == 1:
            raise Failed("no answer", Exit.NOT_REACHABLE)
        return {"budget": {"limits": {"tokens": 100}, "used": {"tokens": turn}}}

    with open_display(console, ask) as shown:
        for turn in seen:
            assert turn.wait(60)
        assert isinstance(shown, LiveDisplay)
        assert "of 100" in text_of(shown)


def test_the_page_in_the_temporal_ui_is_named_once() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    shown = LiveDisplay(console)
    for run in (
        {},
        {"links": {"temporal_ui": "http://ui.test/run-1"}},
        {},
        {"links": {"temporal_ui": "http://ui.test/run-1"}},
    ):
        shown.update_run(run)  # type: ignore[arg-type]
    assert console.file.getvalue().count("http://ui.test/run-1") == 1  # type: ignore[attr-defined]


def text_of(shown: LiveDisplay) -> str:
    """What its moving lines say."""
    written = Console(file=io.StringIO(), width=100)
    with written.capture() as captured:
        written.print(shown.render())
    return captured.get()


def test_a_terminal_keeps_the_results_and_shows_what_runs_now() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100)
    told: list[tuple[EventType, str]] = [
        ("started", "Research [started]"),
        ("thinking", "Thinking hard"),
        ("looping", "Iteration 2 of at most 5"),
        ("judging", "Judging now"),
        ("complete", "Done"),
    ]
    with open_display(console, dict) as shown:
        for seq, (type, message) in enumerate(told, start=1):
            shown.show(AgentEvent(seq=seq, type=type, message=message, at=EPOCH, step=0, iteration=0))
            console.file.flush()
        shown.say("the stream broke off")
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", written.getvalue())
    for kept in ("Research [started]", "Iteration 2 of at most 5", "Done", "the stream broke off"):
        assert f"{kept}\n" in re.sub(r" +\n", "\n", text)


def test_a_managers_word_and_hypotheses_are_kept_though_they_are_told_by_the_type_of_their_beginning() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100)
    told: list[tuple[EventType, str, JsonObject]] = [
        ("judging", "how it stands", {}),
        ("judging", "Next: searcher: find the price", {"next_speaker": "searcher"}),
        ("hypothesizing", "what may be so", {}),
        ("hypothesizing", "2 hypotheses", {"hypotheses": []}),
    ]
    with open_display(console, dict) as shown:
        for seq, (type, message, data) in enumerate(told, start=1):
            shown.show(
                AgentEvent(
                    seq=seq,
                    type=type,
                    message=message,
                    at=EPOCH,
                    step=0,
                    iteration=0,
                    data=data,
                )
            )
    text = re.sub(r" +\n", "\n", re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", written.getvalue()))
    assert "Next: searcher: find the price\n" in text
    assert "2 hypotheses\n" in text


def test_a_terminal_shows_open_sections_side_by_side_and_how_they_ended() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, height=40)

    def told(seq: int, type: EventType, message: str, section: str = "", **data: object) -> AgentEvent:
        place = {"path": f"0004.{section}", "section": section} if section else {}
        fields = {"seq": seq, "type": type, "message": message, "at": 0.0, "step": 0, "iteration": 0, "data": data}
        return AgentEvent.model_validate({**fields, **place})

    shown = LiveDisplay(console)
    shown.show(told(1, "branch_started", "History: research begins", "History"))
    shown.show(told(2, "branch_started", "Costs: research begins", "Costs"))
    shown.show(told(2, "searching", "Looking at 1995", "History"))
    shown.show(told(3, "search_complete", "4 passages", "Costs"))
    shown.update_run({"budget": {"limits": {"tokens": 100_000}, "used": {"tokens": 31_000}}})
    side_by_side = text_of(shown)
    assert "[History] Looking at 1995" in side_by_side
    assert "[Costs] 4 passages" in side_by_side
    assert "tokens 31,000 of 100,000" in side_by_side
    shown.show(told(3, "branch_complete", "History: drafted", "History", status="drafted"))
    shown.show(told(4, "branch_complete", "Costs: no section, it failed", "Costs", status="gap"))
    shown.show(told(5, "branch_complete", "Method: no source answers it", "Method", status="unanswered"))
    shown.show(told(6, "branch_complete", "Figures: done, 4 passages", "Figures", status="done"))
    assert "Costs" not in text_of(shown)
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", written.getvalue())
    assert "✓ History: drafted" in text
    assert "✗ Costs: no section, it failed" in text
    assert "○ Method: no source answers it" in text
    assert "✓ Figures: done, 4 passages" in text


def test_a_line_names_its_section_once() -> None:
    written = io.StringIO()
    begun = {"type": "branch_started", "message": "Costs: research begins"}
    for told in (begun, {"type": "searching", "message": "Looking at 1995"}):
        place = {"seq": 1, "at": 0.0, "step": 0, "iteration": 0, "path": "0004.1", "section": "Costs"}
        PlainDisplay(Console(file=written, width=100)).show(AgentEvent.model_validate({**told, **place}))
    begins, looks = (line.partition(" ")[2] for line in written.getvalue().splitlines())
    assert begins == "branch_started: Costs: research begins"
    assert looks == "[Costs] searching: Looking at 1995"


def words(text: str, path: str = "", characters: int = 0) -> JsonObject:
    return {"node": "writer", "step": 4, "attempt": 1, "text": text, "characters": characters, "path": path}


def test_the_end_of_what_is_written_grows_and_goes() -> None:
    shown = LiveDisplay(Console(file=io.StringIO(), force_terminal=True, width=40, height=40))
    shown.write(words("# The harbour\n\nIt froze in the winter of"))
    assert "  # The harbour\n  It froze in the winter of\n" in re.sub(r" +\n", "\n", text_of(shown))
    shown.write(words("\n\n".join(f"Claim {number} is one of many." for number in range(50))))
    assert "Claim 43" not in text_of(shown)
    assert all(f"Claim {number} is" in text_of(shown) for number in range(44, 50))
    shown.write(words(""))
    assert "Claim" not in text_of(shown)


def test_a_section_shows_one_line_of_what_it_writes_until_it_is_complete() -> None:
    shown = LiveDisplay(Console(file=io.StringIO(), force_terminal=True, width=40, height=40))
    started = {"seq": 1, "type": "branch_started", "message": "Costs: begins", "at": 0.0, "step": 0, "iteration": 0}
    shown.show(AgentEvent.model_validate({**started, "path": "0004.costs", "section": "Costs"}))
    shown.write(words("First line.\nLast line.", path="0004.costs"))
    shown.write(words("Of the run itself."))
    assert "Last line." in text_of(shown)
    assert "First line." not in text_of(shown)
    ended = {**started, "type": "branch_complete", "data": {"status": "drafted"}}
    shown.show(AgentEvent.model_validate({**ended, "path": "0004.costs", "section": "Costs"}))
    assert "Last line." not in text_of(shown)
    assert "Of the run itself." in text_of(shown)
    shown.write({})
    assert "Of the run itself." not in text_of(shown)


def test_a_text_cannot_command_the_terminal() -> None:
    shown = LiveDisplay(Console(file=io.StringIO(), force_terminal=True, width=100, height=40))
    shown.write(words("a\x1b[2Jb\x07c\x9b1md\u202ee [bold]f[/bold]\r\x00"))
    assert "a[2Jbc1mde [bold]f[/bold]\n" in re.sub(r" +\n", "\n", text_of(shown))


@pytest.mark.parametrize("text", ["x" * 2_000, "字" * 2_000, "\n" * 2_000, " \n \t" * 500, "🧊‍🧊" * 300, "\u2028" * 9])
@pytest.mark.parametrize("width", [1, 2, 5, 80])
def test_any_text_fits_into_any_terminal(text: str, width: int) -> None:
    shown = LiveDisplay(Console(file=io.StringIO(), force_terminal=True, width=width, height=40))
    shown.write(words(text))
    written = Console(file=io.StringIO(), width=width)
    with written.capture() as captured:
        written.print(shown.render())
    assert len(captured.get().splitlines()) <= 2 + LIVE_LINES
