"""Elcano: durable deep research. This checkout is the package: `graphs/` is `elcano.graphs`, `api/` is `elcano.api`."""
