"""A team that comes no further at first: its manager names nobody until it has planned anew."""

from elcano.graphs.frozen import JsonObject
from elcano.testing.script import Script, make_progress_ledger


def planning_twice() -> Script:
    """Three rounds of nobody, a reset, then a search, a judgement and the report."""
    script = Script()
    script.overrides["progress_ledger"] = _led
    return script


def _led(given: JsonObject) -> JsonObject:
    turn = given["iteration"]
    assert isinstance(turn, int)
    return make_progress_ledger("" if turn < 4 else {4: "searcher", 5: "judge"}.get(turn, "reporter"), f"round {turn}")
