"""Variables that are not ours: providers' keys, which their own names are kept for."""

import os


def is_set(name: str) -> bool:
    """Whether a variable that is not ours, such as a provider's key, is there and not empty."""
    return bool(os.environ.get(name))


def read_key_variable(name: str) -> str:
    """The key in a variable that is not ours; empty if it is not set."""
    return os.environ.get(name, "").strip()
