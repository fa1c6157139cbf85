"""The numbers that LaTeX prints in front of the items of an `enumerate`."""

import re
from collections.abc import Mapping
from typing import Final

from elcano.subjects.documents.latex_macros import read_group, read_option
from elcano.subjects.documents.latex_text import write_inline
from elcano.subjects.documents.office.list_numbers import write_number

ORDERED: Final = frozenset({"enumerate", "compactenum", "inparaenum", "asparaenum"})
LISTS: Final = ORDERED | {"itemize", "description", "compactitem", "tasks"}
_DEFAULTS: Final = (
    ("labelenumi", r"\arabic*."),
    ("labelenumii", r"(\alph*)"),
    ("labelenumiii", r"\roman*."),
    ("labelenumiv", r"\Alph*."),
)
"""The command for the label of a list, by its depth, and what it is in the standard classes."""
_STYLES: Final = {
    "arabic": "decimal", "alph": "lowerLetter", "Alph": "upperLetter", "roman": "lowerRoman", "Roman": "upperRoman",
}  # fmt: skip
_COUNTER: Final = re.compile(r"\\(arabic|alph|Alph|roman|Roman)\s{0,9}(?:\*|\{enum(i{1,3}|iv)\})")
_SHORT: Final = re.compile(r"(?<![\\A-Za-z{])([AaIi1])(?![A-Za-z}])")
"""The sign that `enumerate` and `paralist` replace in `[(a)]`; what is in braces is printed as it is."""
_SHORT_STYLES: Final = {"A": r"\Alph*", "a": r"\alph*", "I": r"\Roman*", "i": r"\roman*", "1": r"\arabic*"}
_LABEL: Final = re.compile(r"(?:^|,)\s{0,9}label\s{0,9}=\s{0,9}")
_START: Final = re.compile(r"(?:^|,)\s{0,9}start\s{0,9}=\s{0,9}\{?(\d{1,6})")
_DEFINED: Final = re.compile(r"\\(?:def|renewcommand\*?)\s{0,9}\{?\\labelenum(?:i{1,3}|iv)\}?")
_SET: Final = re.compile(r"\\setcounter\{enum(?:i{1,3}|iv)\}\{(\d{1,6})\}")


class Numbering:
    """The numbers of one list.

    Args:
        head: what is between the beginning of the environment and its first item.
        depth: how many numbered lists it is in.
        labels: of all lists, by the commands that print them.
    """

    def __init__(self, head: str, depth: int, labels: Mapping[str, str]) -> None:
        option = (read_option(head, 0)[0] or "").strip()
        command, default = _DEFAULTS[min(depth, len(_DEFAULTS) - 1)]
        self._label = _find_label(option, head) or labels.get(command, default)
        start, counter = _START.search(option), _SET.search(head)
        self._last = int(start[1]) - 1 if start else int(counter[1]) if counter else 0

    def count_item(self) -> str:
        """Count an item, and return what is printed in front of it."""
        self._last += 1
        return " ".join(write_inline(_COUNTER.sub(self._write_counter, self._label)).split())

    def _write_counter(self, found: re.Match[str]) -> str:
        return write_number(self._last, _STYLES[found[1]])


def _find_label(option: str, head: str) -> str:
    if found := _LABEL.search(option):
        rest = option[found.end() :]
        return read_group(rest, 0)[0] if rest.startswith("{") else re.split(r",(?![^{]*\})", rest, maxsplit=1)[0]
    short, count = _SHORT.subn(lambda found: _SHORT_STYLES[found[1]], option, count=1)
    if count and "=" not in option:
        return short
    found = _DEFINED.search(head)
    return read_group(head, found.end())[0] if found else ""
