"""Elcano: durable deep research. This checkout is the package: `graphs/` is `elcano.graphs`, `api/` is `elcano.api`."""

from typing import Final

__version__: Final = "0.1.0"
"""The one place of the version: the package's metadata, the programs and what they say over HTTP take it from here."""
