"""Every log that a run of the suite hands over is folded, and has to give the run that it says it is of; its steps."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.lifecycle.step_history import Passage, iter_passages
from elcano.graphs.lifecycle.step_rows import Row
from elcano.graphs.records import RunLog
from elcano.graphs.state.events import AgentEvent


def difference(log: RunLog) -> str | None:
    """What is not the same when the log is read back and folded; None if nothing is."""
    read = RunLog.model_validate_json(log.model_dump_json())
    folded = fold(read.asked, read.entries)
    if set(folded.weights) != set(log.run.weights):  # what it began with an older program had weighed, of fewer fields
        folded = folded.model_copy(update={"weights": {}})
        read, log = (one.model_copy(update={"run": one.run.model_copy(update={"weights": {}})}) for one in (read, log))
    if folded == read.run == log.run:
        return None
    fields = [name for name in type(folded).model_fields if getattr(folded, name) != getattr(log.run, name)]
    return f"{log.asked.run_id}: {', '.join(fields) or 'the log, written and read'}"


def list_step_rows(log: RunLog, events: Iterable[AgentEvent], *, going_on: bool) -> tuple[Row, ...]:
    """The steps that the log tells, and what came between them."""
    return tuple(one.row if isinstance(one, Passage) else one for one in iter_passages(log, events, going_on=going_on))


@contextmanager
def every_log_handed_over() -> Iterator[list[RunLog]]:
    """Lists the logs of runs of this process, graphs and chains alike.

    They are compared later: in a workflow that would take longer than Temporal lets it compute on a busy machine.
    """
    logs: list[RunLog] = []
    # Not the function that calls it, which workflows have under a name of their own.
    build: Callable[..., RunLog] = vars(finish)["RunLog"]

    def build_noted_log(**told: Any) -> RunLog:
        logs.append(build(**told))
        return logs[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(finish, "RunLog", build_noted_log)
        yield logs
