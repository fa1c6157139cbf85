"""What counts as the same result, how data is read and loaded, and what a writer is asked."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks.text2sql.__main__ import main
from benchmarks.text2sql.asking import Writer
from benchmarks.text2sql.comparing import Rows, result_of, same, with_keys
from benchmarks.text2sql.data import accepted
from benchmarks.text2sql.loading import frozen, loaded
from benchmarks.text2sql.schemas import described
from elcano.graphs.frozen import Frozen
from elcano.subjects.data.query_models import SqlRepair, SqlWriting

NOW = datetime(2024, 3, 31, 8, 30)
DUMP = """
CREATE TABLE public.t (id bigint DEFAULT '0'::bigint NOT NULL, at timestamp DEFAULT NOW(), ok boolean, word text);
INSERT INTO public.t (id, at, ok, word) VALUES
(1, NOW() - INTERVAL '1 month', true, 'a'), (-2, DATE_TRUNC('month', CURRENT_DATE) + INTERVAL '2 days', false, NULL);
"""


@pytest.mark.parametrize(
    ("gold", "found", "ordered", "right"),
    [
        ([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], False, True),
        ([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], True, False),
        ([(1,), (2,)], [(2, "x"), (1, "y")], False, True),
        ([(1,), (2,)], [(1,)], False, False),
        ([(1, 2)], [(2,)], False, False),
        ([(0.333333333,)], [(1 / 3,)], False, True),
        ([(0.33,)], [(1 / 3,)], False, False),
        ([(1,), (1,)], [(1,)], False, True),
        ([], [], False, True),
        ([], [(1,)], False, False),
        ([(None,)], [(0,)], False, False),
    ],
)
def test_what_counts_as_the_same(
    gold: list[tuple[object, ...]], found: list[tuple[object, ...]], ordered: bool, right: bool
) -> None:
    assert same(gold, found, ordered) is right


def test_ties_may_change_places_and_nothing_else_may() -> None:
    gold = [("a", 2), ("b", 1), ("c", 1)]
    assert same([(*row, row[1]) for row in gold], [("a", 2), ("c", 1), ("b", 1)], True, keys=1)
    assert not same([(*row, row[1]) for row in gold], [("b", 1), ("a", 2), ("c", 1)], True, keys=1)
    assert with_keys("SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n DESC")[1] == 1


def test_braces_and_semicolons_accept_several_forms() -> None:
    assert accepted("SELECT {a, b} FROM t; SELECT c FROM t") == (
        "SELECT a, b FROM t",
        "SELECT a FROM t",
        "SELECT b FROM t",
        "SELECT c FROM t",
    )


def test_a_dump_is_loaded_as_of_one_moment(tmp_path: Path) -> None:
    (tmp_path / "d.sql").write_text(DUMP, encoding="utf-8")
    file = loaded(tmp_path, "d", NOW, tmp_path)
    rows = result_of(file, "SELECT id, at, ok, word FROM t ORDER BY id DESC")
    assert rows == [(1, "2024-02-29 08:30:00", 1, "a"), (-2, "2024-03-03", 0, None)]
    assert result_of(file, frozen("SELECT date('now', '-1 day'), CURRENT_DATE", NOW)) == [("2024-03-30", "2024-03-31")]


def test_spiders_form_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dev.json").write_text(
        json.dumps([{"db_id": "d", "question": "How many t are there?", "query": "SELECT COUNT(*) FROM t"}]), "utf-8"
    )
    (tmp_path / "d.sql").write_text(DUMP, encoding="utf-8")
    folder = tmp_path / "database" / "d"
    folder.mkdir(parents=True)
    loaded(tmp_path, "d", NOW, tmp_path).rename(folder / "d.sqlite")
    main(["--data", str(tmp_path), "--model", "offline"])
    assert "of all: right 0.0%, refused 100.0%, wrong 0.0%" in capsys.readouterr().out


def test_a_folder_without_data_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--data", str(tmp_path), "--model", "offline"])
    assert ended.value.code == 2
    assert "dev.json" in capsys.readouterr().err


async def test_what_the_policy_refuses_is_mended_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "d.sql").write_text(DUMP, encoding="utf-8")
    file = loaded(tmp_path, "d", NOW, tmp_path)
    answers: list[Frozen] = [
        SqlWriting(decision="query", sql="SELECT name FROM pragma_table_info('t')"),
        SqlRepair(sql="SELECT word FROM t"),
    ]
    writer, ran = Writer("offline"), list[str]()

    async def asked(*given: object) -> Frozen:
        return answers.pop(0)

    def run(sql: str) -> Rows:
        ran.append(sql)
        return result_of(file, sql)

    monkeypatch.setattr(writer, "_asked", asked)
    found = await writer.answer("Which words?", "", await described(file, "d", {}), NOW, run)
    assert ran == ["SELECT word FROM t"]
    assert (found.repairs, found.rows) == (1, [("a",), (None,)])
