"""Payloads of Temporal as they are encrypted: whole, with the id of the workflow that they belong to."""

from collections.abc import Sequence
from typing import Final

from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec, SerializationContext, WithSerializationContext

from elcano.graphs.contracts import ANSWER_MARK
from elcano.storage.sql.cipher import Cipher

COMPRESSED: Final = "json/deflate"
"""Marker of a large answer's encoding."""

SEALED: Final = "binary/elcano-sealed"
"""The encoding of an encrypted payload."""

_OWNER: Final = "elcano-workflow"
"""Metadata within a sealed payload."""


class SealingCodec(PayloadCodec, WithSerializationContext):
    """Encrypts payloads whole, with their metadata; those that came in clear are read as they are.

    Metadata of a sealed payload says no more than which key it needs and whether it is an answer. Within it is the id
    of the workflow that it belongs to, so that no tenant has the payloads of another one decrypted.
    """

    def __init__(self, cipher: Cipher, owner: str = "") -> None:
        self._cipher = cipher
        self._owner = owner

    def with_context(self, context: SerializationContext) -> "SealingCodec":
        """The codec of the payloads of one workflow."""
        owner = getattr(context, "workflow_id", None) or ""
        return self if owner == self._owner else SealingCodec(self._cipher, owner)

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Seal each payload."""
        return [self._seal(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Open the sealed ones.

        Raises:
            SealedDataUnreadable: a key is missing, or a payload was changed.
        """
        return [self.open_payload(payload)[0] for payload in payloads]

    def open_payload(self, payload: Payload) -> tuple[Payload, str]:
        """A payload in clear, and the id of its workflow; empty: it is not known, or the payload came in clear.

        Raises:
            SealedDataUnreadable: a key is missing, or the payload was changed.
        """
        if payload.metadata.get("encoding") != SEALED.encode():
            return payload, ""
        found = Payload.FromString(self._cipher.unseal(payload.data, "payload"))
        return found, found.metadata.pop(_OWNER, b"").decode()

    def _seal(self, payload: Payload) -> Payload:
        owned = Payload()
        owned.CopyFrom(payload)
        if self._owner:
            owned.metadata[_OWNER] = self._owner.encode()
        sealed = Payload(
            metadata={"encoding": SEALED.encode()}, data=self._cipher.seal(owned.SerializeToString(), "payload")
        )
        if ANSWER_MARK in payload.metadata or payload.metadata.get("encoding") == COMPRESSED.encode():
            sealed.metadata[ANSWER_MARK] = b"true"
        return sealed
