"""Shortening of texts, and wording of numbers, days and names, for every room.

`textwrap.shorten` would leave nothing of a text without spaces, as Chinese and long names are, and join its lines.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Final

from elcano.graphs.frozen import Json

ELLIPSIS: Final = "…"
_NONCHARACTERS: Final = re.compile(
    f"[\ufdd0-\ufdef{''.join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))}]+"
)
"""Exports and databases refuse them; PDFium writes U+FFFE within a word for a hyphen that only breaks a line."""
_AT_THE_END: Final = re.compile("[\ufdd0-\U0010ffff]+")
"""A class of one range takes a thirtieth of the time that one of many takes for each character."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")


def remove_noncharacters(text: str) -> str:
    """`text` without the code points that Unicode keeps for no character, such as U+FFFE."""
    return _AT_THE_END.sub(lambda found: _NONCHARACTERS.sub("", found[0]), text)


def clean_text(text: str) -> str:
    """`text` without noncharacters, with a space for control characters other than tabs and line feeds.

    Halves of surrogate pairs are control characters here. Everything that is stored of documents, models and databases
    goes through this, so that every export can write it.
    """
    return _CONTROL.sub(" ", remove_noncharacters(text.replace("\r\n", "\n").replace("\r", "\n")))


def shorten_text(text: str, most: int) -> str:
    """`text` if it has at most `most` characters; else its beginning with an ellipsis, `most` characters at most.

    It is cut between words where the second half of that has a space, and anywhere where it has none.
    """
    if len(text) <= most:
        return text
    room = most - len(ELLIPSIS)
    space = max(text.rfind(sign, room // 2, room + 1) for sign in " \n\t")
    return text[: space if space > 0 else room].rstrip() + ELLIPSIS


def keep_last_words(text: str, most: int) -> str:
    """Return the last words of `text`, with single spaces: as many as `most` characters hold."""
    words = " ".join(text.split())
    return words if len(words) <= most else words[-most - 1 :].partition(" ")[2]


def format_count(number: int, one: str, many: str = "") -> str:
    """`1 passage`, `2 passages`; `many` where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


_LAST: Final = 253_402_300_800.0
"""The end of the year 9999, in seconds since the epoch."""


def format_utc_day(at: float) -> str:
    """Return the UTC date of a time in seconds since the epoch, as `2026-11-22`; empty for 0 and invalid times."""
    if not (math.isfinite(at) and 0 < at < _LAST):
        return ""
    return datetime.fromtimestamp(int(at), UTC).date().isoformat()


_TITLES: Final[Mapping[tuple[str, str], str]] = {
    ("store_plan", "store_plan"): "Outline",
    ("parallel_loops", "plan"): "Sections",
    ("teams", "plan"): "Sections",
    ("collect_drafts", "collect_drafts"): "Drafts",
    ("hand_over", "hand_over"): "Findings",
    ("hand_in", "hand_in"): "Judged draft",
    ("reset", "reset_ledger"): "New plan",
    ("parallel_paths", "collect_results"): "Parts of the question",
    ("path_result", "set_values"): "Result",
}
"""Nodes of built-in graphs whose ids speak of bookkeeping, by id and work: others of the same id have its own words."""


def title_from_id(name: str, work: str = "") -> str:
    """A node's name for people: `knowledge_gap` is `Knowledge gap`, `store_plan` with the reducer of it `Outline`.

    Args:
        name: its id.
        work: its reducer, or the list that its branches are of.
    """
    if title := _TITLES.get((name, work)):
        return title
    words = name.replace("_", " ").capitalize()
    return f"SQL{words[3:]}" if words.startswith("Sql ") else words


def suggest_name(name: str, known: Iterable[str], otherwise: str = "", *, cutoff: float = 0.6) -> str:
    """`did you mean 'judge'?`: the known name that an unknown one resembles most; `otherwise` if it resembles none.

    A name in two parts (`uploads:handbook`) is resembled by its last one, too.
    """
    whole = list(known)
    names = {one.rpartition(":")[2]: one for one in whole} | {one: one for one in whole}
    close = get_close_matches(name[:100], list(names), n=1, cutoff=cutoff)
    return f"did you mean {names[close[0]]!r}?" if close else otherwise


def ensure_list(value: Json) -> list[Json]:
    """`value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def number_repeated(names: Iterable[str], pattern: str = "{name}_{number}") -> list[str]:
    """Return the names, each once: of several with one name all but the first are numbered from 2."""
    listed = list(names)
    taken, found = set(listed), dict[str, None]()
    for name in listed:
        number, own = 2, name
        while own in found or (own != name and own in taken):
            own, number = pattern.format(name=name, number=number), number + 1
        found[own] = None
    return list(found)


def choose_free_name(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of `name_2`, `name_3` and so on that is not taken."""
    return next(one for one in (name, *(f"{name}_{n}" for n in range(2, len(taken) + 3))) if one not in taken)
