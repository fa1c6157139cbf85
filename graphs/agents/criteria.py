"""The instructions on criteria that are shared by the agents that state or judge them, so that all mean the same."""

from typing import Final

STATING: Final = """\
A criterion is something that the answer has to have and that anybody can check against the passages: “names at least \
two suppliers, with prices”, “gives the size of the effect and its range”, “says since which version”. One to four, \
the most important first, each short and about one thing, none of them about length or style, none that the question \
does not call for."""
