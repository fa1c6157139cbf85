"""The keys of an operator: `id:key` lines, from the setting itself, a file, or a function that asks a key service.

The first key encrypts, all decrypt. The line `index:key` is of no data: it makes the codes by which words of the
knowledge graph are found, and so it never changes.

Data are encrypted by AES-256-GCM, with a key derived for each process and a label of the key that it came from. A
sealed text is `version (1) | length of the key's id (1) | id | salt (16) | nonce (12) | ciphertext and tag (16)`. Of
the key with that id and the salt, HKDF-SHA-256 derives the key of the ciphertext; everything before the nonce, and
where the text is kept, is authenticated with it. A process takes a fresh salt after 2^24 texts: under one derived key
random nonces then collide with a chance below 2^-48, where NIST SP 800-38D asks for 2^-32, however many processes
write.
"""

import binascii
import re
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from elcano.graphs.plugin import import_object
from elcano.settings import Settings
from elcano.settings.plugins import Finding, SettingsInvalid, read_plugin_settings

if TYPE_CHECKING:
    from pydantic import BaseModel, ConfigDict, Field
import hmac
import os
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from itertools import count

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

    def list_ids(self) -> list[str]:
        """The ids of its keys, the one that encrypts first."""
        return list(self._keys)

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


class EncryptionSettings(BaseModel):
    """The setting of the plugin: `ELCANO_ENCRYPTION_KEYS`."""

    model_config = ConfigDict(frozen=True)

    encryption_keys: str = Field(
        default="",
        description="The keys that encrypt what Temporal, the database and the objects keep: `file:///path` of a file "
        "with a key a line, `call:package.module:function` for a function that returns its text (from a key service, "
        "say), or that text itself, with commas between the keys. `elcano encryption new-keys` prints one. Set it "
        "alike for the API and all workers. Empty: what is kept is not encrypted (see `docs/security.md`).",
    )


INDEX: Final = "index"
VARIABLE: Final = "ELCANO_ENCRYPTION_KEYS"
_ID: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,31}")


def open_cipher(settings: Settings) -> "KeyRing | None":
    """The keys that the settings name; None if they name none.

    Raises:
        SettingsInvalid: they cannot be used.
    """
    said = read_plugin_settings(EncryptionSettings).encryption_keys.strip()
    if not said:
        return None
    ring = parse_keys(_read_keys(said))
    if getattr(settings, "knowledge", "").startswith("postgresql"):
        raise SettingsInvalid(
            f"{VARIABLE} is set, and ELCANO_KNOWLEDGE names a graph in Apache AGE, which cannot be encrypted: set "
            "ELCANO_KNOWLEDGE=tables, or to nothing"
        )
    return ring


def parse_keys(text: str) -> "KeyRing":
    """Parse keys, each on a line of its own or separated by commas; lines that begin with `#` are comments.

    Raises:
        SettingsInvalid: one cannot be used, or there is no key, or no index key. No text says anything of a key.
    """
    from elcano.operations.encryption.keys import KEY_BYTES, KeyRing

    keys: dict[str, bytes] = {}
    lines = [line.strip() for line in re.split(r"[\n,]", text)]
    for number, line in enumerate((line for line in lines if line and not line.startswith("#")), start=1):
        id, colon, encoded = line.partition(":")
        if not colon or not _ID.fullmatch(id):
            raise SettingsInvalid(f"{VARIABLE}: key {number} has no name: {_HOW}")
        if id in keys:
            raise SettingsInvalid(f"{VARIABLE} has two keys called {id!r}: give one of them another name")
        try:
            keys[id] = b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            raise SettingsInvalid(f"{VARIABLE}: the key {id!r} is no base64: {_HOW}") from None
        if len(keys[id]) != KEY_BYTES:
            raise SettingsInvalid(f"{VARIABLE}: the key {id!r} has {len(keys[id])} bytes, not {KEY_BYTES}: {_HOW}")
    index = keys.pop(INDEX, None)
    if index is None or not keys:
        missing = "the key `index`" if index is None else "a key besides `index`"
        raise SettingsInvalid(f"{VARIABLE} lacks {missing}: {_HOW}")
    return KeyRing(keys, index)


_HOW: Final = "`elcano encryption new-keys` prints lines that can be used"


def make_key(id: str = "") -> str:
    """A line with a new key; without an id it is called after this second, in UTC."""
    from elcano.operations.encryption.keys import KEY_BYTES

    id = id or f"{datetime.now(UTC):%Y-%m-%d.%H%M%S}"
    return f"{id}:{b64encode(secrets.token_bytes(KEY_BYTES)).decode()}"


def check_keys(chosen: Settings) -> Iterable[Finding]:
    """Report whether stored data is encrypted."""
    try:
        ring = open_cipher(chosen)
    except SettingsInvalid as error:
        yield Finding("fault", str(error), "correct it, then start the API and the workers anew")
        return
    if ring is not None:
        yield Finding("good", f"what Temporal and the store keep is encrypted, with the key {ring.active!r}")


def _read_keys(said: str) -> str:
    """The text of the keys that the setting has or names.

    Raises:
        SettingsInvalid: the file cannot be read, or the function does not work.
    """
    if said.startswith("call:"):
        try:
            text = import_object(said.removeprefix("call:"), VARIABLE)()
        except Exception as error:  # whatever a key service's client raises
            raise SettingsInvalid(f"{VARIABLE}: {said} failed ({type(error).__name__}: {error})") from error
        if not isinstance(text, str):
            raise SettingsInvalid(f"{VARIABLE}: {said} returned {type(text).__name__}, not the text of the keys")
        return text
    if said.startswith("file:"):
        try:
            return Path(unquote(urlsplit(said).path)).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsInvalid(f"{VARIABLE}: {said} cannot be read: {error}") from error
    return said
