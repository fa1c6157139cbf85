"""The one base of all data that travels: immutable, closed, JSON."""

from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue

Json: TypeAlias = JsonValue
JsonObject: TypeAlias = dict[str, JsonValue]


class Frozen(BaseModel):
    """A value: it is never changed, only replaced (`model_copy(update=...)`), and refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(Frozen):
    """An answer that a caller waits for and that is stored nowhere, however large it is. It travels compressed."""
