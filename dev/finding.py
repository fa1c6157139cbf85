"""What one look of `elcano doctor` shows."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """What one look showed. `remedy` says what to do about it."""

    grade: Literal["good", "note", "fault"]
    text: str
    remedy: str = ""
