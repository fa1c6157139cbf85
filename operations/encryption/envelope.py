"""Encrypts data: AES-256-GCM, with a key derived for each process and a label of the key that it came from.

A sealed text is `version (1) | length of the key's id (1) | id | salt (16) | nonce (12) | ciphertext and tag (16)`. Of
the key with that id and the salt, HKDF-SHA-256 derives the key of the ciphertext; everything before the nonce, and
where the text is kept, is authenticated with it. A process takes a fresh salt after 2^24 texts: under one derived key
random nonces then collide with a chance below 2^-48, where NIST SP 800-38D asks for 2^-32, however many processes
write.
"""

import hmac
import os
import secrets
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from itertools import count
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from elcano.graphs.errors import SealedDataUnreadable
from elcano.storage.sql.cipher import Place

KEY_BYTES: Final = 32
SALT_BYTES: Final = 16
NONCE_BYTES: Final = 12
TEXTS_OF_A_SALT: Final = 2**24
_VERSION: Final = b"\x01"
_INFO: Final = b"elcano sealed data"
_INDEX_INFO: Final = b"elcano word index"


class KeyRing:
    """A `storage.sql.cipher.Cipher` with the keys of an operator."""

    def __init__(self, keys: Mapping[str, bytes], index_key: bytes) -> None:
        """`keys` by id, each of 32 bytes, the one that encrypts first; `index_key` is the one of `blind`."""
        self._keys = dict(keys)
        self.active = next(iter(keys))
        """The id of the key that encrypts."""
        self._index_key = _derive_key(index_key, b"", _INDEX_INFO)
        self._derive = lru_cache(maxsize=4096)(self._derive_cipher)
        self._sealed = count()
        self._salt = b""

    def __getstate__(self) -> None:
        raise TypeError("keys do not leave their process")

    def seal(self, data: bytes, place: Place) -> bytes:
        """Encrypt `data` with the first key."""
        if next(self._sealed) % TEXTS_OF_A_SALT == 0:
            self._salt = secrets.token_bytes(SALT_BYTES)
        id = self.active.encode()
        head = _VERSION + bytes([len(id)]) + id + self._salt
        nonce = os.urandom(NONCE_BYTES)
        return head + nonce + self._derive(self.active, self._salt).encrypt(nonce, data, head + place.encode())

    def unseal(self, sealed: bytes, place: Place) -> bytes:
        """Decrypt data that any key of the ring encrypted for `place`.

        Raises:
            SealedDataUnreadable: its key is not in the ring, or it was changed.
        """
        id = find_key_id(sealed)
        if id not in self._keys:
            raise SealedDataUnreadable(
                f"this data is encrypted with the key {id!r}, and this program has {', '.join(map(repr, self._keys))}: "
                "put that key back into ELCANO_ENCRYPTION_KEYS"
            )
        end = 2 + len(id.encode()) + SALT_BYTES
        head, nonce, data = sealed[:end], sealed[end : end + NONCE_BYTES], sealed[end + NONCE_BYTES :]
        try:
            return self._derive(id, head[-SALT_BYTES:]).decrypt(nonce, data, head + place.encode())
        except InvalidTag:
            raise SealedDataUnreadable(
                f"this data does not fit the key {id!r}: it was changed or cut off, or {id!r} names another key than "
                "when it was written; restore the data or the key"
            ) from None

    def blind(self, word: str) -> str:
        """A code of 128 bits for a word."""
        return hmac.digest(self._index_key, word.encode(), sha256)[:16].hex()

    def _derive_cipher(self, id: str, salt: bytes) -> AESGCM:
        return AESGCM(_derive_key(self._keys[id], salt, _INFO))


def find_key_id(sealed: bytes) -> str:
    """The id of the key that sealed data needs.

    Raises:
        SealedDataUnreadable: it is no sealed data.
    """
    length = sealed[1] if len(sealed) > 1 else 0
    least = 2 + length + SALT_BYTES + NONCE_BYTES
    if sealed[:1] != _VERSION or not length or len(sealed) < least:
        raise SealedDataUnreadable("this data is marked as encrypted and is not, or a newer release encrypted it")
    return sealed[2 : 2 + length].decode("ascii", "replace")


def _derive_key(key: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=info).derive(key)
