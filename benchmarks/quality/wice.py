"""How well code tells without a model what evidence supports, and how often it doubts what is true.

    python -m benchmarks.quality.wice FOLDER [--list]

FOLDER holds `wice/dev.jsonl`: on each line a `claim`, its `evidence` as a list of sentences, a `label`, and in
`meta` the title and the section of its page. A statement is doubted if `judge_statement` finds anything against
it. A false alarm is a supported claim that is doubted. It is measured with all of the evidence quoted, and with the
three sentences that have most of the claim's words; of the latter, what stands in the rest of the passage is told
apart, as reports do. Balanced accuracy is told twice: claims that are supported in part count as not supported, and
are left out. `--list` prints the false alarms with their reasons.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elcano.text.support.missing_facts import Statement
from elcano.text.support.statement_check import judge_statement
from elcano.text.words import split_words

QUOTED: int = 3
"""Sentences of a short quote."""


def measure(data: Path, *, listing: bool = False) -> None:
    """Prints false alarms and balanced accuracy."""
    rows = [json.loads(line) for line in (data / "wice" / "dev.jsonl").read_text("utf-8").splitlines()]
    whole = [(row["label"], _doubts(row, row["evidence"])) for row in rows]
    short = [(row["label"], _doubts(row, _closest(row))) for row in rows]
    print(f"{len(rows)} claims, {sum(label == 'supported' for label, _ in whole)} of them supported")
    _print("all evidence quoted", [(label, bool(doubts)) for label, doubts in whole])
    _print("three sentences quoted", [(label, bool(doubts)) for label, doubts in short])
    beyond = [(label, bool(doubts and found)) for (label, doubts), (_, found) in zip(short, whole, strict=True)]
    _print("the same, without what stands in the passage", beyond)
    for row, (label, doubts) in zip(rows, whole, strict=True):
        if listing and label == "supported" and doubts:
            print(f"- {row['claim'].strip()}\n  {'; '.join(doubts)}")


def _doubts(row: dict[str, Any], quotes: Sequence[str]) -> tuple[str, ...]:
    known = (row["meta"]["claim_title"], row["meta"]["claim_section"])
    return judge_statement(Statement(row["claim"], tuple(quotes), known)).reasons


def _closest(row: dict[str, Any]) -> list[str]:
    """The sentences that have most words of the claim, in their order."""
    asked = set(split_words(row["claim"]))
    ranked = sorted(row["evidence"], key=lambda one: -len(asked.intersection(split_words(one))))[:QUOTED]
    return [one for one in row["evidence"] if one in ranked]


def _print(name: str, found: Sequence[tuple[str, bool]]) -> None:
    true, in_part, false = (_share(found, one) for one in ("supported", "partially_supported", "not_supported"))
    wrong = [doubted for label, doubted in found if label != "supported"]
    print(f"{name}:")
    print(f"  false alarms           {true:.1%} of the supported")
    print(f"  doubted                {in_part:.1%} of those in part, {false:.1%} of the not supported")
    print(f"  balanced accuracy      {(1 - true + sum(wrong) / max(1, len(wrong))) / 2:.3f}")
    print(f"  without those in part  {(1 - true + false) / 2:.3f}")


def _share(found: Sequence[tuple[str, bool]], label: str) -> float:
    doubted = [one for kind, one in found if kind == label]
    return sum(doubted) / max(1, len(doubted))


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.wice", description=__doc__)
    parser.add_argument("data", type=Path, metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="print the false alarms")
    arguments = parser.parse_args()
    measure(arguments.data, listing=arguments.list)


if __name__ == "__main__":
    main()
