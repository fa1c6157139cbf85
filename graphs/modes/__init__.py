"""The built-in graphs, one file each; every mode is data for the one engine."""

from collections.abc import Mapping

from elcano.graphs.modes.analysis import ANALYSIS
from elcano.graphs.modes.auto import AUTO
from elcano.graphs.modes.deep import DEEP, DEEP_BRIEF
from elcano.graphs.modes.iterative import ITERATIVE
from elcano.graphs.modes.literature_review import LITERATURE_REVIEW
from elcano.graphs.modes.simple import SIMPLE
from elcano.graphs.spec.graph import ResearchGraph

MODES: Mapping[str, ResearchGraph] = {
    graph.name: graph for graph in (ITERATIVE, DEEP, DEEP_BRIEF, SIMPLE, LITERATURE_REVIEW, ANALYSIS, AUTO)
}
"""The graphs that a run can be started with, by name."""
