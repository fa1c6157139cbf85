"""`python -m benchmarks.text2sql`: how many questions about databases get the SQL that answers them.

    python -m benchmarks.text2sql --model PROVIDER:MODEL [--data FOLDER] [--database NAME ...]
        [--now MOMENT] [--without-instructions] [--without-meanings] [--limit N] [--show right|wrong|refused|all ...]

It prints for each database how many questions are right, refused and wrong, and of those that cannot be answered how
many are refused; repairs, tokens and, where prices are known, cost. A result is right if it is that of an accepted
query: `comparing.py` says what that means. A query that does not run counts as wrong.
"""

import argparse
import asyncio
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.text2sql.asking import Answered, Writer
from benchmarks.text2sql.comparing import Rows, orders, result_of, same, with_keys
from benchmarks.text2sql.data import BESIDE, Case, cases, meanings
from benchmarks.text2sql.loading import MOMENT, frozen, loaded
from benchmarks.text2sql.schemas import described

VERDICTS = ("right", "refused", "wrong")


def judged(case: Case, found: Answered, file: Path, now: datetime) -> str:
    """`right`, `refused` or `wrong`; of what cannot be answered, every query is wrong."""
    if not found.sql:
        return "refused"
    if found.rows is None or not case.golds:
        return "wrong"
    return "right" if any(_same(gold, found.rows, case, file, now) for gold in case.golds) else "wrong"


def _same(gold: str, rows: Rows, case: Case, file: Path, now: datetime) -> bool:
    ordered = case.ordered and orders(gold)
    if ordered:
        keyed, keys = with_keys(gold)
        try:
            return same(result_of(file, frozen(keyed, now)), rows, ordered, keys)
        except sqlite3.Error:
            pass  # what it is ordered by cannot be shown beside its columns: all of them are compared in order
    return same(result_of(file, frozen(gold, now)), rows, ordered)


async def measure(arguments: argparse.Namespace, work: Path) -> None:
    """Asks every question and prints what became of them."""
    writer = Writer(arguments.model)
    chosen = [one for one in cases(arguments.data) if not arguments.database or one.database in arguments.database]
    print(
        f"{arguments.model}, {len(chosen[: arguments.limit])} questions, the present is {arguments.now:%Y-%m-%d %H:%M}"
    )
    counts: dict[str, Counter[str]] = {}
    totals: Counter[str] = Counter()
    cost = 0.0
    for name in dict.fromkeys(one.database for one in chosen):
        file = loaded(arguments.data, name, arguments.now, work)
        told = {} if arguments.without_meanings else meanings(arguments.data, name)
        schema = await described(file, name, told)
        for case in [one for one in chosen[: arguments.limit] if one.database == name]:
            background = "" if arguments.without_instructions else case.background
            run = lambda sql, file=file: result_of(file, frozen(sql, arguments.now))  # noqa: E731
            found = await writer.answer(case.question, background, schema, arguments.now, run)
            verdict = judged(case, found, file, arguments.now)
            counts.setdefault(name, Counter())[verdict if case.golds else f"idk-{verdict}"] += 1
            totals.update(repairs=found.repairs, marked=int(found.marked), tokens=found.spent.tokens)
            totals.update(unpriced=int(not found.spent.priced))
            cost += found.spent.cost
            if verdict in arguments.show or "all" in arguments.show:
                print(f"\n{verdict} {name}: {case.question}\n  {found.sql or found.why}")
                if verdict == "wrong" and case.golds:
                    print(f"  wanted: {case.golds[0]}")
    _table(counts)
    priced = "unknown" if totals["unpriced"] else f"{cost:.4f} US dollars"
    print(f"repairs {totals['repairs']}, of which {totals['marked']} queries may mean something else")
    print(f"tokens {totals['tokens']:,}, cost {priced}")


def _table(counts: dict[str, Counter[str]]) -> None:
    print(f"\n{'database':20}{'asked':>7}{'right':>7}{'refused':>9}{'wrong':>7}{'unanswerable':>15}{'refused':>9}")
    total: Counter[str] = sum(counts.values(), Counter())
    for name, one in (*sorted(counts.items()), ("all", total)):
        asked = sum(one[verdict] for verdict in VERDICTS)
        idk = one["idk-refused"] + one["idk-wrong"]
        row = f"{asked:>7}{one['right']:>7}{one['refused']:>9}{one['wrong']:>7}{idk:>15}{one['idk-refused']:>9}"
        print(f"{name:20}{row}")
    asked = sum(total[verdict] for verdict in VERDICTS)
    if asked:
        print("of all: " + ", ".join(f"{verdict} {total[verdict] / asked:.1%}" for verdict in VERDICTS))


def main(arguments: Sequence[str] | None = None) -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.text2sql", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=BESIDE, help="the folder with the questions")
    parser.add_argument("--model", required=True, help="who writes: a model's string")
    parser.add_argument("--database", nargs="*", default=(), help="only questions of these")
    parser.add_argument("--now", type=datetime.fromisoformat, default=MOMENT, help="what counts as the present")
    parser.add_argument("--without-instructions", action="store_true", help="leave out what is told beside questions")
    parser.add_argument("--without-meanings", action="store_true", help="leave out what the columns are said to mean")
    parser.add_argument("--limit", type=int, help="only so many questions")
    parser.add_argument("--show", nargs="*", default=(), choices=(*VERDICTS, "all"), help="print these one by one")
    given = parser.parse_args(arguments)
    try:
        cases(given.data)
    except (FileNotFoundError, NotADirectoryError) as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory() as work:
        asyncio.run(measure(given, Path(work)))


if __name__ == "__main__":
    main()
