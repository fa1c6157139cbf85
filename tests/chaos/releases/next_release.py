"""The plugin by which a program is one of the next release."""

from typing import Final

from elcano.graphs.plugin import Plugin
from tests.chaos.releases.release import install_release

install_release("expanding")
plugin: Final = Plugin(name="next-release", description="The next release.", package="tests.chaos.releases")
