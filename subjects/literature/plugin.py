"""The plugin `literature`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="literature",
    description="Services of scientific literature, and the literature review.",
    package="elcano.subjects.literature",
    needs=("research",),
    modes=(".review_mode:MODE",),
    report_additions=(".review_report:ReviewAddition",),
    sources=(".source_specs:SOURCES",),
)
