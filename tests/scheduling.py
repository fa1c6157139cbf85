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

    def remove_node(self, node: Any) -> str | None:
        """The test at which a process ended: it has failed and is not run again, what was to follow it is.

        xdist runs it again, and hands out files that had ended as well: who waits for a test then gets none.
        """
        files = self.assigned_work.pop(node)
        ended = None
        for name, tests in files.items():
            left = [test for test, done in tests.items() if not done]
            if left and ended is None:
                ended = left.pop(0)
                tests[ended] = True
            if left:
                self.workqueue[name] = tests
        for other in self.assigned_work:
            self._reschedule(other)
        return ended

    def _reschedule(self, node: Any) -> None:
        # One that replaces another has no tests to choose from until it has collected them, and cannot begin with one
        # alone: a process runs a test when it knows the next, or that there is none.
        if node not in self.registered_collections:
            return
        super()._reschedule(node)
        while self.workqueue and not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)

    def _assign_work_unit(self, node: Any) -> None:
        if node.gateway.id not in ("gw0", "gw1"):
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
