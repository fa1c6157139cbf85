"""A new control action is a class in one file and a row in another: a copy of the checkout gets both, and serves it."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ACTION = '''
class Remark(Frozen):
    """Something that whoever goes on should know."""

    kind: Literal["remark"] = "remark"
    halts: ClassVar[bool] = False
    too_late: ClassVar[str] = "nobody would read it"
    text: str = Field(min_length=1)

    def refusal(self, run: Run, owner: str) -> str | None:
        return "it has a remark already" if "Remark:" in run.state.background else None

    def apply(self, run: Run) -> Run:
        return run.knowing(run.state.model_copy(update={"background": f"Remark: {self.text}"}))

    def answer(self, run: Run) -> Json:
        return len(run.state.background)

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        return "state_updated", f"Remark: {self.text}", {}
'''
ROW = '''
class RemarkBody(Request):
    """What whoever goes on should know."""

    text: Text = Field(min_length=1, max_length=500)


class RemarkAccepted(Accepted):
    """It was written down."""

    characters: int


CONTROLS += (
    Control(
        path="remark",
        manual="Leave a remark.",
        body=RemarkBody,
        action=lambda body: Remark(text=body.text),
        accepted=lambda run_id, _, answer: RemarkAccepted(run_id=run_id, characters=answer),
        answer=RemarkAccepted,
    ),
)
'''
IMPORTED = "from elcano.graphs.engine.control_actions import "
EDITED = ("graphs/engine/control_actions.py", "api/control/routes.py")
UNION = "Action: TypeAlias = Annotated["


def with_the_action(folder: Path) -> Path:
    """A checkout in which these two files are edited, and everything else is as it is."""
    package = folder / "elcano"
    package.mkdir()
    rooms = ("activities", "api", "cli", "dev", "graphs", "storage", "testing", "workflows")
    for room in rooms:
        shutil.copytree(ROOT / room, package / room, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.glob("*.py"):
        shutil.copy(file, package)
    actions, routes = (package / name for name in EDITED)
    text = actions.read_text(encoding="utf-8")
    assert text.count(UNION) == 1
    before, after = text.split(UNION)
    named = re.sub(r",\s+Field\(", " | Remark, Field(", after, count=1)
    actions.write_text(f"{before}{ACTION}\n\n{UNION}{named}", encoding="utf-8")
    text = routes.read_text(encoding="utf-8")
    before, after = text.split("_SENT_AGAIN: Final", 1)
    before = before.replace(IMPORTED, f"{IMPORTED}Remark, ")
    routes.write_text(f"{before}{ROW}\n_SENT_AGAIN: Final{after}", encoding="utf-8")
    return folder


async def test_two_files_make_a_control_action(tmp_path: Path) -> None:
    search = os.pathsep.join((str(with_the_action(tmp_path)), str(ROOT)))
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
    assert said.decode().splitlines()[-1] == "13 409 state_updated Remark: Fish!", complained.decode()
