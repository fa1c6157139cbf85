"""Whether a work still stands, where its own title says that it does not; and licences by the names they go by."""

import re
from typing import Final

from elcano.graphs.report.works import Flag

_MARKED: Final = re.compile(
    r"\W*(retracted|withdrawn|removed)(?:\s+(?:article|paper|chapter))?(?:\s*[:\]\u2014]|\s+-\s)", re.IGNORECASE
)
"""As publishers mark a title. `Retraction: ...` and `Retraction notice` are titles of notices, which do stand."""
_CREATIVE_COMMONS: Final = re.compile(
    r"(?:https?://(?:www\.)?creativecommons\.org/(?:licenses/|publicdomain/)?|cc-)"
    r"(by(?:-nc)?(?:-nd|-sa)?|zero|0|mark)(?![a-z])(?:/(\d\.\d))?.*",
    re.IGNORECASE,
)


def said_by_title(title: str) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    """The flag that a title gives its work, with what stands behind it; nothing for most."""
    found = _MARKED.match(title)
    if found is None:
        return (), ()
    flag: Flag = "withdrawn" if found[1].lower() == "withdrawn" else "retracted"
    return (flag,), (f"Its title is marked as {found[1].lower()}.",)


def normalize_licence_name(given: str) -> str:
    """A licence as it is called, `CC BY 4.0`, if `given` is the address or the code of a known one; else `given`."""
    found = _CREATIVE_COMMONS.fullmatch(given)
    if found is None:
        return given
    kind, version = found[1].lower(), found[2]
    name = {"zero": "CC0", "0": "CC0", "mark": "Public Domain Mark"}.get(kind, f"CC {kind.upper()}")
    return f"{name} {version}" if version else name
