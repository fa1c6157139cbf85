"""The plugin `encryption`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="encryption",
    description="Encryption of what Temporal and the store keep, and a codec server for Temporal's page.",
    package="elcano.operations.encryption",
    settings=(".keys:EncryptionSettings",),
    parts={"cipher": ".keys:open_cipher"},
    routes=(".codec_routes:router",),
    commands={"encryption": ".commands:app"},
    checks=(".keys:check_keys",),
)
