"""The built-in graphs, one file each; every mode is data for the one engine."""

from collections.abc import Mapping

from graphs.modes.iterative import ITERATIVE
from graphs.spec import ResearchGraph

MODES: Mapping[str, ResearchGraph] = {graph.name: graph for graph in (ITERATIVE,)}
"""The graphs that a run can be started with, by name."""
