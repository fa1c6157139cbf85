"""The one base of all data that travels: immutable, closed, JSON."""

from typing import Annotated, Any, Final, Self, TypeAlias

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, JsonValue, TypeAdapter

Json: TypeAlias = JsonValue
JsonObject: TypeAlias = dict[str, JsonValue]


class Frozen(BaseModel):
    """A value: it is never changed, only replaced (`model_copy(update=...)`), and refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def from_record(cls, record: BaseModel, **own: Any) -> Self:
        """The value that a record is seen as: fields of the same name are taken from it; `own` are all others."""
        same = (cls.model_fields.keys() & type(record).model_fields.keys()) - own.keys()
        return cls.model_validate({name: getattr(record, name) for name in same} | own, from_attributes=True)


class Answer(Frozen):
    """An answer that a caller waits for and that is stored nowhere, however large it is. It travels compressed."""


_MOMENT: Final[TypeAdapter[AwareDatetime]] = TypeAdapter(AwareDatetime)


def _parse_moment(at: object) -> object:
    if at is None:  # no one knows
        return 0.0
    return _MOMENT.validate_python(at).timestamp() if isinstance(at, str) else at


Epoch: TypeAlias = Annotated[float, BeforeValidator(_parse_moment)]
"""Seconds since the epoch."""
