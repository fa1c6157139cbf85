"""The plugin `web`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="web",
    description="Search engines, pages and web sites.",
    package="elcano.subjects.web",
    needs=("documents",),
    sources=(".source_specs:SOURCES",),
)
