r"""Texts as both databases keep them alike.

PostgreSQL has no NUL character in a text, but a document has, and a client may send one in an id. Stripping it would
move every quote behind it, so it is kept escaped: `\ue000` begins a pair, whose second sign says what it stands for.
Ids are compared by their code points, as SQLite does: pages of runs and ranges of branches depend on it.
"""

from typing import Any, Final

from sqlalchemy import Dialect, String, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

ESCAPE: Final = "\ue000"
_NUL: Final = f"{ESCAPE}0"
_ITSELF: Final = f"{ESCAPE}1"


def escape_nul(text: str) -> str:
    """`text` without NUL characters."""
    return text.replace(ESCAPE, _ITSELF).replace("\x00", _NUL)


def unescape_nul(kept: str) -> str:
    """The text that `escape_nul` made `kept` of."""
    return kept.replace(_NUL, "\x00").replace(_ITSELF, ESCAPE)


class _Escaped(TypeDecorator[str]):
    """Escapes where the database is PostgreSQL."""

    impl = Text

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return escape_nul(value) if value is not None and dialect.name == "postgresql" else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return unescape_nul(value) if value is not None and dialect.name == "postgresql" else value


class LongText(_Escaped):
    """A text of any length."""

    cache_ok = True


class Id(_Escaped):
    """A short text that is compared by its code points."""

    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """With the collation that compares so."""
        return dialect.type_descriptor(String(collation="C") if dialect.name == "postgresql" else String())
