"""Which tests one process runs, and in which order: a file is run by one process, which makes its fixtures once.

xdist has `loadgroup` for this, which does not see the groups of tests that pytest 9.2 collects.
"""

from pathlib import PurePosixPath
from typing import Any

from xdist.scheduler.loadscope import LoadScopeScheduling  # type: ignore[import-untyped]

WAITING = ("chaos", "page", "tour", "packaging", "seams", "scripts", "benchmarks", "load")
"""Folders whose tests wait for seconds more than they compute: at the end they would wait alone."""

WAITING_FILES = ("test_holds.py", "test_long_holds.py", "test_pause.py", "test_tries.py")


def rank_file(path: PurePosixPath) -> int:
    """The place of a file's tests in the order: what waits comes first, what is short last."""
    folder = path.parent.name
    if folder in WAITING or path.name in WAITING_FILES:
        return WAITING.index(folder) if folder in WAITING else len(WAITING)
    return len(WAITING) + 1 + ("unit" in path.parts)


TOGETHER = ("certificates", "packaging", "page", "tour")
"""Folders whose files share what takes long to make."""


class FileScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Give each file to one process, or the whole folder if its files share what takes long to make.

    The first two processes go through the files from the front, the others from the end: so some wait while others
    compute, from the beginning on.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = PurePosixPath(nodeid.partition("::")[0])
        return str(file.parent if file.parent.name in TOGETHER else file)

    def _assign_work_unit(self, node: Any) -> None:
        if node.gateway.id not in ("gw0", "gw1"):
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
