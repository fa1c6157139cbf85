"""A mail server within a test: it keeps what it takes, and answers as a test wants."""

from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from elcano.dev.claims import free_ports


class Mailbox:
    """What was taken; `answers` are those to the next messages, and `250 taken` after them."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.answers: list[str] = []

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Takes everybody but nobody."""
        envelope.rcpt_tos.append(address)
        return "550 no such user" if address.startswith("nobody@") else "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Keeps the message, whatever it answers."""
        assert isinstance(envelope.content, bytes)
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
        return self.answers.pop(0) if self.answers else "250 taken"


@contextmanager
def open_mailbox() -> Iterator[tuple[Mailbox, int]]:
    """The mailbox, and the port of its server."""
    mailbox, (port,) = Mailbox(), free_ports(1)
    server = Controller(mailbox, hostname="127.0.0.1", port=port)
    server.start()
    try:
        yield mailbox, port
    finally:
        server.stop()
