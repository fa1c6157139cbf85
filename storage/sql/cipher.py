"""Interface for the encryption of stored data. A plugin makes the cipher; storage asks it for every text and object.

Without one, everything is kept in clear. What is kept in clear stays readable with one, so encryption can be turned on
while runs are open. Sealed data is marked, and without its key nothing pretends to be able to read it.
"""

from typing import Final, Literal, Protocol

from elcano.graphs.errors import SealedDataUnreadable
from elcano.graphs.plugin import open_part
from elcano.settings import Settings

Place = Literal["payload", "row", "object"]
"""Storage location of sealed data. Data sealed for one place is not accepted in another."""

MARK: Final = b"\xffelcano-sealed:"
"""Sealed objects begin with it; no text in UTF-8 has such a byte."""


class Cipher(Protocol):
    """Seals data, and opens what it or another program with the same keys sealed."""

    def seal(self, data: bytes, place: Place) -> bytes:
        """Encrypt `data`; the result says which key it needs."""
        ...

    def unseal(self, sealed: bytes, place: Place) -> bytes:
        """Decrypt data that `seal` returned.

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
    found: Cipher | None = open_part("cipher", settings)
    return found


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
