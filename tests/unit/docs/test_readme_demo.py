"""The README's second command answers: its question is researched here in the same mode, over the same folder."""

import re
import shlex
from pathlib import Path

from elcano.activities.sources.registry import open_sources
from elcano.settings import Settings
from elcano.testing import run_research

ROOT = Path(__file__).parents[3]


def second_command() -> dict[str, str]:
    """The variables of the README's `make demo` over a folder of one's own."""
    (line,) = re.findall(r"^make demo QUESTION=.*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    return dict(word.split("=", 1) for word in shlex.split(line)[2:])


async def test_the_second_command_answers_over_its_own_docs(tmp_path: Path) -> None:
    asked = second_command()
    chosen = Settings(
        _env_file=None, data_dir=tmp_path, collections={"docs": ROOT / asked["DOCS"]}, package_readmes=False
    )
    async with open_sources(chosen) as sources:
        docs = sources.get("docs")
        report, _ = await run_research(asked["QUESTION"], folder=tmp_path, sources=[docs], mode=asked["MODE"])
    assert report.answered, report.markdown
    assert report.partial is None
    assert report.unverified == ()
    # Each of its two parts, from wherever that stands.
    assert sum(len(one.locators) for one in report.references) >= 2, report.markdown
    assert "Money is counted" in report.markdown
    assert "When a budget is spent, the run goes to its exit" in report.markdown
    assert "This section is missing" not in report.markdown
    for unanswered in ("No sentence was found that can be quoted", "Missing: "):
        assert unanswered not in report.markdown
