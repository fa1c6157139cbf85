"""Lists that wait in memory as compressed bytes: what the pages of a long document hold is needed again, one by one."""

import pickle
import zlib
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

Held = TypeVar("Held")


class PackedList(Sequence[Held]):
    """A list of objects of this process, a fifth to a tenth of its size. What it gives are copies."""

    __slots__ = ("_length", "_packed")

    def __init__(self, held: Sequence[Held] = ()) -> None:
        self._length = len(held)
        self._packed = zlib.compress(pickle.dumps(list(held), pickle.HIGHEST_PROTOCOL), 1) if held else b""

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Held]:
        return iter(self.unpack())

    @overload
    def __getitem__(self, index: int) -> Held: ...
    @overload
    def __getitem__(self, index: slice) -> list[Held]: ...
    def __getitem__(self, index: int | slice) -> Held | list[Held]:
        return self.unpack()[index]

    def unpack(self) -> list[Held]:
        """The list."""
        held: list[Held] = pickle.loads(zlib.decompress(self._packed)) if self._packed else []
        return held
