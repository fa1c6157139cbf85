"""Whether lists of works are read as other readers read them.

    python -m benchmarks.reading_lists FOLDER --peers PYTHON [--show]

FOLDER holds exports of programs for references and databases, in any of the formats that uploads take; other files are
passed over. PYTHON is an interpreter that has rispy, pypandoc, pybtex, pylatexenc, biopython, nbib, wosfile,
metaknowledge and pandas (`benchmarks/list_peers.py`). Each list is read by Elcano and by two of these. Works are
compared by their title, field by field, once letters, signs and forms of names are folded. A field counts where Elcano
differs from both: it is `lost` if both have the same and Elcano has nothing, `against two` if both have the same,
`three ways` if each has something else, and `only here` if neither has any. `--show` prints them.
"""

import argparse
import html
import json
import re
import subprocess
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import list_peers
from elcano.activities.passages.document import FileSkipped
from elcano.graphs.report.works import Work
from elcano.subjects.documents.csl_works import build_work
from elcano.subjects.uploads.reading_lists import (
    BIBTEX,
    CSL,
    ENDNOTE,
    ENDNOTE_XML,
    NBIB,
    RIS,
    TABLE,
    WEB_OF_SCIENCE,
    find_list_type,
    parse_list,
)

PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    **{RIS: ("rispy", "pandoc", "lines"), BIBTEX: ("pybtex", "pandoc", "bibtexparser"), NBIB: ("biopython", "nbib")},
    **{WEB_OF_SCIENCE: ("wosfile", "metaknowledge", "lines"), ENDNOTE_XML: ("pandoc", "elementtree")},
    **{TABLE: ("csv", "pandas"), ENDNOTE: ("lines",), CSL: ("pandoc", "json")},
}
"""The first two that do not refuse a list count."""
FIELDS: Final = ("title", "authors", "year", "venue", "volume", "issue", "page", "doi", "pmid")
SHOWN: Final = 6


def describe_work(work: Work) -> dict[str, Any]:
    """The fields of a work that are compared."""
    return {
        "title": work.title,
        "authors": [name.partition(",")[0] for name in work.authors],
        "year": str(work.year or ""),
        "venue": work.venue,
        **{"volume": work.volume, "issue": work.issue, "page": work.pages},
        **{"doi": work.identifiers.doi, "pmid": work.identifiers.pmid},
    }


def fold_field(name: str, value: Any) -> str:
    """A value in the form in which it is compared."""
    if name == "authors":
        return "|".join(filter(None, (_fold(one) for one in value or ())))
    text = str(value or "")
    if name == "year":
        return next(iter(re.findall(r"(?<!\d)[12]\d{3}(?!\d)", text)), "")
    if name == "doi":
        return next(iter(re.findall(r"10\.\d{4,9}/\S+", text.lower())), "").rstrip(".")
    if name == "page":
        return _fold(re.split(r"\s*[-\u2010-\u2015\u2212,;]+\s*", re.sub(r"^pp?\.?\s*", "", text.strip()))[0])
    return _fold(html.unescape(re.sub(r"</?[a-z]{1,6} ?/?>", "", text, flags=re.IGNORECASE)))


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(one for one in plain if one.isalnum())


def compare_values(own: str, one: str, other: str) -> str:
    """How a folded value differs from those of both peers; empty: it does not."""
    if own in (one, other):
        return ""
    if one == other:
        return "against two" if own and one else "lost" if one else "only here"
    return "three ways" if own else "lost"


def _read_peer(python: str, reader: str, paths: Sequence[Path]) -> dict[str, list[dict[str, Any]] | None]:
    program = Path(list_peers.__file__)
    found: dict[str, list[dict[str, Any]] | None] = {}
    for path in paths:  # one process each: a file that breaks a reader breaks no other
        done = subprocess.run([python, program, reader, path], capture_output=True, text=True, timeout=600, check=False)
        found |= json.loads(done.stdout) if done.returncode == 0 and done.stdout else {str(path): None}
    return found


def _by_title(works: Sequence[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    times: Counter[str] = Counter()
    found = {}
    for work in works:
        title = fold_field("title", work.get("title"))[:60]
        found[title, times[title]] = work
        times[title] += 1
    return found


def compare_list(own: Sequence[Work], peers: Sequence[Sequence[dict[str, Any]]]) -> Iterator[tuple[str, str, str]]:
    """Each field with how it differs, and the three values; an empty difference: it does not."""
    ours = _by_title([describe_work(work) for work in own])
    one, other = (_by_title(works) for works in peers)
    for title, work in one.items():
        if title not in ours and title in other and title[0]:
            yield "work", "lost", f"{work['title']!r}"
    for title in ours.keys() & (one.keys() | other.keys()):
        read = [ours[title], one.get(title, ours[title]), other.get(title, ours[title])]
        for name in FIELDS[1:]:
            if all(name in work for work in read):
                folded = [fold_field(name, work[name]) for work in read]
                difference = compare_values(*folded)
                yield name, difference, " | ".join(repr(work[name])[:120] for work in read) if difference else ""


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--peers", required=True, metavar="PYTHON")
    parser.add_argument("--show", action="store_true", help="print the fields that differ from both")
    arguments = parser.parse_args()
    kinds: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(one for one in arguments.folder.rglob("*") if one.is_file()):
        if kind := find_list_type(path.name, path.read_bytes()):
            kinds[kind].append(path)
    for kind, paths in kinds.items():
        measure_format(kind, paths, arguments.peers, show=arguments.show)


def measure_format(kind: str, paths: Sequence[Path], python: str, *, show: bool) -> None:
    """Prints how the lists of one format are read."""
    peers = [_read_peer(python, reader, paths) for reader in PEERS[kind]]
    counts: Counter[str] = Counter()
    shown: dict[tuple[str, str], list[str]] = defaultdict(list)
    works = fields = alone = 0
    for path in paths:
        try:
            own = [build_work(json.loads(one.item)) for one in parse_list(kind, path.read_bytes()) if not one.fault]
        except FileSkipped:
            own = []
        read = [list_ for peer in peers if (list_ := peer[str(path)]) is not None]
        works += len(own)
        alone += len(read) < 2
        if not read:
            continue
        for name, difference, values in compare_list(own, (read * 2)[:2]):
            fields += 1
            if difference:
                counts[difference] += 1
                shown[name, difference].append(f"{path.name}: {values}")
    said = ", ".join(f"{name} {number}" for name, number in sorted(counts.items())) or "none"
    print(
        f"{kind}: {len(paths)} lists ({alone} read by one peer or none), {works} works, {fields} fields; differ: {said}"
    )
    for (name, difference), listed in sorted(shown.items()) if show else ():
        print(f"  {name}, {difference}: {len(listed)}")
        for line in listed[:: max(1, len(listed) // SHOWN)]:
            print(f"    {line}")


if __name__ == "__main__":
    main()
