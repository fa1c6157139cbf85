"""Batches of questions: `AsyncBatch` is one, `Batch` the same for programs that wait; and questions read from a file.

What a batch returns is data, as the API describes it.
"""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from elcano.client.blocking import Blocking, make_blocking, make_blocking_iterator
from elcano.client.connection import Connection
from elcano.client.errors import InvalidFiles
from elcano.client.models import JsonObject

BATCHES: Final = "/v1/batches"
LOOK_SECONDS: Final = 1.0
"""Interval of looks at an open batch."""
PAGE: Final = 100


class AsyncBatch:
    """The batch with this id. Methods raise what `Connection` does."""

    def __init__(self, connection: Connection, batch_id: str) -> None:
        self.batch_id = batch_id
        self._connection = connection
        self._path = f"{BATCHES}/{quote(batch_id, safe='')}"

    async def view(self) -> JsonObject:
        """Return its status: `state`, `counts` of its questions, usage."""
        found: JsonObject = await self._connection.get(self._path, limit=0)
        return found

    async def results(self) -> AsyncIterator[JsonObject]:
        """Its questions in their order, each with what came of it so far: `state`, `run_id`, `answer`."""
        cursor: str | None = ""
        while cursor is not None:
            page = await self._connection.get(self._path, limit=PAGE, cursor=cursor)
            for result in page["results"]:
                yield result
            cursor = page["next"]

    async def save(self, file: Path | str) -> None:
        """Save all results, as JSON Lines if the name ends with `.jsonl`, else as CSV."""
        form = "jsonl" if Path(file).suffix == ".jsonl" else "csv"
        await self._connection.download(f"{self._path}/results/{form}", Path(file))

    async def wait(self) -> JsonObject:
        """Return its status once it has ended, or waits for a top-up."""
        over = ("ended", "cancelled", "out_of_budget")
        return await self._connection.poll(self.view, lambda view: view["state"] in over, every=LOOK_SECONDS)

    async def top_up(self, /, *, key: str = "", **amounts: float) -> JsonObject:
        """Raise its budget by `tokens`, `cost_usd` or `seconds`."""
        found: JsonObject = await self._connection.post_with_key(f"{self._path}/top-up", amounts, key)
        return found

    async def cancel(self) -> JsonObject:
        """Cancel its open runs, and start no others."""
        found: JsonObject = await self._connection.post(f"{self._path}/cancel", {})
        return found


class Batch(Blocking[AsyncBatch]):
    """One batch, for programs that wait."""

    view = make_blocking(AsyncBatch.view)
    results = make_blocking_iterator(AsyncBatch.results)
    save = make_blocking(AsyncBatch.save)
    wait = make_blocking(AsyncBatch.wait)
    top_up = make_blocking(AsyncBatch.top_up)
    cancel = make_blocking(AsyncBatch.cancel)

    @property
    def batch_id(self) -> str:
        """Its id."""
        return self.asynchronous.batch_id


async def start_batch(
    connection: Connection, questions: Iterable[str | Mapping[str, Any]], key: str, request: Mapping[str, Any]
) -> AsyncBatch:
    """Start a batch of questions; `request` has the other fields of `POST /v1/batches`."""
    asked = [{"question": one} if isinstance(one, str) else dict(one) for one in questions]
    view = await connection.post_with_key(BATCHES, {"questions": asked, **request}, key)
    return AsyncBatch(connection, view["id"])


def read_questions(file: Path) -> list[dict[str, Any]]:
    """The questions in a file, as `POST /v1/batches` takes them.

    A CSV file has a line of names, and a question a line: in the column `question`, or to be made of its cells. Any
    other file is JSON Lines: each line is a text, the question, or an object with fields of `POST /v1/runs`.

    Raises:
        InvalidFiles: it cannot be read; the text names the line.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
        found = [*_read_table(text)] if file.suffix.lower() == ".csv" else [*_read_lines(text)]
    except OSError as error:
        raise InvalidFiles(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidFiles(f"{file} is not in UTF-8: save it as CSV UTF-8") from error
    except (ValueError, csv.Error) as error:
        raise InvalidFiles(f"{file}: {error}") from error
    if not found:
        raise InvalidFiles(f"{file} has no questions")
    return found


def _read_lines(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from error
        if not isinstance(one, str | dict):
            raise ValueError(f"line {number} is neither a text nor an object")
        yield {"question": one} if isinstance(one, str) else one


def _read_table(text: str) -> Iterator[dict[str, Any]]:
    first = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    names = [name.strip() for name in next(lines, [])]
    if faulty := [name for name in names if not name or names.count(name) > 1]:
        raise ValueError(f"line 1 names the columns: {faulty[0]!r} is there twice, or empty")
    for cells in lines:
        if len(cells) > len(names):
            raise ValueError(f"line {lines.line_num} has {len(cells)} cells for {len(names)} columns")
        row = dict.fromkeys(names, "") | dict(zip(names, cells, strict=False))
        if any(cell.strip() for cell in cells):
            yield ({"question": row.pop("question")} if "question" in row else {}) | {"row": row}
