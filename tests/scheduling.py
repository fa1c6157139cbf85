"""Which tests one process runs, and in which order: a file is run by one process, which makes its fixtures once."""

from pathlib import PurePosixPath

from xdist.scheduler.loadscope import LoadScopeScheduling  # type: ignore[import-untyped]

FIRST = ("chaos", "page", "tour", "packaging", "seams", "scripts", "benchmarks", "load")
"""Folders whose tests wait for seconds more than they compute: at the end they would wait alone."""


def rank_file(path: PurePosixPath) -> int:
    """The place of a file's tests in the order: what waits comes first, what is short last."""
    folder = path.parent.name
    return FIRST.index(folder) if folder in FIRST else len(FIRST) + ("unit" in path.parts)


class FileScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Give each file to one process, and all pages, which have one stack and one browser, to one of them."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "pages" if PurePosixPath(file).parent.name in {"page", "tour"} else file
