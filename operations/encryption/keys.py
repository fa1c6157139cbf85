"""The keys of an operator: `id:key` lines, from the setting itself, a file, or a function that asks a key service.

The first key encrypts, all decrypt. The line `index:key` is of no data: it makes the codes by which words of the
knowledge graph are found, and so it never changes.
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
    from elcano.operations.encryption.envelope import KeyRing
from pydantic import BaseModel, ConfigDict, Field


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
    from elcano.operations.encryption.envelope import KEY_BYTES, KeyRing

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
    from elcano.operations.encryption.envelope import KEY_BYTES

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
