"""Messages by e-mail: what they say, to whom they may go, and what a mail server answers."""

import pytest

from elcano.doors.webhooks.mail import check_recipient, send_mail, write_mail
from elcano.doors.webhooks.settings import WebhookSettings
from elcano.doors.webhooks.targets import NotDelivered, TargetRefused
from elcano.doors.webhooks.workflows import Message
from elcano.settings.plugins import SettingsInvalid, read_plugin_settings
from tests.mailbox import open_mailbox

HOSTILE = "Who?\r\nBcc: victim@evil.example\r\n\r\n<script>alert(1)</script>\x00 日本語"
MESSAGE = Message(
    id="msg_default-1_7",
    type="run.approval_needed",
    at=1_790_000_000,
    run_id="default-1",
    data={"question": HOSTILE, "message": "Waiting for plan approval"},
)


def test_nothing_in_a_question_becomes_a_header_or_html() -> None:
    mail = write_mail(MESSAGE, "one", "ann@example.org", "elcano@example.org", "https://elcano.example")
    assert set(mail.keys()) == {
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"
    }  # fmt: skip
    assert b"\nBcc:" not in mail.as_bytes().partition(b"\r\n\r\n")[0]
    assert mail["Subject"].startswith("Research waits for your answer: Who? Bcc: victim@evil.example")
    plain, html = (part.get_content() for part in mail.iter_parts())
    for part in (plain, html):
        assert "https://elcano.example/runs/default-1" in part
        assert "日本語" in part
        assert "Waiting for plan approval" in part
    assert "<script" not in html


def test_a_message_that_is_sent_again_is_known_by_its_id() -> None:
    ids = [
        write_mail(message, endpoint, "ann@example.org", "elcano@example.org", "")["Message-ID"]
        for message, endpoint in (
            (MESSAGE, "one"), (MESSAGE, "one"), (MESSAGE, "two"), (MESSAGE.model_copy(update={"id": "8"}), "one")
        )
    ]  # fmt: skip
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_mail_goes_where_the_operator_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TargetRefused, match="ELCANO_MAIL_HOST"):
        check_recipient("acme", "mailto:ann@example.org")
    monkeypatch.setenv("ELCANO_MAIL_HOST", "mail.example.org")
    monkeypatch.setenv("ELCANO_MAIL_FROM", "elcano@example.org")
    with pytest.raises(TargetRefused, match="ELCANO_MAIL_RECIPIENTS"):
        check_recipient("acme", "mailto:ann@example.org")
    allowed = '{"*": ["Example.org"], "acme": ["acme.example", "bob@example.com"]}'
    monkeypatch.setenv("ELCANO_MAIL_RECIPIENTS", allowed)
    assert check_recipient("other", "mailto:Ann@EXAMPLE.org") == "ann@example.org"
    assert check_recipient("acme", "mailto:bob@example.com") == "bob@example.com"
    for tenant, address in (("acme", "ann@example.org"), ("acme", "eve@example.com"), ("other", "a@sub.example.org")):
        with pytest.raises(TargetRefused, match="ELCANO_MAIL_RECIPIENTS"):
            check_recipient(tenant, f"mailto:{address}")
    for hostile in (
        "", "example.org", "@example.org", "ann@", "ann@example.org?cc=b@x.org", "a@x.org,b@example.org",
        "ann@example.org\nBcc: b@x.org", "a%b.example@example.org", "b.example!a@example.org", '"a b"@example.org',
        "ann@[127.0.0.1]", "ann@exämple.org", "ann@example.org ", f"{'a' * 65}@example.org",
    ):  # fmt: skip
        with pytest.raises(TargetRefused, match="plain address"):
            check_recipient("other", f"mailto:{hostile}")
    monkeypatch.setenv("ELCANO_MAIL_FROM", "Elcano <elcano@example.org>")
    with pytest.raises(SettingsInvalid, match="ELCANO_MAIL_FROM cannot be used"):
        read_plugin_settings(WebhookSettings)


def test_what_the_mail_server_answers_decides() -> None:
    def send(recipient: str, port: int) -> int:
        settings = WebhookSettings(
            mail_host="127.0.0.1", mail_port=port, mail_tls="none", mail_from="elcano@example.org"
        )
        return send_mail(write_mail(MESSAGE, "one", recipient, "elcano@example.org", ""), settings, 60.0)

    with open_mailbox() as (mailbox, port):
        mailbox.answers = ["451 later", "250 taken"]
        with pytest.raises(NotDelivered, match="451: later") as later:
            send("ann@example.org", port)
        assert (later.value.answer, later.value.final) == (451, False)
        assert send("ann@example.org", port) == 250
        assert [mail["To"] for mail in mailbox.mails] == ["ann@example.org"] * 2
        with pytest.raises(NotDelivered, match="550: no such user") as unknown:
            send("nobody@example.org", port)
        assert (unknown.value.answer, unknown.value.final) == (550, True)
    with pytest.raises(NotDelivered, match="the mail server did not take it") as away:
        send("ann@example.org", port)
    assert (away.value.answer, away.value.final) == (None, False)
