"""Workflow calls that read or correct the records of a run: the usage of its calls, and its record when it resumes.

Names and fields here are persisted in histories. New fields get defaults; nothing is renamed.
"""

from elcano.graphs.contracts import DiscardedWork
from elcano.graphs.frozen import Frozen
from elcano.graphs.values.tenant import RunScoped


class UsageQuestion(RunScoped):
    """Input of `read_usage`: what the ledger has of calls that could not say themselves what they used."""

    activity: str = ""
    """One activity of this execution; empty: the whole run with its branches."""


class ReopenCall(RunScoped):
    """Input of `reopen_run`: marks the run's record as resumed and strikes out what was undone."""

    step: int
    """Of a run that was reset in Temporal: it was taken back to before this step."""
    resumed: bool = False
    """It was not reset, but goes on in an execution of its own: what is undone is said here."""
    undone: tuple[DiscardedWork, ...] = ()
    kept: tuple[str, ...] = ()
    """Branches that stay as they are, though they were started in an undone step."""
    from_run: str = ""
    """Of a fork: whose evidence and drafts it has as well."""
    evidence: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()


class Reopened(Frozen):
    """Output of `reopen_run`."""

    told: int = 0
    """The highest event number that anybody can have seen before the reset."""
