"""Who a run belongs to and who asks something of it: tenants, ids of runs, names of users.

A tenant is a short name that goes into ids, keys, queries and search attributes as it is. Nothing of one tenant is
readable by another. Who a request comes from is decided in one place (`api/http/identity.py`); from then on the name is
a field of whatever is asked for, and is never taken out of an id.
"""

import re
import unicodedata
from typing import Annotated, Final, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

NAME_CHARACTERS: Final = 200
"""Of a name; longer ones are nobody's."""


def fault_of(name: str) -> str | None:
    """Explain why a text cannot be a user's name; None if it can. The empty name stands for no user."""
    if len(name) > NAME_CHARACTERS:
        return f"it has {len(name)} characters, of which a name has {NAME_CHARACTERS} at most"
    if name != name.strip():
        return "it begins or ends with white space"
    for position, character in enumerate(name):
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            return f"it has the character U+{ord(character):04X} at position {position}, which cannot be seen"
    return None


def insert_requester(text: str, by: str) -> str:
    """Add the user to the text of a request: `Asked to stop: enough` becomes `Asked to stop by alice: enough`."""
    if not by:
        return text
    told, colon, words = text.partition(":")
    return f"{told} by {by}{colon}{words}"


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
