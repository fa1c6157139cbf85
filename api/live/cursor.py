"""How far a reader of a run has got, as a text that any API process can go on from.

`12` says: everything up to event 12 of the run. While branches are open their places follow, each as the number of the
event that started it and the number of the last event of its own that was read: `12+9:5+10:0`. A branch of a branch has
the numbers of both beginnings: `12+9:7+9.3:2`. A branch that is not named was read to its end, or starts later.

So the text is short, needs nobody's memory, and holds for every order in which the journals may be merged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from elcano.api.http.errors import LastEventIdInvalid
from elcano.api.live.journal_merge import Key, MergedEvent

MAX_LENGTH: Final = 16_000
"""Characters; a thousand open branches have room in it."""

_FORM: Final = re.compile(r"\d{1,15}(\+\d{1,9}(\.\d{1,9}){0,2}:\d{1,9})*", re.ASCII)


@dataclass(frozen=True)
class Cursor:
    """A place in a merged stream."""

    number: int = 0
    """The run's last event that was read."""
    branches: Mapping[Key, int] = field(default_factory=dict)
    """For each open branch the last event that was read of it; 0 for none."""

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """The place that `text` names.

        Raises:
            LastEventIdInvalid: it names none.
        """
        if len(text) > MAX_LENGTH or not _FORM.fullmatch(text):
            raise LastEventIdInvalid(
                f"{text[:50]!r} is not an event's id (`12`, or `12+9:5` while branches are open); "
                "leave it out to read from the beginning"
            )
        number, *places = text.split("+")
        branches = {}
        for place in places:
            key, _, last = place.partition(":")
            branches[tuple(map(int, key.split(".")))] = int(last)
        return cls(int(number), branches)

    def __str__(self) -> str:
        places = (f"+{'.'.join(map(str, key))}:{last}" for key, last in sorted(self.branches.items()))
        return f"{self.number}{''.join(places)}"

    def covers(self, told: MergedEvent) -> bool:
        """Whether the reader has this event; of a branch that is neither open nor to come it has everything."""
        if not told.key:
            return told.event.seq <= self.number
        return told.key not in self.branches or told.event.seq <= self.branches[told.key]

    def after(self, told: MergedEvent) -> "Cursor":
        """The place behind an event that comes next in a merged stream."""
        number, branches = self.number, dict(self.branches)
        if told.key:
            branches[told.key] = told.event.seq
        else:
            number = told.event.seq
        if told.opens is not None:
            branches[told.opens] = 0
        if told.closes is not None:
            closed = told.closes
            branches = {key: last for key, last in branches.items() if key[: len(closed)] != closed}
        return Cursor(number, branches)
