"""Signatures of Standard Webhooks 1.0.0: symmetric ones, by one secret or by two while one takes the other's place."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from typing import Final

from elcano.doors.webhooks.contracts import Message
from elcano.service.fields import format_rfc3339

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32


def new_secret() -> str:
    """A secret as receivers are given it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def write_body(message: Message) -> bytes:
    """The body of a message. It is thin: what more there is, the API has."""
    body = {"type": message.type, "timestamp": format_rfc3339(message.at), "data": message.data}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def sign_body(message_id: str, seconds: int, body: bytes, keys: Iterable[str]) -> dict[str, str]:
    """The headers of one attempt; `seconds` is its time."""
    signed = f"{message_id}.{seconds}.".encode() + body
    signatures = (hmac.new(base64.b64decode(key.removeprefix(PREFIX)), signed, hashlib.sha256).digest() for key in keys)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{base64.b64encode(one).decode()}" for one in signatures),
    }
