"""What finding repetitions takes and how often it errs, on texts of one's own.

    python -m benchmarks.similarity FILE [MODEL]

FILE holds one JSON object a line with its `text` (`abstracts.jsonl` of PubMedQA). With MODEL, as ELCANO_EMBEDDINGS
names it, it shows as well how close vectors hold passages to be whose numbers differ.
"""

import json
import random
import re
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from statistics import fmean

from elcano.activities.similarity.embedder import open_embedder
from elcano.activities.similarity.similar_passages import ComparedPassages
from elcano.storage.evidence import Evidence

CHARACTERS = 700
LEAST = 300
KNOWN, NEW, SAMPLE, EMBEDDED = 1_000, 24, 600, 100


def passages(file: Path) -> list[Evidence]:
    """The texts in pieces of 700 characters, shuffled."""
    texts = [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()]
    starts = ((text, start) for text in texts for start in range(0, len(text), CHARACTERS))
    pieces = [" ".join(text[start : start + CHARACTERS].split()) for text, start in starts]
    found = [_passage(str(number), piece) for number, piece in enumerate(pieces) if len(piece) >= LEAST]
    random.Random(1).shuffle(found)
    return found


def main() -> None:
    """Prints times, false repetitions, and how many changed copies are recognised."""
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    every = passages(Path(sys.argv[1]))
    print(f"{len(every)} passages of {fmean(len(one.text) for one in every):.0f} characters on average")
    print(f"{KNOWN} known, never read: {_milliseconds(every[:KNOWN]):.0f} ms")
    print(f"{NEW} new against {KNOWN} known: {_milliseconds(every[: KNOWN + NEW]):.0f} ms")
    print(f"repetitions among all: {len(ComparedPassages().followed_by(every).repeats)}")
    for share in (0.0, 0.005, 0.01, 0.02, 0.05):
        print(f"copies with {share:.1%} of the words changed: {_recognised(every, share):.1%} recognised")
    changed = [(one.text, text) for one in every[:SAMPLE] if (text := _other_number(one.text)) != one.text]
    taken = sum(_repeats(old, new) for old, new in changed)
    print(f"copies with one number changed: {taken} of {len(changed)} taken for repetitions")
    if len(sys.argv) == 3:
        _show_cosines(sys.argv[2], changed[:EMBEDDED])


def _show_cosines(model: str, changed: Sequence[tuple[str, str]]) -> None:
    embedder = open_embedder(model)
    if embedder is None:
        raise SystemExit("name a model")
    old, new = (embedder.embed([pair[side] for pair in changed]) for side in (0, 1))
    cosines = [float(one @ other) for one, other in zip(old, new, strict=True)]
    print(f"their cosines: at least 0.9 in {fmean(one >= 0.9 for one in cosines):.1%}, mean {fmean(cosines):.3f}")


def _milliseconds(known: Sequence[Evidence]) -> float:
    began = time.process_time()
    ComparedPassages().followed_by(known)
    return (time.process_time() - began) * 1_000


def _recognised(every: Sequence[Evidence], share: float) -> float:
    chance = random.Random(4)
    return fmean(_repeats(one.text, _with_slips(one.text, share, chance)) for one in every[:SAMPLE])


def _repeats(old: str, new: str) -> bool:
    return bool(ComparedPassages().followed_by([_passage("old", old), _passage("new", new)]).repeats)


def _with_slips(text: str, share: float, chance: random.Random) -> str:
    """`text` with about `share` of its words misspelt; numbers stay."""
    slips = (f"{word}x" if chance.random() < share and word.isalpha() else word for word in text.split())
    return " ".join(slips)


def _other_number(text: str) -> str:
    return re.sub(r"\d+", lambda found: str(int(found[0]) + 1), text, count=1)


def _passage(id: str, text: str) -> Evidence:
    return Evidence(
        id=id,
        source="texts",
        document=id,
        content_hash=sha256(text.encode()).hexdigest(),
        title="",
        locator=id,
        text=text,
        start=0,
        end=len(text),
    )


if __name__ == "__main__":
    main()
