"""Moments in what travels: seconds since the epoch. The API makes RFC 3339 of them; both forms are read."""

from typing import Annotated, Final, TypeAlias

from pydantic import AwareDatetime, BeforeValidator, TypeAdapter

_MOMENT: Final[TypeAdapter[AwareDatetime]] = TypeAdapter(AwareDatetime)


def _parse_moment(at: object) -> object:
    if at is None:  # nobody knows
        return 0.0
    return _MOMENT.validate_python(at).timestamp() if isinstance(at, str) else at


Epoch: TypeAlias = Annotated[float, BeforeValidator(_parse_moment)]
"""Seconds since the epoch."""
