"""A server with one small handbook, for tests that research in earnest."""

from pathlib import Path

from elcano.settings import Settings

IN_ROUNDS = "To whom do retries belong alone with their delay, and who counts them?"
"""A question that the handbook answers in part, so that its first search is not enough and a judge is asked."""


def handbook_settings(folder: Path) -> Settings:
    """Settings of a server that keeps its data and its handbook below `folder`."""
    handbook = folder / "handbook"
    handbook.mkdir()
    (handbook / "retries.md").write_text("# Retries\n\nRetries belong to Temporal alone, and their delay doubles.\n")
    return Settings(
        _env_file=None,
        data_dir=folder / "data",
        collections={"handbook": handbook},
        package_readmes=False,
        # What workers of other tests on the same Temporal server search is nothing that this one has.
        shared_environment=True,
    )
