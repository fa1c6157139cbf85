"""`python -m benchmarks.quality [part ...]`: how good reports without a language model are, per language.

    python -m benchmarks.quality [retrieval] [abstention] [answers] [results] [self]
        [--data FOLDER] [--language en ...] [--mode simple|iterative] [--sample N] [--seed N]

Without a part it prints all of them: over PubMedQA and over XQuAD in each language how often the right document is
found, how often a report answers when that document is there, when it was taken away and when the question belongs to
another data set, how often the gold answer is quoted, how often a result of the gold abstract is, and how many of the
sentences that reports say about themselves are false. How a program decides that is in `judging.py`.

    python -m benchmarks.quality scholarqa FOLDER [--model NAME] ...

measures runs, with a model or without, against experts' answers (`scholarqa.py`).

    python -m benchmarks.quality price FOLDER

measures the prompts of runs with a scripted model: how large they are, and how much of them is cached (`price.py`).
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from benchmarks.quality import price, scholarqa
from benchmarks.quality.data import BESIDE, LANGUAGES, PUBMEDQA, pubmedqa, xquad
from benchmarks.quality.measuring import PARTS, measure, sampled


async def run(arguments: argparse.Namespace) -> None:
    """Measures what `arguments` ask for, each data set in a folder that is removed again."""
    data = {PUBMEDQA: pubmedqa(arguments.data)}
    data.update((language, xquad(arguments.data, language)) for language in {"en", *arguments.language})
    questions = {name: sampled(one, arguments.sample, arguments.seed) for name, one in data.items()}
    parts = arguments.parts or PARTS
    with tempfile.TemporaryDirectory() as work:
        for name in (PUBMEDQA, *arguments.language):
            foreign = questions["en" if name == PUBMEDQA else PUBMEDQA]
            await measure(data[name], questions[name], foreign, parts, arguments.mode, Path(work))


def main() -> None:
    """The program."""
    if sys.argv[1:2] == ["scholarqa"]:
        scholarqa.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["price"]:
        price.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--data", type=Path, default=BESIDE, help="the folder with `pubmedqa` and `xquad`")
    parser.add_argument("--language", nargs="*", default=LANGUAGES, choices=LANGUAGES, help="of XQuAD")
    parser.add_argument("--mode", default="simple", choices=("simple", "iterative"))
    parser.add_argument("--sample", type=int, help="only so many questions of each data set")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.parts) - set(PARTS)):
        parser.error(f"there is no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    if not (arguments.data / PUBMEDQA).is_dir():
        parser.error(f"there is no folder {PUBMEDQA} in {arguments.data}: name the folder with `--data`")
    asyncio.run(run(arguments))


if __name__ == "__main__":
    main()
