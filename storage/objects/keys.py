"""Where a run's objects are: below one prefix of its own for each kind, so that they can go with it.

Two runs with the same content have an object each; nobody has to count who else uses one before it is deleted.
"""

from elcano.storage.objects.objects import encode_key_segment
from elcano.storage.sql.dialect import root_of


def artifacts_of(tenant: str, run_id: str) -> str:
    """The prefix of the artifacts of a run and its branches."""
    return f"artifacts/{encode_key_segment(tenant)}/{encode_key_segment(root_of(run_id))}"


def payloads_of(run_id: str) -> str:
    """The prefix of the payloads of a run and its branches. Temporal knows a workflow's id, which is the run's."""
    return f"payloads/{encode_key_segment(root_of(run_id))}"
