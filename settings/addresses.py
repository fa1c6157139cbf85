"""Addresses of services that are asked over HTTP."""

from urllib.parse import urlsplit


def checked_address(value: str) -> str:
    """`value`, an address over HTTP.

    Raises:
        ValueError: it is none.
    """
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("it is no address such as `https://temporal.example.org` or `http://localhost:8000/v1`")
    return value
