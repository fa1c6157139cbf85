"""The forms in which the references of a report are written down for programs, by their media types."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from elcano.graphs.references import bibtex, csl, ris
from elcano.graphs.report.report import Reference

BIBTEX: Final = "application/x-bibtex"
RIS: Final = "application/x-research-info-systems"
CSL: Final = "application/vnd.citationstyles.csl+json"

FORMS: Final[Mapping[str, Callable[[Sequence[Reference]], str]]] = {
    BIBTEX: bibtex.render_bibtex,
    RIS: ris.render_ris,
    CSL: csl.render_csl_json,
}
NAMES: Final[Mapping[str, str]] = {
    "md": "text/markdown",
    "html": "text/html",
    "json": "application/json",
    "bibtex": BIBTEX,
    "ris": RIS,
    "csl": CSL,
}
"""What people call the forms of a report, and their media types."""
