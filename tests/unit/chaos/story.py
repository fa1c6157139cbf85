"""A short run in records, with nothing wrong: faults are planted into copies of it."""

from typing import Final

from elcano.graphs.state.budget import Usage
from elcano.storage.ledger import LedgerEntry
from tests.chaos.storm.notes import Note
from tests.chaos.storm.records import Applied, Completed, Heard, Left, Played, Transcript
from tests.chaos.storm.schedule import Plan, Script

SCRIPT: Final = Script(mode="deep", use_graph=True, turns=2, sections=1)
QUESTION: Final = SCRIPT.question
TOKENS: Final = 3_100


def heard(at: float, event: str, seq: int, path: str = "") -> Heard:
    """One event; a section's path is told by the events of its run that begin and end it."""
    return Heard(at=at, event=event, id=str(seq), data={"seq": seq, "path": path, "type": event, "at": at})


STREAM: Final = (
    heard(1.0, "started", 1),
    heard(2.0, "branch_started", 2, "0002.loop-1"),
    heard(3.0, "thinking", 2, "0002.loop-1"),
    heard(4.0, "judging", 3, "0002.loop-1"),
    heard(5.0, "branch_complete", 3, "0002.loop-1"),
    heard(6.0, "complete", 4),
)

PLANNED: Final = Completed(run_id="run-1", step=1, agent="planner", question=QUESTION, iteration=1, at=1.9)
JUDGED: Final = Completed(run_id="run-1.0002.loop-1", step=2, agent="judge", question="Part 1?", iteration=1, at=4.5)


def notes(number: int, agent: str, question: str, at: float) -> tuple[Note, Note]:
    """A request and its answer a tenth of a second later."""
    asked = Note(
        what="asked",
        at=at,
        request=f"request-{number}",
        run="chaos-1-1",
        number=number,
        agent=agent,
        question=question,
        iteration=1,
        prompt=f"{agent} {question}",
    )
    return asked, asked.model_copy(update={"what": "answered", "at": at + 0.1, "tokens": TOKENS})


def line(node: str, step: int, at: float, *, attempt: int = 1, run_id: str = "run-1") -> LedgerEntry:
    """A completed attempt."""
    return LedgerEntry(
        run_id=run_id,
        execution="first",
        activity=f"{step:04d}-{node}",
        step=step,
        attempt=attempt,
        node=node,
        kind="agent",
        name=node,
        usage=Usage(requests=1, input_tokens=TOKENS),
        at=at,
    )


LEFT: Final = Left(
    status="completed",
    markdown="# The log\n",
    evidence=("harbour", "island"),
    archive=STREAM,
    charged=2 * TOKENS,
    noted=2 * TOKENS,
)
RUN: Final = Played(
    plan=Plan(seed=1, number=1, script=SCRIPT),
    run_id="run-1",
    began=0.5,
    ended=6.5,
    transcripts=(
        Transcript(client="steady", heard=STREAM, connections=1),
        Transcript(client="restless", heard=STREAM, connections=4),
    ),
    completed=(PLANNED, JUDGED),
    ledger=(line("planner", 1, 1.8), line("judge", 1, 4.4, run_id="run-1.0002.loop-1")),
    notes=(*notes(1, "planner", QUESTION, 1.5), *notes(2, "judge", "Part 1?", 4.0)),
    left=LEFT,
)
KILLED: Final = Applied(run="chaos-1-1", target="worker", how="kill", began=4.2, ended=4.3)
"""While the judge was being asked."""
