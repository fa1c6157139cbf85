"""How much each model has refused to take at once: learned by asking, kept while the process lives.

Nobody says it beforehand for certain: a server of one's own is started with less than its model can, and an account
may be allowed less than the price list says. A refused prompt costs nothing, so the first one of a model is tried as
it is. Sizes are bytes of UTF-8, which are closer to tokens than characters are where a language takes more of them.
"""

import weakref

from pydantic_ai.models import Model


class Windows:
    """The smallest prompt that each model has refused."""

    def __init__(self) -> None:
        self._refused: dict[int, int] = {}
        """By the identity of the model, which lives as long as its entry."""

    def refused(self, model: Model, size: int) -> None:
        """Notes that `model` did not take a prompt of `size` bytes."""
        key = id(model)
        if key not in self._refused:
            weakref.finalize(model, self._refused.pop, key, None)
        self._refused[key] = min(size, self._refused.get(key, size))

    def takes(self, model: Model, size: int) -> bool:
        """Whether a prompt of `size` bytes may be tried: nothing as small was refused."""
        return size < self._refused.get(id(model), size + 1)


WINDOWS = Windows()
"""Of this process."""
