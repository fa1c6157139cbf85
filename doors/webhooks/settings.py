"""The settings of the plugin."""

import re
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from elcano.settings.plugins import read_plugin_settings

MAIL_ADDRESS: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=~-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}")
"""Plain addresses: no quotes, no comments, and none of the signs by which old servers pass mail on."""


class WebhookSettings(BaseModel):
    """Whether webhooks are sent, where they may go, how long they are tried, and by which mail server."""

    model_config = ConfigDict(frozen=True)

    webhooks: bool = Field(
        default=False,
        description="Whether webhooks are sent when runs end, wait or need approval (see `docs/automation.md`). Set it "
        "alike for the API and all workers.",
    )
    webhook_private_hosts: tuple[str, ...] = Field(
        default=(),
        description="Hosts in private networks that webhooks may be sent to, with the port unless it is 80 or 443, as "
        'JSON: `["hooks.example.org:8080"]`. Every other private address is refused.',
    )
    webhook_days: float = Field(
        default=3.0,
        gt=0,
        le=30,
        description="For how many days a message is tried. An endpoint that took nothing for most of that time is "
        "switched off.",
    )
    mail_host: str = Field(
        default="",
        description="The mail server (SMTP) by which webhooks to `mailto:` addresses are sent. Empty: none are.",
    )
    mail_port: int = Field(default=587, ge=1, le=65_535, description="Its port.")
    mail_tls: Literal["starttls", "tls", "none"] = Field(
        default="starttls",
        description="`starttls`, or `tls` from the first byte (port 465). `none` is for a server on the same machine.",
    )
    mail_user: str = Field(default="", description="The user to log in as. Empty: without a login.")
    mail_password: str = Field(default="", description="That user's password.")
    mail_from: str = Field(
        default="", description="The address that e-mail comes from, as `elcano@example.org`; needed for any."
    )
    mail_recipients: dict[str, tuple[str, ...]] = Field(
        default={},
        description="The domains and addresses that each tenant may have e-mail sent to, `*` for those not named, "
        'as JSON: `{"*": ["example.org"], "acme": ["acme.example", "ann@example.com"]}`.',
    )

    @field_validator("mail_from")
    @classmethod
    def _require_address(cls, value: str) -> str:
        if value and not MAIL_ADDRESS.fullmatch(value):
            raise ValueError("it is no plain address, as `elcano@example.org` is")
        return value


def read_webhook_settings() -> WebhookSettings:
    """Read the settings of this process."""
    return read_plugin_settings(WebhookSettings)
