"""What is wrong with a run: pure functions over records, each of which is shown a planted fault in its tests."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.events import TERMINAL
from tests.chaos.storm.notes import Note
from tests.chaos.storm.records import Applied, Heard, Left, Place, Played
from tests.chaos.storm.repeats import done_again, is_of, paid_again, repeated
from tests.chaos.storm.schedule import WishKind
from tests.chaos.storm.tables import Way

SAME: Final = ("none", "top-up", "pause", "resume", "rollback", "fork")
"""Wishes that leave the report as the twin has it."""

EXCUSES: Final[Mapping[Way, str]] = {
    "paths": "is used up",
    "series": "it exceeded its limit",
    "writes": "it is unknown whether its write happened",
}
"""What a report may say that is not its twin's, by how its question goes: paths have so many seconds, models of a
forecast too, and a call that writes is never made again."""


class Finding(NamedTuple):
    """Something that is wrong."""

    kind: str
    """`lost`, `different`, `repeated`, `events`, `books`, `folds`, `certificates`, `answers` or `harm`."""
    run: str
    text: str


def findings(run: Played, twin: Played, applied: Sequence[Applied]) -> list[Finding]:
    """Everything that is wrong with a run."""
    found = [("lost", text) for text in lost(run)]
    found += [("events", text) for text in events(run)]
    found += [("answers", text) for text in answers(run)]
    if run.left is not None and twin.left is not None:
        found += [("different", text) for text in different(run, run.left, twin.left)]
        found += [("certificates", text) for text in run.left.uncertified]
        found += [("folds", text) for text in run.left.unfolded]
        found += [("books", text) for text in books(run, run.left)]
        found += [("lost", text) for text in run.left.unreachable]
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
    cancelled one has no report; one that was steered has a report whose citations hold. So has one that says itself
    what a disturbance took from it, where the product promises no more.
    """
    kind = _done(run)
    if kind in SAME and not (_excused(run, left) or _excused(run, twin)):
        for name in ("status", "markdown", "evidence"):
            if getattr(left, name) != getattr(twin, name):
                yield f"its {name} is {_short(getattr(left, name))}, and its twin's {_short(getattr(twin, name))}"
        return
    if left.unverified:
        yield f"{left.unverified} citations do not hold"
    strange = set(left.evidence) - set(twin.evidence)
    if strange and kind != "steer" and not _excused(run, twin):
        yield f"it found what its twin did not: {sorted(strange)}"
    allowed = {"stop": {"stopped", twin.status}, "cancel": {"cancelled"}}
    if left.status not in allowed.get(kind, {"completed", "unanswered", "partial"}):
        yield f"it was asked to {kind} and is {left.status}"
    if (left.markdown == "") != (kind == "cancel"):
        yield "it has a report" if left.markdown else "it has no report"


def _excused(run: Played, left: Left) -> bool:
    """Whether a report says itself what it lacks, of what its way may lack."""
    words = EXCUSES.get(run.plan.script.way) if run.plan.script.way else None
    return words is not None and words in left.markdown


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
    """What is told at each place, without when: see `retimed`.

    An end that was not the last is told by another type once the run went on.
    """
    return {one.place: _words(one.data) for one in heard if one.id is not None}


def _words(data: JsonObject) -> JsonObject:
    """What an event says, but for its time, and for its type if that is an end's."""
    ends = (*TERMINAL, "execution_ended")
    return {name: value for name, value in data.items() if name != "at" and not (name == "type" and value in ends)}


def books(run: Played, left: Left) -> Iterator[str]:
    """The budget, the ledger and the model say the same, but for answers that nobody lived to write down.

    What a call took that was cut off, and whose worker does not say, nobody knows: its budget has an estimate.
    """
    estimated = left.charged - left.noted
    if estimated < 0 or (estimated and not _is_cut_off_unheard(run)):
        yield f"its budget has {left.charged} tokens, and the ledger {left.noted}"
    written = sum(line.usage.tokens for line in run.ledger)
    given = sum(note.tokens for note in run.notes)
    unwritten = sum(_unwritten(run))
    if not written <= given <= written + unwritten:
        yield f"the ledger has {written} tokens, and the model gave {given}; {unwritten} of them may have been cut off"


def _is_cut_off_unheard(run: Played) -> bool:
    """Whether a request was never answered that was under way when its run was stopped or cancelled."""
    answered = {note.request for note in run.notes if note.what == "answered"}
    asked = [note.at for note in run.notes if note.what == "asked" and note.request not in answered]
    ends = [one.at for one in run.requests if one.accepted and one.action in ("stop", "cancel")]
    return any(at <= end for at in asked for end in ends)


def _unwritten(run: Played) -> Iterator[int]:
    """Tokens of answers that may be in no ledger: all but one to one request, and those to calls without a result.

    And those of a conversation that was begun anew.
    """
    answered: dict[tuple[str, str], list[Note]] = defaultdict(list)
    begun_anew = _begun_anew(run)
    for note in run.notes:
        if note.tokens:
            answered[note.agent, note.prompt].append(note)
    for notes in answered.values():
        had = any(is_of(note, call) for note in notes[:1] for call in run.completed)
        lost = [
            note for place, note in enumerate(notes) if place or not had or note.at < begun_anew.get(_call(note), 0.0)
        ]
        yield sum(note.tokens for note in lost)


def _begun_anew(run: Played) -> dict[tuple[str, int, str], float]:
    """When each call was begun last: whoever makes it again asks first what was asked first."""
    first: dict[tuple[str, int, str], str] = {}
    last: dict[tuple[str, int, str], float] = {}
    for note in run.notes:
        if note.what == "asked" and first.setdefault(_call(note), note.prompt) == note.prompt:
            last[_call(note)] = note.at
    return last


def _call(note: Note) -> tuple[str, int, str]:
    return note.agent, note.iteration, note.question
