"""Extras: the optional parts of an installation, what each is for, how it is installed, and what a worker lacks.

A worker says what it lacks in its identity, which the server shows of everyone who polls a task queue: so the API knows
it by the worker's own word, before a run is accepted.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from elcano.graphs.frozen import Frozen

DISTRIBUTION: Final = "elcano-research"
"""The distribution of the package `elcano`. It is not on the public index, where `elcano` is another project: no one is
advised to install either name from there."""
_LACKS: Final = re.compile(r" without ([a-z]+(?:,[a-z]+)*)$")


class Extra(Frozen):
    """One optional part."""

    name: str
    modules: tuple[str, ...]
    """The modules that can be imported once it is installed."""
    purpose: str
    """Feature that is missing without it, in half a sentence."""

    @property
    def install(self) -> str:
        """The command that installs it, with all others, in a checkout; or what to add to a wheel built from one."""
        return f"`make setup` (of a wheel: its extra `{self.name}`)"

    @property
    def hint(self) -> str:
        """Name the loss without it, and the command that installs it."""
        return f"{self.purpose}: {self.install} where workers run, and start them again"


_LISTED: Final = (
    Extra(name="access", modules=("jwt", "cryptography"), purpose="login by OpenID Connect (`ELCANO_OIDC_ISSUER`)"),
    Extra(
        name="analysis",
        modules=("statsmodels",),
        purpose="statistics over studies (the mode `analysis`)",
    ),
    Extra(
        name="databases", modules=("duckdb", "python_calamine"), purpose="DuckDB, CSV, Parquet and Excel as databases"
    ),
    Extra(
        name="embeddings",
        modules=("numpy", "onnxruntime", "tokenizers"),
        purpose="a sentence encoder for related passages (`ELCANO_EMBEDDINGS`)",
    ),
    Extra(
        name="exports",
        modules=("pypandoc", "typst"),
        purpose="reports for Word, as PDF and for LaTeX (`elcano export`)",
    ),
    Extra(name="forecast", modules=("statsforecast",), purpose="forecasts of series (mode `data`)"),
    Extra(name="mcp", modules=("httpx2", "mcp"), purpose="servers of tools (`ELCANO_MCP_SERVERS`)"),
    Extra(name="ocr", modules=("tesserocr",), purpose="text of scans and pictures of pages"),
    Extra(name="plots", modules=("vl_convert",), purpose="charts in reports (mode `data`)"),
    Extra(
        name="telemetry",
        modules=("opentelemetry.exporter", "opentelemetry.sdk", "prometheus_client"),
        purpose="traces and metrics (`ELCANO_TRACES`, `ELCANO_METRICS`)",
    ),
)
EXTRAS: Final[Mapping[str, Extra]] = {extra.name: extra for extra in _LISTED}
"""The extras by name; a test compares them with the distribution's."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra."""
    return EXTRAS[extra].install


def worker_identity(process: str, lacking: Collection[str]) -> str:
    """The identity of a worker: its process, as the SDK names it, and the extras that it lacks."""
    return f"{process} without {','.join(sorted(lacking))}" if lacking else process


def lacking_extras(identity: str) -> frozenset[str]:
    """The extras that a worker of this identity says it lacks."""
    found = _LACKS.search(identity)
    return frozenset(found[1].split(",")) & EXTRAS.keys() if found else frozenset()
