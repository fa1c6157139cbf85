"""`python -m tests.chaos.releases --to REVISION`: `python -m elcano.storage` of a release to come."""

from elcano.plugins import load_plugins
from elcano.storage.__main__ import main

load_plugins()  # they bring its migrations
main()
