"""What is wrong with a run: pure functions over records, each of which is shown a planted fault in its tests.

An attempt that was cut off may be made again: a call that was under way when something was killed or stopped, once for
each of these. A call whose result the Temporal server had is never made again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from elcano.graphs.values.events import TERMINAL
from tests.chaos.storm.notes import Note
from tests.chaos.storm.records import Again, Applied, Completed, Heard, Left, Place, Played
from tests.chaos.storm.schedule import WishKind

AFTERMATH: Final = 25.0
"""Seconds after a disturbance in which calls that it cut off are made again: the heartbeat's timeout, the pause before
the next try, and a worker that begins."""
LONG_WRITER: Final = "long_writer"
SECTION_WRITER: Final = "writer"
SAME: Final = ("none", "top-up", "pause", "resume", "rollback", "fork")
"""Wishes that leave the report as the twin has it."""
SMALLEST: Final = 1e-3


class Finding(NamedTuple):
    """Something that is wrong."""

    kind: str
    """`lost`, `different`, `repeated`, `events`, `books`, `folds` or `answers`."""
    run: str
    text: str


class Repeats(NamedTuple):
    """Requests that were made again although they had been answered."""

    in_flight: int
    """Each explained by a disturbance while the call was under way."""
    completed: tuple[str, ...]
    """Of calls whose result the server had."""
    unexplained: tuple[str, ...]


def findings(run: Played, twin: Played, applied: Sequence[Applied]) -> list[Finding]:
    """Everything that is wrong with a run."""
    found = [("lost", text) for text in lost(run)]
    found += [("events", text) for text in events(run)]
    found += [("answers", text) for text in answers(run)]
    if run.left is not None and twin.left is not None:
        found += [("different", text) for text in different(run, run.left, twin.left)]
        found += [("folds", text) for text in run.left.unfolded]
        found += [("books", text) for text in books(run, run.left)]
    repeats = repeated(run, applied)
    found += [("repeated", text) for text in (*repeats.completed, *repeats.unexplained)]
    found += [("repeated", text) for text in (*done_again(run, applied), *paid_again(run))]
    return [Finding(kind, f"{run.plan.name} ({run.run_id})", text) for kind, text in found]


def lost(run: Played) -> Iterator[str]:
    """A run that never ended, or that nobody can read."""
    if run.ended is None:
        yield "it is stuck: a client did not hear of its end"
    elif run.left is None:
        yield "it told its end and is not archived"


def answers(run: Played) -> Iterator[str]:
    """What clients were told that no disturbance excuses."""
    for transcript in run.transcripts:
        yield from transcript.wrong
    for request in run.requests:
        if request.status >= 300 and request.status != 409:
            yield f"{request.action} was answered {request.status}: {request.body}"


def different(run: Played, left: Left, twin: Left) -> Iterator[str]:
    """What a run left that its twin did not, as far as what was asked of it allows.

    The same report, evidence and status, but: one that was stopped may have found less, and says that it was; a
    cancelled one has no report; one that was steered has a report whose citations hold.
    """
    kind = _done(run)
    if kind in SAME:
        for name in ("status", "markdown", "evidence"):
            if getattr(left, name) != getattr(twin, name):
                yield f"its {name} is {_short(getattr(left, name))}, and its twin's {_short(getattr(twin, name))}"
        return
    if left.unverified:
        yield f"{left.unverified} citations do not hold"
    if kind != "steer" and (strange := set(left.evidence) - set(twin.evidence)):
        yield f"it found what its twin did not: {sorted(strange)}"
    allowed = {"stop": {"stopped", twin.status}, "cancel": {"cancelled"}}
    if left.status not in allowed.get(kind, {"completed", "unanswered", "partial"}):
        yield f"it was asked to {kind} and is {left.status}"
    if (left.markdown == "") != (kind == "cancel"):
        yield "it has a report" if left.markdown else "it has no report"


def _done(run: Played) -> WishKind:
    """What of its wish came about."""
    kind = run.plan.wish.kind
    if kind == "resume" and not run.asked("resume"):
        kind = "stop"
    return kind if run.asked(kind) else "none"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 2_000 else f"{text[:2_000]}..."


def events(run: Played) -> Iterator[str]:
    """Events that a client missed or heard twice, and streams that do not tell the same."""
    archive = _story(run.left.archive) if run.left is not None else None
    for transcript in run.transcripts:
        heard = [one for one in transcript.heard if one.id is not None]
        places = Counter(one.place for one in heard)
        if doubled := [place for place, count in places.items() if count > 1]:
            yield f"{transcript.client} heard twice: {doubled}"
        yield from (f"{transcript.client} {text}" for text in _gaps(places))
        if not _rising(heard):
            yield f"{transcript.client} heard numbers of one path that do not rise"
        if archive is not None and (story := _story(heard)) != archive:
            differing = sorted(
                place for place in story.keys() | archive.keys() if story.get(place) != archive.get(place)
            )
            yield f"{transcript.client} heard other events than the archive has at {differing}"
    if run.left is not None:
        yield from (f"the archive {text}" for text in _gaps(Counter(one.place for one in run.left.archive)))
        if [one.ends for one in run.left.archive].count(True) != 1 or not run.left.archive[-1].ends:
            yield "the archive does not end with its one terminal event"


def retimed(run: Played) -> int:
    """Events that a client was told with another time than the archive has.

    Nobody missed any: a query that comes before the task that an activity's end brought about is answered with what
    that end leads to, at the time of the task before.
    """
    kept = {one.place: one.data["at"] for one in run.left.archive} if run.left is not None else {}
    told = {(one.place, one.data["at"]) for each in run.transcripts for one in each.heard if one.id is not None}
    return sum(place in kept and kept[place] != at for place, at in told)


def _gaps(places: Counter[Place]) -> Iterator[str]:
    """Each path is numbered from its first event without gaps; a section's first one is told by its run."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for place in places:
        numbers[place.path].append(place.seq)
    for path, found in numbers.items():
        first = 2 if path else 1
        if missing := sorted(set(range(first, max(found) + 1)) - set(found)):
            yield f"misses of {path or 'the run'}: {missing}"


def _rising(heard: Sequence[Heard]) -> bool:
    last: dict[str, int] = {}
    for one in heard:
        if one.place.seq < last.get(one.place.path, 0):
            return False
        last[one.place.path] = one.place.seq
    return True


def _story(heard: Sequence[Heard]) -> dict[Place, object]:
    """What is told at each place. An end that was not the last is told by another type once the run went on."""
    return {
        one.place: {
            name: value for name, value in one.data.items() if name != "type" or value not in (*TERMINAL, "ended")
        }
        for one in heard
        if one.id is not None
    }


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
        if _is_of(note, call) and call.at + SMALLEST < note.at and not undone:
            return call
    return None


def _undoes(again: Again, call: Completed, run: Played) -> bool:
    within = call.run_id != run.run_id
    return call.step >= again.step and (not within or again.sections or call.agent == SECTION_WRITER)


def _is_of(note: Note, call: Completed) -> bool:
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
    return one.began < second and first < one.ended + AFTERMATH


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
        if note.what == "asked" and any(_is_of(note, call) for call in run.shared):
            yield f"{note.agent} of iteration {note.iteration}, {note.question!r}, is shared and was made again"


def books(run: Played, left: Left) -> Iterator[str]:
    """The budget, the ledger and the model say the same, but for answers that nobody lived to write down."""
    if left.charged != left.noted:
        yield f"its budget has {left.charged} tokens, and the ledger {left.noted}"
    written = sum(line.usage.tokens for line in run.ledger)
    given = sum(note.tokens for note in run.notes)
    unwritten = sum(_unwritten(run))
    if not written <= given <= written + unwritten:
        yield f"the ledger has {written} tokens, and the model gave {given}; {unwritten} of them may have been cut off"


def _unwritten(run: Played) -> Iterator[int]:
    """Tokens of answers that may be in no ledger: all but one to one request, and those to calls without a result."""
    answered: dict[tuple[str, str], list[Note]] = defaultdict(list)
    for note in run.notes:
        if note.what == "answered":
            answered[note.agent, note.prompt].append(note)
    for notes in answered.values():
        had = any(_is_of(note, call) for note in notes[:1] for call in run.completed)
        yield sum(note.tokens for note in (notes[1:] if had else notes))
