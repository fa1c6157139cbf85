"""Records in the heartbeat which parts of a long report are finished, so that an attempt after a crash resumes."""

from elcano.graphs.frozen import Frozen


class WrittenSection(Frozen):
    """One finished section, or a part of one, as a heartbeat names it."""

    artifact: str
    """Content hash of its `SectionText`."""
    model: str = ""
    quoted: bool = False
    left_out: int = 0
    """Statements of its draft that were too much for its model."""
    parts: int = 1
    """How many parts its section is written in; of one of them this is what was written."""


class Progress(Frozen):
    """The finished sections and parts, in the order of those that have a draft. Serialized: new fields get defaults."""

    sections: tuple[WrittenSection, ...] = ()
