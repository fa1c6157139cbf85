"""The rubrics of fields of knowledge, one a file; without one a judge goes by no field's standards."""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.domains.biomedical import BIOMEDICAL
from elcano.graphs.values.rubric import Rubric

GENERAL: Final = "general"
"""Names the judge of every field, which goes by no rubric."""
DOMAINS: Final[Mapping[str, Rubric]] = {rubric.name: rubric for rubric in (BIOMEDICAL,)}
"""The built-in ones, by name."""
