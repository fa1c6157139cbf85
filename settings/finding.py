"""The result of one check of `elcano doctor`."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """The result of one check. `remedy` says what to do about it."""

    grade: Literal["good", "note", "fault"]
    text: str
    remedy: str = ""
