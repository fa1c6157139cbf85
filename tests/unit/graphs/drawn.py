"""Random valid graphs by number, for tests that cannot be given one by hypothesis: they wait for something."""

from functools import lru_cache

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from elcano.graphs.spec.graph import ResearchGraph
from tests.unit.graphs.strategies import graphs


@lru_cache
def drawn(seed: int, count: int) -> list[ResearchGraph]:
    """So many random graphs, the same ones for a seed."""
    found: list[ResearchGraph] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(graphs())
    def collect(graph: ResearchGraph) -> None:
        found.append(graph)

    collect()
    return found[:count]
