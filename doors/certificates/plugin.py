"""The plugin `certificates`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="certificates",
    description="Certificates of runs: all that a report rests on, to be verified without Elcano's server.",
    package="elcano.doors.certificates",
    needs=("documents",),
    routes=(".routes:router",),
    commands={
        "certificate": ".certificate_command:save_certificate",
        "verify": ".certificate_command:verify_certificate",
    },
)
