"""Calls that were made again: which a disturbance explains, and which nothing may.

An attempt that was cut off may be made again: a call that was under way when something was killed or stopped, once for
each of these. A worker that stands still cuts nothing off. A call whose result the Temporal server had is never made
again, unless somebody took the run back.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tests.chaos.storm.notes import Note
from tests.chaos.storm.records import Again, Applied, Completed, Played

AFTERMATH: Final = 90.0
"""Seconds after a disturbance in which calls that it cut off are made again: the heartbeat's timeout or that of a
workflow task, the pause before the next try, and a worker that begins."""
LONG_WRITER: Final = "long_writer"
SECTION_WRITERS: Final = ("writer", "write_up")
"""Nodes that write what a section has found, at its end: whoever takes a stopped run back has it go on instead."""
SMALLEST: Final = 1e-3


class Repeats(NamedTuple):
    """Requests that were made again although they had been answered."""

    in_flight: int
    """Each explained by a disturbance while the call was under way."""
    completed: tuple[str, ...]
    """Of calls whose result the server had."""
    unexplained: tuple[str, ...]


def repeated(run: Played, applied: Sequence[Applied]) -> Repeats:
    """Requests to the model that were made again although an answer had been given."""
    asked: dict[tuple[str, str], list[Note]] = defaultdict(list)
    answered = {note.request for note in run.notes if note.what == "answered"}
    for note in sorted(run.notes, key=lambda note: note.at):
        if note.what == "asked":
            asked[note.agent, note.prompt].append(note)
    in_flight, completed, unexplained = 0, [], []
    for notes in asked.values():
        left = list(applied)
        for first, second in pairwise(notes):
            said = f"{second.agent} of iteration {second.iteration}, {second.question!r}, at {second.at:.3f}"
            if (before := _had(run, second)) is not None:
                completed.append(f"{said}: its result was there at {before.at:.3f}")
            elif first.request in answered:
                excuse = next((one for one in left if _cuts_off(one, first.at, second.at)), None)
                if excuse is not None:
                    left.remove(excuse)
                    in_flight += 1
                elif not _allowed_again(run, first.at, second.at):
                    unexplained.append(f"{said}: it had been answered at {first.at:.3f}, and nothing was disturbed")
    return Repeats(in_flight, tuple(completed), tuple(unexplained))


def _had(run: Played, note: Note) -> Completed | None:
    """The call that a request is of, if its result was there before and was not undone since."""
    for call in run.completed:
        undone = any(call.at < again.at < note.at and _undoes(again, call, run) for again in run.again)
        if is_of(note, call) and call.at + SMALLEST < note.at and not undone:
            return call
    return None


def _undoes(again: Again, call: Completed, run: Played) -> bool:
    within = call.run_id != run.run_id
    return call.step >= again.step and (not within or again.sections or call.node in SECTION_WRITERS)


def is_of(note: Note, call: Completed) -> bool:
    """Whether a request is one of a call's; the long writer makes several, of its sections and of the whole."""
    if call.agent == LONG_WRITER:
        return note.agent.startswith(LONG_WRITER)
    return (call.agent, call.question, call.iteration) == (note.agent, note.question, note.iteration)


def _allowed_again(run: Played, first: float, second: float) -> bool:
    return any(first < again.at < second for again in run.again) or any(
        request.accepted and first < request.at < second for request in run.requests
    )


def _cuts_off(one: Applied, first: float, second: float) -> bool:
    """Whether a disturbance can be why something was done again: it came in between, or lasted into that."""
    stall = one.target == "worker" and one.how == "stop"
    return not stall and one.began < second and first < one.ended + AFTERMATH


def done_again(run: Played, applied: Sequence[Applied]) -> Iterator[str]:
    """Activities that the ledger has completed more than once, beyond once for each disturbance meanwhile."""
    lines: dict[tuple[str, str, int, int, str], list[float]] = defaultdict(list)
    for line in run.ledger:
        if line.outcome == "completed" and not line.undone:
            lines[line.run_id, line.node, line.step, line.item, line.execution].append(line.at)
    for (run_id, node, step, item, _), times in lines.items():
        excuses = sum(_cuts_off(one, min(times), max(times)) for one in applied)
        if len(times) - 1 > excuses:
            yield f"{node} of step {step}, item {item}, of {run_id} was completed {len(times)} times"


def paid_again(run: Played) -> Iterator[str]:
    """Calls that a fork made although it shares them."""
    for note in run.notes:
        if note.what == "asked" and any(is_of(note, call) for call in run.shared):
            yield f"{note.agent} of iteration {note.iteration}, {note.question!r}, is shared and was made again"
