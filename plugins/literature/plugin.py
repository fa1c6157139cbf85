"""The plugin `literature`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="literature",
    description="Services of scientific literature, and the literature review.",
    package="elcano.plugins.literature",
    modes=(".review_mode:MODE",),
    sources=(".source_specs:SOURCES",),
)
