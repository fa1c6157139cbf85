"""The form of API keys, of sessions and of links: `elc_`, an id, and a secret of 256 bits with a checksum.

The id finds the row, so that a credential costs one read; the prefix and the checksum are known without one, so that a
mistyped or invented text costs none, and a scanner of logs and repositories recognises a key that leaked.

What is stored is a BLAKE2b hash of the secret, keyed with the id. A slow hash, as for passwords, would protect nothing:
no dictionary has a random secret of 256 bits. It would give clients with wrong keys a way to keep the server busy. The
key binds a hash to its row: copied into another one it matches nothing.
"""

import re
import secrets
from binascii import crc32
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["elc", "els", "ell"]
"""An API key, a session, a link to a run."""

_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH: Final = 12
_SECRET_LENGTH: Final = 43
"""62 ** 43 > 2 ** 256."""
_CHECK_LENGTH: Final = 6
"""62 ** 6 > 2 ** 32."""
_FORM: Final = re.compile(
    rf"(el[csl])_([{_ID_DIGITS}]{{{_ID_LENGTH}}})_([0-9A-Za-z]{{{_SECRET_LENGTH}}})([0-9A-Za-z]{{{_CHECK_LENGTH}}})",
    re.ASCII,
)
LONGEST: Final = 100
"""Characters of a text that is looked at; a credential has fewer."""


@dataclass(frozen=True)
class Credential:
    """A credential in clear; it is shown once, and never stored."""

    kind: Kind
    id: str
    secret: str

    @property
    def text(self) -> str:
        """As it is sent."""
        body = f"{self.kind}_{self.id}_{self.secret}"
        return body + _compute_checksum(body)

    @property
    def secret_hash(self) -> str:
        """The digest of the secret, which is stored in its place."""
        return blake2b(self.secret.encode(), key=self.id.encode(), person=b"elcano", digest_size=32).hexdigest()

    def matches(self, *stored: str | None) -> bool:
        """Whether one of the stored hashes is this secret's; the time it takes says nothing about which."""
        given = self.secret_hash
        return any([compare_digest(given, one or "") for one in stored])


def new_credential(kind: Kind, id: str = "") -> Credential:
    """Make a credential with a new secret; with an `id`, in place of one that has it."""
    chosen = id or "".join(secrets.choice(_ID_DIGITS) for _ in range(_ID_LENGTH))
    return Credential(kind, chosen, "".join(secrets.choice(_DIGITS) for _ in range(_SECRET_LENGTH)))


def parse_credential(text: str, kind: Kind) -> Credential | None:
    """Read a credential; None if the text is none of this kind, or was mistyped."""
    found = _FORM.fullmatch(text) if len(text) <= LONGEST else None
    if found is None or found[1] != kind or _compute_checksum(text[:-_CHECK_LENGTH]) != found[4]:
        return None
    return Credential(kind, found[2], found[3])


def _compute_checksum(body: str) -> str:
    number, digits = crc32(body.encode()), ""
    for _ in range(_CHECK_LENGTH):
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
