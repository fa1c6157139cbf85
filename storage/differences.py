"""A difference between two places that should agree, such as the store and Temporal, with what mends it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One difference, in words. Whoever finds it changes nothing; `mend` does."""

    kind: str
    """What is wrong, as one word for programs: `run_unknown`."""
    tenant: str
    run_id: str
    """The run, or the branch of one, that it is about."""
    text: str
    """What differs, as a sentence without its full stop."""
    action: str
    """What mending does; without `mend`, what a person has to do."""
    mend: Callable[[], Awaitable[object]] | None = None
    """Mends it. It may be called again after it was cut off anywhere, and by several at once; None: nothing can.

    Raises:
        ElcanoError: it cannot be mended now; the text says why.
    """
