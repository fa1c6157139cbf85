"""The examples under "Testing" in `docs/plugins.md` pass as they are, set up as it says, and every fake is named."""

import os
import re
import subprocess
import sys
from pathlib import Path

from elcano import testing

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "plugins.md").read_text(encoding="utf-8").split("\n## Testing\n")[1]


def blocks(language: str) -> list[str]:
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def test_the_examples_pass_in_a_project_that_is_set_up_as_the_page_says(tmp_path: Path) -> None:
    (configuration,) = blocks("toml")
    examples = [block for block in blocks("python") if "async def test_" in block]
    (tmp_path / "pyproject.toml").write_text(configuration)
    (tmp_path / "conftest.py").write_text("\n".join(block for block in blocks("python") if block not in examples))
    for number, example in enumerate(examples):
        (tmp_path / f"test_example_{number}.py").write_text(example)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "filterwarnings=error"]
    environment = {name: value for name, value in os.environ.items() if name != "ELCANO_PLUGINS"}
    environment["PYTHONPATH"] = os.pathsep.join((str(DOCS / "plugins" / "tides"), environment.get("PYTHONPATH", "")))
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{len(examples)} passed" in ended.stdout
    assert len(examples) == 3


def test_every_fake_is_named_and_there() -> None:
    for name in testing.__all__:
        assert re.search(rf"\b{name}\b", PAGE), name
        assert getattr(testing, name).__module__.startswith(("elcano.testing.", "elcano.graphs.dry_run."))
