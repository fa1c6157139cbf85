"""A process of the suite that ends takes one test with it, and the others run all that is left."""

from types import SimpleNamespace

import pytest

from tests.scheduling import FileScheduling

FILES = {f"tests/test_{name}.py": [f"tests/test_{name}.py::test_{n}" for n in range(count)] for name, count in (
    ("a", 3), ("b", 1), ("c", 3), ("d", 1), ("e", 1), ("f", 4),
)}  # fmt: skip
TESTS = [test for tests in FILES.values() for test in tests]


class Process:
    """One of xdist's, as its scheduler sees it: it runs a test once it knows the next or that there is none."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.queue: list[int] = []
        self.shutting_down = False
        self.has_ended = False

    def send_runtest_some(self, indices: list[int]) -> None:
        assert indices, "a process that is handed nothing waits"
        self.queue += indices

    def shutdown(self) -> None:
        self.shutting_down = True

    @property
    def can_run(self) -> bool:
        return len(self.queue) > 1 or (self.shutting_down and bool(self.queue))


CONFIG = SimpleNamespace(getvalue=lambda _: ["2*popen"], option=SimpleNamespace(loadscopereorder=False))


def run_all(ends_at: str) -> tuple[list[str], list[str]]:
    """Which tests ran, and at which a process ended, when one ends whenever it comes to `ends_at`."""
    scheduling = FileScheduling(CONFIG, None)
    processes = [Process("gw0"), Process("gw1")]
    for process in processes:
        scheduling.add_node(process)
        scheduling.add_node_collection(process, TESTS)
    scheduling.schedule()
    ran, ended = [], []
    while ready := [process for process in processes if not process.has_ended and process.can_run]:
        process = ready[0]
        index = process.queue.pop(0)
        if TESTS[index] != ends_at:
            ran.append(TESTS[index])
            scheduling.mark_test_complete(process, index)
        else:
            process.has_ended = True
            ended.append(scheduling.remove_node(process))
            replacement = Process(f"gw{len(processes)}")
            processes.append(replacement)
            scheduling.add_node(replacement)
            scheduling.add_node_collection(replacement, TESTS)
            scheduling.schedule()
        if scheduling.tests_finished:
            for left in processes:
                left.shutdown()
    return ran, [test for test in ended if test]


@pytest.mark.parametrize("test", TESTS)
def test_a_process_that_ends_takes_one_test_with_it(test: str) -> None:
    ran, ended = run_all(test)
    assert ended == [test]
    assert sorted(ran) == sorted(set(TESTS) - {test})
