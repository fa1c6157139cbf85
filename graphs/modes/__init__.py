"""The built-in graphs, one file each; every mode is data for the one engine."""

from collections.abc import Mapping

from graphs.modes.auto import AUTO
from graphs.modes.deep import DEEP, DEEP_BRIEF
from graphs.modes.iterative import ITERATIVE
from graphs.modes.simple import SIMPLE
from graphs.spec import ResearchGraph

MODES: Mapping[str, ResearchGraph] = {graph.name: graph for graph in (ITERATIVE, DEEP, DEEP_BRIEF, SIMPLE, AUTO)}
"""The graphs that a run can be started with, by name."""
