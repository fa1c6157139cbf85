"""How figures read."""

import pytest

from elcano.api.http.request_guards import is_own_path
from elcano.doors.page.formats import (
    choose_tone,
    describe_ending,
    describe_status,
    drop_node,
    format_dollars,
    format_duration,
    format_tokens,
)
from elcano.doors.page.rendering import _open_templates
from elcano.doors.page.usage_page import name_group
from elcano.graphs.engine.routing import out_of


@pytest.mark.parametrize(
    ("tokens", "text"),
    [(None, "—"), (0, "0"), (840, "840"), (12_400, "12.4k"), (12_000, "12k"), (150_000, "150k"), (1_200_000, "1.2M")],
)
def test_tokens(tokens: int | None, text: str) -> None:
    assert format_tokens(tokens) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "—"),
        (0, "0 s"),
        (1.84, "1.8 s"),
        (42, "42 s"),
        (185, "3 min 5 s"),
        (7_800, "2 h 10 min"),
        (86_400, "1 d"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert format_duration(seconds) == text


def test_money_of_less_than_ten_cents_has_four_digits() -> None:
    assert [format_dollars(amount) for amount in (None, 0, 0.0078, 0.5, 1_234.5)] == [
        "—",
        "$0.00",
        "$0.0078",
        "$0.50",
        "$1,234.50",
    ]


def test_a_run_is_told_by_its_stage_while_it_works() -> None:
    waiting = {"status": "running", "stage": "approval"}
    assert (describe_status(waiting), choose_tone(waiting)) == ("Waiting for approval", "wait")
    unknown = {"status": "running", "stage": None}
    blocked = {"status": "running", "stage": "researching", "blocked": "it is paused"}
    assert (describe_status(blocked), choose_tone(blocked)) == ("Blocked", "wait")
    assert (describe_status(unknown), choose_tone(unknown)) == ("Running", "live")
    assert choose_tone({"status": "completed", "stage": None}) == "good"


@pytest.mark.parametrize("path", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:0", ""])
def test_signing_in_leads_nowhere_else(path: str) -> None:
    assert not is_own_path(path)
    assert is_own_path("/runs?status=failed")


@pytest.mark.parametrize(
    ("by", "row", "name"),
    [
        ("key", {"key": "k1"}, "Juan"),
        ("key", {"key": "k2"}, "k2"),
        ("key", {"key": ""}, "Without a key"),
        ("model", {}, "Without a model"),
        ("day", {"day": "2026-11-26"}, "2026-11-26"),
    ],
)
def test_groups_of_usage(by: str, row: dict[str, str], name: str) -> None:
    assert name_group(row, by, {"k1": "Juan"}) == name


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        ("running", "tokens", "Ending early (tokens)"),
        ("partial", "node_failed", "Ended early (node failed)"),
        ("running", "sections", "Incomplete"),
    ],
)
def test_endings(status: str, kind: str, words: str) -> None:
    assert describe_ending({"status": status, "ending": {"kind": kind}}) == words


def test_a_text_is_cut_where_its_place_ends() -> None:
    """By itself Jinja leaves five characters more, which do not fit into a box of the graph."""
    shown = _open_templates().from_string("{{ text | truncate(24, true, '…') }}").render(text="x" * 25)
    assert shown == "x" * 23 + "…"


def test_a_run_that_waits_for_budget_says_so_and_names_no_node() -> None:
    held = {"status": "running", "stage": "paused", "hold": {"reason": "budget"}}
    assert describe_status(held) == "Out of budget"
    assert describe_status({**held, "hold": {"reason": "pause"}}) == "Paused"
    assert describe_status({**held, "stage": "held", "hold": {"reason": "provider"}}) == "Waiting for a provider"
    assert describe_status({**held, "stage": "researching", "hold": {"reason": "provider"}}) == "Researching"
    ending = out_of("tokens", "knowledge_gap")
    assert drop_node(ending.detail) == "the budget of tokens does not allow another step"
