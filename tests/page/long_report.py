"""A report that quotes every entry of a long log, and the log: what a reader waits for is measured with it."""

from pathlib import Path
from typing import Final

from elcano.graphs.report.report import DraftSection, ReportDraft
from elcano.storage.store import Store
from tests.page.harbour import find_passages, leave, state_block, write_claim

_WHO: Final = ("The pilot", "A cook", "Captain Lund", "The harbour master", "One of the smiths", "A boy", "The parson")
_WHAT: Final = (
    "a lamp",
    "his sledge",
    "the bell rope",
    "two barrels",
    "an anchor",
    "nets",
    "the long saw",
    "bread",
    "tar",
)
_WHERE: Final = (
    "by the pier",
    "at Grann",
    "on the ice",
    "under the crane",
    "in the yard",
    "off the point",
    "at church",
)
_WHY: Final = ("for the wind had turned", "since nobody came", "as he was told", "to see it mended", "before the thaw")


def name_entry(number: int) -> str:
    """What entry `number` of the log says, and the statement that quotes it: each is in other words."""
    who, what, where, why = (words[number % len(words)] for words in (_WHO, _WHAT, _WHERE, _WHY))
    return f"{who} left {what} {where} {why}, on day {number + 1}."


def write_log(folder: Path, entries: int, pages: int) -> None:
    """Write a log with so many entries on so many pages into a folder: entry 7 of 5 pages is on the third."""
    import typst

    on_pages = ("\n\n".join(map(name_entry, range(page, entries, pages))) for page in range(pages))
    folder.mkdir(parents=True)
    style = "#set page(margin: 1cm)\n#set text(size: 7pt)\n#set par(spacing: 0.4em)\n"  # 80 of them fit on one page
    (folder / "log.pdf").write_bytes(typst.compile((style + "#pagebreak()\n".join(on_pages)).encode(), format="pdf"))


async def leave_long_report(store: Store, folder: Path, index: Path, entries: int) -> str:
    """Leave a run whose report quotes each of so many entries of the log in a folder; its id."""
    told = [name_entry(number) for number in range(entries)]
    passages, texts, _ = await find_passages(folder, index, told)
    claims = [write_claim(state_block(f"{one[:-1]} [a].", a=one), passages) for one in told]
    sections = tuple(
        DraftSection(heading=f"Part {first // 20 + 1}", claims=tuple(claims[first : first + 20]))
        for first in range(0, entries, 20)
    )
    return await leave(store, ReportDraft(title="The log", sections=sections), passages, texts)
