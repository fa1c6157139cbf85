"""What encrypts stored data: a seam. A plugin makes the cipher; storage asks it for every text, object and payload.

Without one, everything is kept in clear. What is kept in clear stays readable with one, so encryption can be turned on
while runs are open. Sealed data is marked, and without its key nothing pretends to be able to read it.
"""

import json
from base64 import b64decode, b64encode
from typing import Any, Final, Literal, Protocol
from weakref import WeakKeyDictionary

from sqlalchemy import JSON, Dialect, Text
from sqlalchemy.types import TypeDecorator

from elcano.graphs.errors import InputInvalid, SealedDataUnreadable
from elcano.graphs.plugin import load_objects
from elcano.settings import Settings
from elcano.storage.sql.dialect import ESCAPE, Id, escape_nul, unescape_nul

Place = Literal["payload", "row", "object"]
"""Where sealed data is kept. What was sealed for one place is not accepted in another."""

MARK: Final = b"\xffelcano-sealed:"
"""Sealed objects begin with it; no text in UTF-8 has such a byte."""


class Cipher(Protocol):
    """Seals data, and opens what it or another program with the same keys sealed."""

    def seal(self, data: bytes, place: Place) -> bytes:
        """Encrypt `data`; the result says which key it needs."""
        ...

    def unseal(self, sealed: bytes, place: Place) -> bytes:
        """Decrypt what `seal` returned.

        Raises:
            SealedDataUnreadable: its key is not among the configured ones, or it was changed; the text says which.
        """
        ...

    def blind(self, word: str) -> str:
        """A code for a word that is looked up: always the same for the same word, and useless without the key."""
        ...


def load_cipher(settings: Settings) -> Cipher | None:
    """The cipher that a plugin makes of the settings; None: data is stored in clear.

    Raises:
        InputInvalid: two plugins would encrypt.
    """
    ciphers: list[Cipher] = [made for make in load_objects("ciphers") if (made := make(settings)) is not None]
    if len(ciphers) > 1:
        raise InputInvalid("plugins", "two plugins would encrypt what is stored: leave one of them out")
    return ciphers[0] if ciphers else None


def seal_object(cipher: Cipher | None, data: bytes) -> bytes:
    """`data` as an object keeps it."""
    return MARK + cipher.seal(data, "object") if cipher is not None else data


def unseal_object(cipher: Cipher | None, kept: bytes) -> bytes:
    """The data that `seal_object` made `kept` of.

    Raises:
        SealedDataUnreadable: it cannot be decrypted.
    """
    if not kept.startswith(MARK):
        return kept
    return require_cipher(cipher).unseal(kept[len(MARK) :], "object")


def require_cipher(cipher: Cipher | None) -> Cipher:
    """The cipher, for data that is encrypted.

    Raises:
        SealedDataUnreadable: there is none.
    """
    if cipher is None:
        raise SealedDataUnreadable(
            "this data is encrypted and this program has no keys: set ELCANO_ENCRYPTION_KEYS as it was when the data "
            "was written, and load the plugin that encrypts"
        )
    return cipher


_SEALED: Final = f"{ESCAPE}2"
"""How sealed text begins; escaped text never does."""
_ciphers: WeakKeyDictionary[Dialect, Cipher] = WeakKeyDictionary()


def set_cipher(dialect: Dialect, cipher: Cipher | None) -> None:
    """Have sealed columns of one engine, which its dialect stands for, use `cipher`."""
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


class Word(Id):
    """A word by which rows are found: its code if the engine has a cipher."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Its code, or the word."""
        escaped = super().process_bind_param(value, dialect)
        return None if escaped is None else blind_word(dialect, escaped)
