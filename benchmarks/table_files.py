"""How long CSV takes to become a table whose types change no value, beside DuckDB's own `read_csv`, which guesses.

Three files: columns of all kinds; floating numbers of 17 digits, each of which is written out again to see that it is
the same; and codes whose only leading zero is in the last line, so that the file is read anew.
"""

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import duckdb

from benchmarks.bench import Bench
from elcano.subjects.data.databases.duckdb_loading import load_files_into_duckdb
from elcano.subjects.data.databases.engine import FileToLoad

_CITIES: Final = ("Berlin", "Paris", "Oslo", "Roma")


def _all_kinds(count: int) -> Iterator[str]:
    yield "id,name,day,at,price,quantity,ok,city,note"
    for at in range(count):
        day = f"{2010 + at % 14}-{1 + at % 12:02}-{1 + at % 28:02}"
        price = f"{at % 1000}.{at % 100:02}"
        moment = f"{day} 10:{at % 60:02}:00"
        yield f"{at},customer {at % 9_999},{day},{moment},{price},{at % 50},true,{_CITIES[at % 4]},n{at}"


def _floats(count: int) -> Iterator[str]:
    chance = random.Random(1)
    yield "a,b,c"
    for _ in range(count):
        yield f"{chance.random()},{chance.random()},{chance.random()}"


def _late_zero(count: int) -> Iterator[str]:
    yield "code,n"
    yield from (f"{at + 10_000},{at}" for at in range(count))
    yield "00501,1"


def _seconds(work: Callable[[Path], object], rounds: int) -> float:
    """The processor's time of the least disturbed of several rounds, each in a folder of its own."""
    taken = []
    for _ in range(rounds):
        with TemporaryDirectory() as folder:
            began = time.process_time()
            work(Path(folder))
            taken.append(time.process_time() - began)
    return min(taken)


async def main(bench: Bench) -> None:
    """Tells how many times as long as DuckDB's own reading it takes."""
    count, rounds = bench.choose(500_000, 300), bench.choose(3, 1)
    for name, lines in (("all kinds", _all_kinds), ("floats", _floats), ("a late zero", _late_zero)):
        with TemporaryDirectory() as folder:
            file = Path(folder) / "file.csv"
            file.write_text("\n".join(lines(count)))

            def guess(place: Path, path: str = str(file)) -> None:
                with duckdb.connect(str(place / "t.duckdb"), config={"threads": "2"}) as connection:
                    connection.execute("CREATE TABLE t AS SELECT * FROM read_csv(?, header = true)", [path])

            def load(place: Path, path: str = str(file)) -> None:
                load_files_into_duckdb(str(place / "t.duckdb"), [FileToLoad(table="t", path=path)])

            plain, whole = _seconds(guess, rounds), _seconds(load, rounds)
        bench.say(f"{count:,} lines of {name}: {whole:.2f} s, guessed {plain:.2f} s")
        bench.tell(f"{name}: loaded / guessed by DuckDB", whole / plain)
