"""The mode of the plugin, and when `auto` chooses it."""

from typing import Final

from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.modes import Mode
from elcano.plugins.data.data_mode import DATA

MODE: Final = Mode(
    DATA,
    "A question to databases: SQL is written, run and mended, and every number names the cell it is from.",
    when="its answer is a figure, a list or a forecast that comes of counting, adding, ranking or comparing rows of "
    "the tables that `databases` tells of; never if it asks what texts say, why something is, or of what no "
    "table is about",
    kinds=(DATABASE,),
    instead="iterative",
    prefix="",
)
