"""Finds the installed extras; a worker reports those that are missing, see `graphs/extras.py`."""

from importlib.util import find_spec

from elcano.graphs.extras import EXTRAS


def missing_extras() -> frozenset[str]:
    """The extras of which a module cannot be found here. Nothing is imported."""
    return frozenset(name for name, extra in EXTRAS.items() if not all(map(find_spec, extra.modules)))
