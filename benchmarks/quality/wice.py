"""How well the checks of a statement tell what its evidence supports, without a model: WiCE.

    python -m benchmarks.quality.wice FOLDER

FOLDER holds `wice/dev.jsonl` (`claim`, `evidence` as a list of sentences, `label`, the title of the page in `meta`).
All sentences of the evidence are what is quoted. Claims that are only partly
supported count as not supported, and are left out in the second part. The score behind the area is the share of words,
less a half for each check that finds something against the claim.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elcano.activities.support.saying import Statement, unquoted
from elcano.activities.support.speaking import spoken

Row = tuple[bool, float, bool, bool]
"""Supported, the score, whether the figures and names are there, whether both checks pass."""


def measure(data: Path) -> None:
    """Prints balanced accuracy and ROC AUC."""
    rows = [json.loads(line) for line in (data / "wice" / "dev.jsonl").read_text("utf-8").splitlines()]
    judged = [(row["label"], _judged(row)) for row in rows]
    for name, kept in (
        ("partly supported is not supported", judged),
        ("without the partly supported", [one for one in judged if one[0] != "partially_supported"]),
    ):
        found = [one for _, one in kept]
        print(f"{name}: {len(found)} claims, {sum(one[0] for one in found)} of them supported")
        print(f"  figures and names: balanced accuracy {_balanced([(one[0], one[2]) for one in found]):.3f}")
        print(f"  and words:         balanced accuracy {_balanced([(one[0], one[3]) for one in found]):.3f}")
        print(f"  ROC AUC            {_area([(one[0], one[1]) for one in found]):.3f}")


def _judged(row: dict[str, Any]) -> Row:
    known = (row["meta"]["claim_title"], row["meta"]["claim_section"])
    statement = Statement(row["claim"], tuple(row["evidence"]), known)
    missing, told = unquoted(statement), spoken(statement)
    score = told.share - 0.5 * bool(missing) - 0.5 * bool(told.reasons)
    return row["label"] == "supported", score, not missing, not missing and not told.reasons


def _balanced(pairs: Sequence[tuple[bool, bool]]) -> float:
    """The mean of the shares of supported claims that pass and of others that do not."""
    right = [[passed == wanted for wanted, passed in pairs if wanted is kind] for kind in (True, False)]
    return sum(sum(one) / max(1, len(one)) for one in right) / 2


def _area(pairs: Sequence[tuple[bool, float]]) -> float:
    """The chance that a supported claim scores higher than another one, equal scores counting half."""
    good = [score for wanted, score in pairs if wanted]
    bad = [score for wanted, score in pairs if not wanted]
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in bad)
    return wins / max(1, len(good) * len(bad))


def main() -> None:
    """Reads the folder from the command line."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    measure(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
