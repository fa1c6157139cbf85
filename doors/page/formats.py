"""Formats of figures on the page: tokens, money, durations, and the words for states.

The words of the API stay what they are; these are what a person is shown in their place.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from elcano.graphs.spec.graph import MISSING

MINUTE: Final = 60
HOUR: Final = 3_600
DAY: Final = 86_400

STATUS_WORDS: Final[Mapping[str, str]] = {
    "running": "Running",
    "completed": "Completed",
    "partial": "Partial report",
    "unanswered": "Not answered",
    "stopped": "Stopped",
    "failed": "Failed",
    "cancelled": "Cancelled",
    "terminated": "Terminated",
}
STAGE_WORDS: Final[Mapping[str, str]] = {
    "researching": "Researching",
    "paused": "Paused",
    "held": "On hold",
    "approval": "Waiting for approval",
    "answers": "Waiting for answers",
    "writing": "Writing",
    "closed": "Closing",
}
HOLD_WORDS: Final[Mapping[str, str]] = {
    "budget": "Out of budget",
    "provider": "Waiting for a provider",
    "person": "Needs fixing",
    "store": "Waiting for the store",
}
STAGES_THAT_WAIT: Final = frozenset({"paused", "held", "approval", "answers"})
_REFUSED_NODE: Final = re.compile(r"(another step) \(\w+\)")
TONES: Final[Mapping[str, str]] = {
    "running": "live",
    "completed": "good",
    "partial": "warn",
    "unanswered": "warn",
    "stopped": "warn",
    "failed": "bad",
    "cancelled": "quiet",
    "terminated": "bad",
}


def format_count(number: float | None) -> str:
    """A whole number with thin groups: `12,400`; a dash if it is unknown."""
    return "—" if number is None else f"{number:,.0f}"


def count_things(number: int, thing: str) -> str:
    """`1 round`, `2 rounds`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def format_tokens(number: float | None) -> str:
    """Tokens as one reads them: `840`, `12.4k`, `1.2M`."""
    if number is None:
        return "—"
    if number < 1_000:
        return f"{number:.0f}"
    scaled, unit = (number / 1_000, "k") if number < 999_500 else (number / 1_000_000, "M")
    return f"{scaled:.{0 if scaled >= 100 else 1}f}{unit}".replace(".0", "")


def format_dollars(amount: float | None) -> str:
    """US dollars: two digits, and four where there are less than ten cents."""
    if amount is None:
        return "—"
    return f"${amount:,.{4 if 0 < amount < 0.1 else 2}f}"


def format_duration(seconds: float | None) -> str:
    """A duration in its two largest units: `42 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`."""
    if seconds is None:
        return "—"
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 ", " ")
    whole = round(seconds)
    for size, unit, smaller, small_unit in ((DAY, "d", HOUR, "h"), (HOUR, "h", MINUTE, "min"), (MINUTE, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit}" + (f" {rest} {small_unit}" if rest else "")
    return f"{whole} s"


def describe_status(run: Mapping[str, Any]) -> str:
    """Describe the status of a run in a few words: its stage, what it waits for, that it is blocked, or its end."""
    if run["status"] == "running" and run.get("blocked"):
        return "Blocked"
    if run["status"] == "running" and run.get("stage"):
        hold = run.get("hold") if run["stage"] in STAGES_THAT_WAIT else None
        return HOLD_WORDS.get((hold or {}).get("reason", "")) or STAGE_WORDS.get(run["stage"], run["stage"])
    return STATUS_WORDS.get(run["status"], run["status"])


def describe_ending(run: Mapping[str, Any]) -> str:
    """Return the suffix of a run's ending: that it ends before its time, or lacks a part in the end."""
    kind = run["ending"]["kind"]
    if kind in MISSING:
        return "Incomplete"
    return f"{'Ending' if run['status'] == 'running' else 'Ended'} early ({kind.replace('_', ' ')})"


def drop_node(detail: str) -> str:
    """Drop the node that a spent budget does not admit: the page of the steps names it."""
    return _REFUSED_NODE.sub(r"\1", detail)


def choose_tone(run: Mapping[str, Any]) -> str:
    """The colour of a run's status: `live`, `wait`, `good`, `warn`, `bad` or `quiet`."""
    if run["status"] == "running" and (run.get("blocked") or run.get("stage") in STAGES_THAT_WAIT):
        return "wait"
    return TONES.get(run["status"], "quiet")


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "count": format_count,
    "counted": count_things,
    "tokens": format_tokens,
    "dollars": format_dollars,
    "duration": format_duration,
    "status_word": describe_status,
    "ending_words": describe_ending,
    "without_node": drop_node,
    "tone": choose_tone,
}
"""The filters of templates."""
