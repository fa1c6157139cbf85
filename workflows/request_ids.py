"""Updates by their ids, across continue-as-new: Temporal knows the ids of one execution, the journal earlier ones too.

Within one execution Temporal answers a repeated update by itself and asks nobody.
"""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.journal.journal import Answered, Journal
    from elcano.graphs.values.budget import Limits


def remembered(journal: Journal) -> Answered | None:
    """What the update that is being handled was answered in an earlier execution; None if it is new."""
    return journal.remembered(_request_id())


def remember(journal: Journal, limits: Limits | None = None) -> None:
    """Keeps the answer to the update that is being handled."""
    journal.remember(Answered(request_id=_request_id(), limits=limits))


def _request_id() -> str:
    update = workflow.current_update_info()
    assert update is not None, "only updates have ids"
    return update.id
