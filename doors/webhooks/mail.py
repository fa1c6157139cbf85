"""Messages by e-mail: to `mailto:` addresses that the operator allows, through the operator's mail server.

However often a message is sent its Message-ID is the same, so that a mailbox can recognise a second copy.
"""

import smtplib
import ssl
from collections.abc import Mapping
from contextlib import suppress
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate
from functools import partial
from hashlib import sha256
from html import escape
from typing import Final

from elcano.doors.webhooks.settings import MAIL_ADDRESS, WebhookSettings, read_webhook_settings
from elcano.doors.webhooks.targets import NotDelivered, TargetRefused
from elcano.doors.webhooks.workflows import Message, WebhookEvent
from elcano.graphs.text import shorten_text

SCHEME: Final = "mailto:"
SUBJECT_CHARACTERS: Final = 120
_POLICY: Final = SMTP.clone(cte_type="7bit")
"""For servers of any age."""
_SUBJECTS: Final[Mapping[WebhookEvent, str]] = {
    "run.started": "Research has begun",
    "run.held": "Research waits",
    "run.released": "Research goes on",
    "run.approval_needed": "Research waits for your answer",
    "run.completed": "Research has ended",
    "run.failed": "Research has failed",
    "run.cancelled": "Research was cancelled",
    "webhook.test": "A test from Elcano",
}


def check_recipient(tenant: str, url: str) -> str:
    """The address that a `mailto:` names.

    Raises:
        TargetRefused: it is no plain address, or the operator has not allowed it to the tenant.
    """
    settings, address = read_webhook_settings(), url.removeprefix(SCHEME).lower()
    if not MAIL_ADDRESS.fullmatch(address):
        raise TargetRefused("names no plain address, as `mailto:ann@example.org` does")
    if not (settings.mail_host and settings.mail_from):
        raise TargetRefused("no e-mail is sent here: the operator has to set ELCANO_MAIL_HOST and ELCANO_MAIL_FROM")
    allowed = settings.mail_recipients.get(tenant, settings.mail_recipients.get("*", ()))
    domain = address.rpartition("@")[2]
    if not {address, domain} & {one.lower() for one in allowed}:
        raise TargetRefused(f"no e-mail is sent to {domain}: the operator has to name it in ELCANO_MAIL_RECIPIENTS")
    return address


def write_mail(message: Message, endpoint: str, recipient: str, sender: str, page: str) -> EmailMessage:
    """A message as an e-mail, in plain text and as HTML.

    Args:
        message: its content.
        endpoint: the id of the webhook.
        recipient: an address that was checked.
        sender: the address that it comes from.
        page: where the page of this service is.
    """
    question, text = (_put_on_one_line(str(message.data.get(name) or "")) for name in ("question", "message"))
    headline = _SUBJECTS[message.type]
    link = f"{page}/runs/{message.run_id}" if message.run_id else page
    footer = f"You get this from the webhook {endpoint}; whoever made it can delete it."
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = Address("Elcano", addr_spec=sender)
    mail["To"] = recipient
    mail["Subject"] = shorten_text(": ".join(filter(None, (headline, question))), SUBJECT_CHARACTERS)
    mail["Date"] = formatdate(message.at)
    name = sha256(f"{message.id} {endpoint}".encode()).hexdigest()[:32]
    mail["Message-ID"] = f"<{name}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    parts = [part for part in (headline, question, text) if part]
    mail.set_content("\n\n".join((*parts, link, footer)) + "\n")
    paragraphs = "\n".join(f"<p>{escape(part)}</p>" for part in parts)
    html = f'{paragraphs}\n<p><a href="{escape(link)}">{escape(link)}</a></p>\n<p><small>{footer}</small></p>\n'
    mail.add_alternative(f"<!DOCTYPE html>\n<html><body>\n{html}</body></html>\n", subtype="html")
    return mail


def send_mail(mail: EmailMessage, settings: WebhookSettings, seconds: float) -> int:
    """Hand an e-mail to the mail server; this blocks. `seconds` is how long each of its answers may take.

    Raises:
        NotDelivered: it was not taken.
    """
    tls = ssl.create_default_context()
    connect = partial(smtplib.SMTP_SSL, context=tls) if settings.mail_tls == "tls" else smtplib.SMTP
    own_name = settings.mail_from.rpartition("@")[2]
    try:
        server = connect(settings.mail_host, settings.mail_port, local_hostname=own_name, timeout=seconds)
        try:
            if settings.mail_tls == "starttls":
                server.starttls(context=tls)
            if settings.mail_user:
                server.login(settings.mail_user, settings.mail_password)
            server.send_message(mail)
        finally:
            with suppress(OSError):  # what was taken stays taken, however they part
                server.quit()
    except smtplib.SMTPRecipientsRefused as error:
        ((code, text),) = error.recipients.values()
        raise NotDelivered(_describe_answer(code, text), code, final=code >= 500) from error
    except smtplib.SMTPResponseException as error:
        raise NotDelivered(_describe_answer(error.smtp_code, error.smtp_error), error.smtp_code) from error
    except (OSError, ValueError) as error:  # those of smtplib are, and a password may not be in ASCII
        raise NotDelivered(f"the mail server did not take it: {error or type(error).__name__}") from error
    return 250


def _describe_answer(code: int, text: bytes | str) -> str:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    return f"the mail server answered {code}: {shorten_text(_put_on_one_line(said), 300)}"


def _put_on_one_line(text: str) -> str:
    """Without line ends, which headers may not have, and without what no one sees."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
