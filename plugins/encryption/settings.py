"""The setting of the plugin."""

from pydantic import BaseModel, ConfigDict, Field


class EncryptionSettings(BaseModel):
    """The setting of the plugin: `ELCANO_ENCRYPTION_KEYS`."""

    model_config = ConfigDict(frozen=True)

    encryption_keys: str = Field(
        default="",
        description="The keys that encrypt what Temporal, the database and the objects keep: `file:///path` of a file "
        "with a key a line, `call:package.module:function` for a function that returns its text (from a key service, "
        "say), or that text itself, with commas between the keys. `elcano encryption new-keys` prints one. Set it "
        "alike for the API and all workers. Empty: what is kept is not encrypted (see `docs/encryption.md`).",
    )
