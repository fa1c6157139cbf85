"""The plugin by which a program is one of the release after the next."""

from typing import Final

from elcano.graphs.plugin import Plugin
from tests.chaos.releases.release import install_release

install_release("expanding", "contracting")
plugin: Final = Plugin(name="later-release", description="The one after it.", package="tests.chaos.releases")
