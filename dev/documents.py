"""A folder that is to be searched is looked at before the stack starts.

A run over a folder that is missing or holds nothing to read ends well, with a report that found nothing: nobody who
mistyped a path would learn it from that.
"""

import stat
from pathlib import Path

from elcano.activities.sources.documents.document import FileSkipped
from elcano.activities.sources.documents.folder import Folder
from elcano.activities.sources.documents.parser import Parser
from elcano.dev.errors import CannotStart
from elcano.graphs.errors import SourceRefused

_NAMED = 3
"""Unreadable documents that a refusal names; the rest is counted."""


def require_documents(path: Path, *, option: str, limit_bytes: int) -> None:
    """Refuses a folder in which nothing can be searched; reads only until the first document that has a text.

    Args:
        path: the folder.
        option: what the person named it by, for the refusal.
        limit_bytes: larger files are not read.

    Raises:
        CannotStart: naming the folder, what is wrong with it and what to do.
    """
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise CannotStart(
            f"the folder {str(path)!r} cannot be found ({error.strerror}): create it, or name another by {option}"
        ) from error
    if not is_folder:
        raise CannotStart(f"{str(path)!r} is a file: name by {option} the folder that holds the documents")
    folder = Folder(path, limit_bytes)
    try:
        listing = folder.listing()
    except SourceRefused as error:
        raise CannotStart(f"{error}. Or name another folder by {option}") from error
    reasons: list[str] = []
    with Parser() as parser:
        for key in listing.documents:
            try:
                content = folder.content(key)
                parser.parse(content.name, content.data)
            except (FileSkipped, OSError) as error:
                reasons.append(f"{key}: {error}")
            else:
                return
    named = "; ".join(reasons[:_NAMED]) + (f"; and {len(reasons) - _NAMED} more" if len(reasons) > _NAMED else "")
    raise CannotStart(
        f"no document in the folder {str(path)!r} can be read ({named}): mend one, or name another folder by {option}"
    )
