"""A new control action is four edits: engine, API, command, a line of the manual. A copy of the checkout gets them.

Then a run of it is asked for over HTTP, and by the command. The edits are found by the text around them: if an action
of yours moved that text, the assertion says which place is to be named here instead.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
ACTION = '''
class Remark(ControlAction):
    """Something that whoever goes on should know."""

    kind: Literal["remark"] = "remark"
    too_late: ClassVar[str] = "nobody would read it"
    text: str = Field(min_length=1)

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        return "it has a remark already" if "Remark:" in run.state.background else None

    def apply(self, run: Run) -> Run:
        return run.knowing(run.state.model_copy(update={"background": f"Remark: {self.text}"}))

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        return len(run.state.background)

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        return "state_updated", f"Remark: {self.text}", {}
'''
IMPORT = "from elcano.graphs.engine.control_actions import Remark\n"
BODY = '''
class RemarkAccepted(Accepted):
    """It was written down."""

    characters: int


class RemarkBody(ControlBody):
    """What whoever goes on should know."""

    path = "remark"
    manual = "Leave a remark."
    answer = RemarkAccepted

    text: Text = Field(min_length=1, max_length=500)

    def build_action(self) -> Action:
        return Remark(text=self.text)

    def build_answer(self, run_id: str, said: Json) -> Accepted:
        return RemarkAccepted(run_id=run_id, characters=said)
'''
COMMAND = '''
def remark(run: Run, text: str) -> None:
    """Leave a remark with a run."""
    answer = post_to_run(run, "remark", {"text": text})
    print_line(f"{run} knows {answer['characters']} characters more")
'''
MANUAL = "| `elcano remark RUN TEXT` | leaves a remark that every agent reads from then on |\n"


def insert_before(text: str, place: str, added: str) -> str:
    """`text` with something before a place, of which it has one."""
    assert text.count(place) == 1, f"this test adds something before {place!r}, which is not there once: name another"
    return text.replace(place, f"{added}{place}")


def add_action(text: str) -> str:
    text = insert_before(text, "Action: TypeAlias = Annotated[", f"{ACTION}\n\n")
    return insert_before(text, ',\n    Field(discriminator="kind")', " | Remark")


def add_body(text: str) -> str:
    text = insert_before(text, "from elcano.graphs.engine.control_actions import", IMPORT)
    text = insert_before(text, "CONTROLS: Final", f"{BODY}\n\n")
    return insert_before(text, "    StopBody,\n", "    RemarkBody,\n")


def add_command(text: str) -> str:
    text = insert_before(text, "COMMANDS: Final", f"{COMMAND}\n\n")
    return insert_before(text, '    "stop": request_command(\n', '    "remark": remark,\n')


EDITS: Mapping[str, Callable[[str], str]] = {
    "graphs/engine/control_actions.py": add_action,
    "service/control/actions.py": add_body,
    "cli/control.py": add_command,
    "docs/cli.md": lambda text: insert_before(text, "| `elcano unpause RUN`", MANUAL),
}


def copy_with_action(folder: Path) -> Path:
    """A checkout in which these files are edited, and everything else is as it is."""
    package = folder / "elcano"
    other = shutil.ignore_patterns("__pycache__", ".*", "tests", "benchmarks", "shared", "*.tape", "*.gif", "*.png")
    shutil.copytree(ROOT, package, ignore=other)
    for name, edit in EDITS.items():
        before = (package / name).read_text(encoding="utf-8")
        after = edit(before)
        assert after != before
        (package / name).write_text(after, encoding="utf-8")
    return folder


async def test_four_files_make_a_control_action(tmp_path: Path) -> None:
    assert len(EDITS) == 4
    search = os.pathsep.join((str(copy_with_action(tmp_path)), str(ROOT)))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.seams.remarking",
        str(tmp_path / "data"),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": search},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complained = await process.communicate()
    assert process.returncode == 0, complained.decode()
    command, told, listed = said.decode().splitlines()[-3:]
    assert command == "knows 13 characters more", complained.decode()
    assert told == "409 state_updated Remark: Fish!"
    assert listed.split(maxsplit=1) == ["remark", "Leave a remark with a run."]
