"""What the scripted model notes of each request, in a file that outlives it: when it comes and when it is answered."""

import os
from pathlib import Path
from typing import Literal, TypeAlias

from elcano.graphs.frozen import Frozen

What: TypeAlias = Literal["asked", "answered", "disturbed", "gone"]
"""It came; it was answered as it should be; it was given a fault instead; whoever asked had hung up by then."""


class Note(Frozen):
    """One line."""

    what: What
    at: float
    """Seconds since the epoch."""
    request: str
    """Names the request."""
    run: str
    """The name of the model that was asked for: each run has one of its own."""
    number: int
    """Which request of its run it is, from 1."""
    agent: str = ""
    """The kind of its task envelope."""
    question: str = ""
    iteration: int = 0
    prompt: str = ""
    """A hash of the whole conversation."""
    fault: str = ""
    tokens: int = 0
    """That were answered for."""


def note(path: Path, line: Note) -> None:
    """Adds a line, whole."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line.model_dump_json().encode() + b"\n")
    finally:
        os.close(descriptor)


def read_notes(path: Path) -> list[Note]:
    """All whole lines so far."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [Note.model_validate_json(line) for line in text.split("\n")[:-1]]
