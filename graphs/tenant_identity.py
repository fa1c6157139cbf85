"""Tenants, ids of runs, and names of users.

A tenant is a short name that goes into ids, keys, queries and search attributes as it is. Nothing of one tenant is
readable by another. The tenant of a request is determined in one place (`api/http/request_identity.py`); from then on
it is a field of every request and call, and is never parsed out of an id.
"""

import re
import unicodedata
from typing import Annotated, Final, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

NAME_CHARACTERS: Final = 200
"""Maximum length of a user's name."""


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
"""The tenant of every client unless a proxy names tenants."""


class RunScoped(Frozen):
    """The base of activity inputs that concern a run."""

    run_id: str
    tenant: Tenant = DEFAULT_TENANT
    """The tenant of the run, and so of the data that the activity stores."""


_SLUG: Final = re.compile(SLUG, re.ASCII)


def is_tenant(text: str) -> bool:
    """Whether `text` may be a tenant's name."""
    return _SLUG.fullmatch(text) is not None


def run_id(tenant: str, ulid: str) -> str:
    """The id of a tenant's run: also its workflow's, and the beginning of its branches'. A tenant's sort by time."""
    return f"{tenant}-{ulid.lower()}"
