"""A tenant: whose a run is, and everything that belongs to it. Nothing of one tenant is readable by another.

A tenant is a short name that goes into ids, keys, queries and search attributes as it is. Who a request comes from is
decided in one place (`api/http/identity.py`); from then on the name is a field of whatever is asked for, and is never
taken out of an id.
"""

import re
from typing import Annotated, Final, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

SLUG: Final = r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?"
"""1 to 40 small letters, digits and hyphens; a hyphen neither first nor last."""
RUN_ID: Final = rf"{SLUG}-[0-9a-z]{{1,26}}"
"""The form of a run's id, tenant and ULID; of a branch it has a full stop and more behind it."""

Tenant: TypeAlias = Annotated[str, Field(pattern=rf"^{SLUG}$")]
DEFAULT_TENANT: Final = "default"
"""Everyone, where nobody tells tenants apart."""


class RunScoped(Frozen):
    """What an activity is asked to do for a run: the base of its input."""

    run_id: str
    tenant: Tenant = DEFAULT_TENANT
    """Whose the run is, and so what the activity keeps."""


_SLUG: Final = re.compile(SLUG, re.ASCII)


def is_tenant(text: str) -> bool:
    """Whether `text` may be a tenant's name."""
    return _SLUG.fullmatch(text) is not None


def run_id(tenant: str, ulid: str) -> str:
    """The id of a tenant's run: also its workflow's, and the beginning of its branches'. A tenant's sort by time."""
    return f"{tenant}-{ulid.lower()}"
