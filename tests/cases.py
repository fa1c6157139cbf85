"""Cases of tests: which of them only a long run of the tests takes, and both ways in which a graph is walked.

A long case or test repeats, in another mode or place, larger or with more chance, what a shorter one shows, or checks
what only a release is made of (`CONTRIBUTING.md`, Tests).
"""

from typing import Final

import pytest
from _pytest.mark import ParameterSet


def long_case(*values: object) -> ParameterSet:
    """Return a case that is left out of a run of the tests that has to be short."""
    return pytest.param(*values, marks=pytest.mark.long)


BOTH_WAYS: Final = pytest.mark.parametrize("chain", [False, long_case(True)])
"""As a graph and, in the long run, as a chain: `tests/workflow/test_chain.py` shows that both agree."""
