"""The language that words are read in at the moment: English, unless who does a task says which one it is in.

Nearly everything that asks for a stem or a stop word does it deep within one task, and a task is read in one language
from its first word to its last: that of its question, in which what was found is compared with it. So it is said once,
where the task begins, and holds for what that does, also in other threads; tasks side by side do not see each other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from elcano.activities.text.known import ENGLISH

_SPOKEN: Final[ContextVar[str]] = ContextVar("spoken", default=ENGLISH)


def get_current_language() -> str:
    """The code of the language, as `de`."""
    return _SPOKEN.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Reads words in `language` within."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)
