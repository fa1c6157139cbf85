"""A provider is called in turn, left alone while it asks for it or fails, tried by single calls, and then as before."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.providers import (
    ERROR_CHARACTERS,
    FAILURES,
    FIRST_REST,
    LONGEST_ASKED,
    LONGEST_REST,
    LONGEST_TURN,
    TRIAL_LASTS,
    TRIAL_SECONDS,
    Backoff,
    Provider,
    Turn,
    adjust_to_clock,
    admit_provider_call,
    get_provider_state,
    looked_at,
    record_provider_answer,
    record_provider_failure,
)

NOW = 1_000_000.0


def opened(times: int = 1) -> Provider:
    """One that has failed until the breaker was opened so often; each time a trial failed at once."""
    provider, now = Provider(), NOW
    for _ in range(FAILURES):
        provider = record_provider_failure(provider, now, "HTTP 503", None)
    for _ in range(times - 1):
        now = provider.held_until
        provider = record_provider_failure(provider, now, "HTTP 503", None)
    return provider


@given(
    st.lists(st.floats(0.0, 3.0), min_size=1, max_size=80),
    st.sampled_from([0.3, 1.0, 3.0, 10.0]),
)
def test_turns_are_never_nearer_than_the_rate(gaps: list[float], per_second: float) -> None:
    provider, now, turns = Provider(), NOW, []
    for gap in gaps:
        now += gap
        provider, turn = admit_provider_call(provider, now, per_second)
        if isinstance(turn, Turn):
            turns.append(now + turn.seconds)
        else:
            assert turn.seconds > LONGEST_TURN
    assert all(later - one >= 1.0 / per_second - 1e-6 for one, later in pairwise(turns))
    assert turns[0] == NOW + gaps[0]


def test_a_worker_keeps_a_call_for_its_longest_turn_and_no_longer() -> None:
    for ahead, kept in ((LONGEST_TURN, Turn), (LONGEST_TURN + 1.0, Backoff)):
        waiting = Provider(next_turn=NOW + ahead)
        assert isinstance(admit_provider_call(waiting, NOW, 3.0)[1], kept)


def test_without_a_rate_all_go_at_once_and_nothing_is_kept() -> None:
    assert admit_provider_call(Provider(), NOW, None) == (Provider(), Turn())


def test_who_asks_to_wait_is_not_called_until_then_and_then_as_before() -> None:
    provider = record_provider_failure(Provider(), NOW, "HTTP 429", 5.0)
    assert get_provider_state(provider, NOW + 4.9) == "waiting"
    assert admit_provider_call(provider, NOW + 1.0, 3.0) == (provider, Backoff(seconds=4.0, why="HTTP 429"))
    assert get_provider_state(provider, NOW + 5.0) == "ready"
    assert isinstance(admit_provider_call(provider, NOW + 5.0, 3.0)[1], Turn)


def test_of_two_waits_the_longer_one_holds() -> None:
    provider = record_provider_failure(
        record_provider_failure(Provider(), NOW, "HTTP 429", 60.0), NOW + 1.0, "HTTP 429", 2.0
    )
    assert provider.held_until == NOW + 60.0


@pytest.mark.parametrize(("asked", "held"), [(1e9, LONGEST_ASKED), (float("inf"), LONGEST_ASKED)])
def test_nobody_is_left_alone_for_more_than_a_day(asked: float, held: float) -> None:
    assert record_provider_failure(Provider(), NOW, "HTTP 503", asked).held_until == NOW + held


def test_a_wait_of_nothing_is_a_failure_like_any_other() -> None:
    assert record_provider_failure(Provider(), NOW, "HTTP 503", 0.0).failures == 1


def test_only_failures_in_a_row_open_the_breaker() -> None:
    provider = Provider()
    for _ in range(FAILURES - 1):
        provider = record_provider_failure(provider, NOW, "HTTP 503", None)
    assert get_provider_state(provider, NOW) == "ready"
    again = record_provider_failure(record_provider_answer(provider, NOW), NOW, "HTTP 503", None)
    assert (get_provider_state(again, NOW), again.failures) == ("ready", 1)
    assert get_provider_state(record_provider_failure(provider, NOW, "HTTP 503", None), NOW) == "failing"


def test_each_rest_is_twice_as_long_up_to_five_minutes() -> None:
    rests, provider, now = [], opened(), NOW
    for _ in range(9):
        rests.append(provider.held_until - now)
        now = provider.held_until
        provider = record_provider_failure(provider, now, "HTTP 503", None)
    assert rests == [FIRST_REST * factor for factor in (1, 2, 4, 8, 16, 32)] + [LONGEST_REST] * 3
    assert provider.since == NOW


def test_calls_that_were_under_way_when_it_opened_make_nothing_longer() -> None:
    provider = opened()
    late = record_provider_failure(provider, NOW + 1.0, "HTTP 503", None)
    assert (late.held_until, late.openings, late.failures) == (provider.held_until, 1, FAILURES + 1)


def test_after_a_rest_one_call_at_a_time_tries() -> None:
    provider = opened()
    then = provider.held_until
    assert get_provider_state(provider, then) == "trial"
    tried, turn = admit_provider_call(provider, then, 100.0)
    assert turn == Turn()
    _, other = admit_provider_call(tried, then + 1.0, 100.0)
    assert isinstance(other, Backoff)
    assert other.seconds == TRIAL_SECONDS - 1.0
    assert "HTTP 503" in other.why
    assert admit_provider_call(tried, then + TRIAL_SECONDS, 100.0)[1] == Turn()


def test_the_first_answer_ends_it_and_nobody_waits_for_the_turns_of_a_trial() -> None:
    provider = opened(3)
    then = provider.held_until
    tried, _ = admit_provider_call(provider, then, 3.0)
    back = record_provider_answer(tried, then + 0.2)
    assert (get_provider_state(back, then + 0.2), back.failures, back.openings, back.since) == ("ready", 0, 0, 0.0)
    _, turn = admit_provider_call(back, then + 0.2, 3.0)
    assert isinstance(turn, Turn)
    assert turn.seconds <= 1.0
    assert back.error == "HTTP 503", "what it said last is still to be read"


def test_an_answer_does_not_end_what_it_asked_for() -> None:
    provider = record_provider_failure(
        record_provider_failure(Provider(), NOW, "HTTP 500", None), NOW, "HTTP 429", 60.0
    )
    still = record_provider_answer(provider, NOW + 1.0)
    assert (get_provider_state(still, NOW + 1.0), still.held_until, still.failures) == ("waiting", NOW + 60.0, 0)


def test_a_trial_that_nobody_makes_is_over_some_day_and_the_next_failure_opens_again() -> None:
    provider = opened()
    assert looked_at(provider, provider.held_until + TRIAL_LASTS - 1) == provider
    later = provider.held_until + TRIAL_LASTS + 1
    over = looked_at(provider, later)
    assert get_provider_state(over, later) == "ready"
    assert get_provider_state(record_provider_failure(over, later, "HTTP 503", None), later) == "failing"


def test_what_a_provider_says_is_cut() -> None:
    assert len(record_provider_failure(Provider(), NOW, "x" * 100_000, None).error) <= ERROR_CHARACTERS


@given(st.lists(st.tuples(st.sampled_from("af"), st.floats(0.0, 400.0)), max_size=60))
def test_whatever_happens_its_row_can_be_kept_and_it_is_tried_again_within_five_minutes(
    happened: list[tuple[str, float]],
) -> None:
    provider, now = Provider(), NOW
    for what, after in happened:
        now += after
        provider = (
            record_provider_answer(provider, now)
            if what == "a"
            else record_provider_failure(provider, now, "HTTP 503", None)
        )
        assert Provider.model_validate_json(provider.model_dump_json()) == provider
        assert provider.held_until - now <= LONGEST_REST
        if what == "a":
            assert get_provider_state(provider, now) == "ready"


HOUR = 3_600.0


def test_a_clock_that_is_set_back_makes_no_call_wait_for_the_former_time() -> None:
    failing = adjust_to_clock(opened(), NOW - HOUR)
    assert failing.held_until == NOW - HOUR + FIRST_REST
    assert get_provider_state(failing, NOW - HOUR + FIRST_REST) == "trial"
    asked = record_provider_failure(Provider(), NOW, "HTTP 429", 60.0)
    assert adjust_to_clock(asked, NOW - HOUR).held_until == NOW - HOUR + 60.0


@given(
    st.lists(st.tuples(st.floats(0.0, 400.0), st.sampled_from(["call", "answer", "503", "429"])), max_size=40),
    st.sampled_from([None, 0.02, 0.3, 10.0]),
)
def test_a_clock_that_is_not_set_back_changes_nothing(deeds: list[tuple[float, str]], per_second: float | None) -> None:
    provider, now = Provider(), NOW
    for gap, deed in deeds:
        now += gap
        if deed == "call":
            provider, _ = admit_provider_call(provider, now, per_second)
        elif deed == "answer":
            provider = record_provider_answer(provider, now)
        else:
            provider = record_provider_failure(provider, now, deed, 3_600.0 if deed == "429" else None)
        assert adjust_to_clock(provider, now) == provider
