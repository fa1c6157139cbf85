"""The types of columns: texts and ids as each database takes them, and sealed ones, which a cipher encrypts."""

import json
from base64 import b64decode, b64encode
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import JSON, Dialect, String, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from elcano.storage.sql.cipher import Cipher, require_cipher

RETAINED: Final = {"retained": True}
"""The `info` of a table whose rows stay when their tenant is deleted: what has to be proved afterwards."""

ESCAPE: Final = "\ue000"
_NUL: Final = f"{ESCAPE}0"
_ITSELF: Final = f"{ESCAPE}1"
_SEALED: Final = f"{ESCAPE}2"
"""Prefix of sealed text; escaped text never has it."""


def escape_nul(text: str) -> str:
    """`text` without NUL characters."""
    return text.replace(ESCAPE, _ITSELF).replace("\x00", _NUL)


def unescape_nul(kept: str) -> str:
    """The text that `escape_nul` made `kept` of."""
    return kept.replace(_NUL, "\x00").replace(_ITSELF, ESCAPE)


class _Escaped(TypeDecorator[str]):
    """A text of PostgreSQL, which takes no NUL characters."""

    impl: type[String] = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else escape_nul(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else unescape_nul(value)


class _EscapedId(_Escaped):
    impl = String
    cache_ok = True


LongText: Final = Text().with_variant(_Escaped(), "postgresql")
"""A text of any length."""
Id: Final = String().with_variant(_EscapedId(collation="C"), "postgresql")
"""A short text that is compared by its code points, as SQLite does by default."""


class SealedText(TypeDecorator[str]):
    """A text of any length that SQL never looks into, but to see whether it is empty: an empty one is not sealed."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Seal or escape it."""
        if not value:
            return value
        sealed = seal_text(dialect, value)
        return escape_nul(value) if sealed is None else f"{_SEALED}{sealed}"

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The text that was bound."""
        if value is None or not value.startswith(_SEALED):
            return unescape_nul(value) if value is not None else None
        return unseal_text(dialect, value[len(_SEALED) :])


class SealedJson(TypeDecorator[Any]):
    """An object, or null, as JSON that SQL never looks into; sealed it is a JSON string."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Seal it."""
        sealed = None if value is None else seal_text(dialect, json.dumps(value))
        return value if sealed is None else sealed

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The object that was bound."""
        return json.loads(unseal_text(dialect, value)) if isinstance(value, str) else value


class Word(TypeDecorator[str]):
    """A word by which rows are found: its code if the engine has a cipher."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """An `Id`, but for its value."""
        return dialect.type_descriptor(String(collation="C") if dialect.name == "postgresql" else String())

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Its code, or the word."""
        return None if value is None else blind_word(dialect, escape_nul(value))

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The word, unless it is a code."""
        return None if value is None else unescape_nul(value)


_ciphers: WeakKeyDictionary[Dialect, Cipher] = WeakKeyDictionary()


def set_cipher(dialect: Dialect, cipher: Cipher | None) -> None:
    """Have sealed columns of one engine, which its dialect represents, use `cipher`."""
    if cipher is not None:
        _ciphers[dialect] = cipher


def seal_text(dialect: Dialect, text: str) -> str | None:
    """`text` encrypted, as ASCII; None if the engine has no cipher."""
    cipher = _ciphers.get(dialect)
    return b64encode(cipher.seal(text.encode(), "row")).decode() if cipher is not None else None


def unseal_text(dialect: Dialect, sealed: str) -> str:
    """The text that `seal_text` encrypted.

    Raises:
        SealedDataUnreadable: it cannot be decrypted.
    """
    return require_cipher(_ciphers.get(dialect)).unseal(b64decode(sealed), "row").decode()


def blind_word(dialect: Dialect, word: str) -> str:
    """The code of a word if the engine has a cipher, else the word."""
    cipher = _ciphers.get(dialect)
    return cipher.blind(word) if cipher is not None else word


def has_cipher(dialect: Dialect) -> bool:
    """Whether the engine's sealed columns are encrypted, so that SQL cannot search in them."""
    return dialect in _ciphers
