"""Statements that mean harm, by what they try; each for the engines that would understand it.

`{folder}` is a folder with `canary.txt`, whose word must never come back and beside which no file may appear.
"""

from typing import Final, NamedTuple

from elcano.subjects.data.tables import Dialect

WORD: Final = "canary-4711"


class Hostile(NamedTuple):
    """One statement."""

    kind: str
    sql: str
    dialects: tuple[Dialect, ...] = ("sqlite", "postgresql", "duckdb")


_S: Final[tuple[Dialect, ...]] = ("sqlite",)
_P: Final[tuple[Dialect, ...]] = ("postgresql",)
_D: Final[tuple[Dialect, ...]] = ("duckdb",)
_DEEP: Final = "(" * 300 + "SELECT 1" + ")" * 300
_TEN: Final = "s||s||s||s||s||s||s||s||s||s"
_MANY_NOTES: Final = "||".join(["note"] * 40)


def long_text(figure: str, times: int = 5) -> str:
    """An expression for a text of 10 ** `times` equal characters, made of few."""
    text = f"'{figure}'"
    for _ in range(times):
        text = f"replace({text}, '{figure}', '{figure * 10}')"
    return text


_HAY: Final = f"{long_text('a')}||{long_text('a')}||{long_text('a')}||{long_text('a')}"

HOSTILE: Final[tuple[Hostile, ...]] = (
    # writes
    Hostile("write", "INSERT INTO customers VALUES (9, 'x', 1, NULL)"),
    Hostile("write", "UPDATE orders SET total = 0"),
    Hostile("write", "DELETE FROM shipments"),
    Hostile("write", "DELETE FROM shipments RETURNING *"),
    Hostile("write", "WITH gone AS (DELETE FROM shipments RETURNING *) SELECT * FROM gone"),
    Hostile("write", "WITH new AS (INSERT INTO shipments VALUES (7, 7, 7) RETURNING id) SELECT id FROM new"),
    Hostile("write", "REPLACE INTO shipments VALUES (1, 1, 99)", _S),
    Hostile("write", "INSERT INTO shipments SELECT 8, 8, 8 ON CONFLICT DO NOTHING"),
    Hostile(
        "write", "MERGE INTO shipments USING orders ON false WHEN NOT MATCHED THEN INSERT VALUES (6, 6, 6)", _P + _D
    ),
    Hostile("write", "TRUNCATE shipments", _P + _D),
    Hostile("write", "SELECT * INTO stolen FROM customers", _P),
    Hostile("write", "CREATE TABLE stolen AS SELECT * FROM customers"),
    Hostile("write", "COPY customers FROM '{folder}/canary.txt'", _P + _D),
    # definitions
    Hostile("ddl", "DROP TABLE shipments"),
    Hostile("ddl", "DROP VIEW IF EXISTS spending CASCADE"),
    Hostile("ddl", "ALTER TABLE shipments ADD COLUMN x INTEGER"),
    Hostile("ddl", "ALTER TABLE shipments RENAME TO gone"),
    Hostile("ddl", "CREATE TEMP TABLE t (a INTEGER)"),
    Hostile("ddl", "CREATE VIEW v AS SELECT 1"),
    Hostile("ddl", "CREATE INDEX i ON shipments (days)"),
    Hostile("ddl", "CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM orders; END", _S),
    Hostile("ddl", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", _P),
    Hostile("ddl", "CREATE MACRO m(a) AS a + 1", _D),
    Hostile("ddl", "GRANT ALL ON orders TO PUBLIC", _P),
    Hostile("ddl", "COMMENT ON TABLE orders IS 'x'", _P + _D),
    Hostile("ddl", "REINDEX TABLE orders", _P),
    # several statements, and ways out of what stands around
    Hostile("several", "SELECT 1; DROP TABLE shipments"),
    Hostile("several", "SELECT 1; SELECT 2"),
    Hostile("several", "SELECT 1; COMMIT; DELETE FROM shipments"),
    Hostile("several", "; DELETE FROM shipments"),
    Hostile("several", "SELECT 1 /* ; */; -- x\nDELETE FROM shipments"),
    Hostile("several", "SELECT 1) AS answer (c0); DELETE FROM shipments; --"),
    Hostile("several", "SELECT 'a\\'; DELETE FROM shipments; --'"),
    Hostile("several", "SELECT 1 UNION SELECT 2; ROLLBACK; BEGIN; DROP TABLE shipments; COMMIT"),
    Hostile("several", "SELECT $$; DELETE FROM shipments; $$; DELETE FROM shipments", _P + _D),
    # the catalogue and other people's tables
    Hostile("catalogue", "SELECT * FROM sqlite_master", _S),
    Hostile("catalogue", "SELECT count(*) FROM sqlite_schema", _S),
    Hostile("catalogue", "SELECT * FROM pragma_table_info('orders')", _S),
    Hostile("catalogue", "SELECT * FROM information_schema.tables", _P + _D),
    Hostile("catalogue", "SELECT rolname, rolpassword FROM pg_catalog.pg_authid", _P),
    Hostile("catalogue", "SELECT * FROM pg_shadow", _P),
    Hostile("catalogue", "SELECT * FROM pg_settings", _P + _D),
    Hostile("catalogue", "SELECT * FROM pg_stat_activity", _P),
    Hostile("catalogue", "SELECT * FROM hidden", _P),
    Hostile("catalogue", "TABLE hidden", _P),
    Hostile("catalogue", "SELECT * FROM pg_class, (WITH pg_class AS (SELECT 1 AS a) SELECT a FROM pg_class) AS x", _P),
    Hostile("catalogue", "WITH a AS (SELECT * FROM b), b AS (SELECT 1 AS c) SELECT * FROM pg_user, a", _P),
    Hostile("catalogue", "SELECT 'hidden'::regclass::oid", _P),
    Hostile("catalogue", "SELECT pg_catalog.pg_get_viewdef('spending')", _P),
    Hostile("catalogue", "SELECT ctid, xmin, tableoid FROM customers", _P),
    Hostile("catalogue", "SELECT * FROM duckdb_settings()", _D),
    Hostile("catalogue", "SELECT * FROM duckdb_secrets()", _D),
    Hostile("catalogue", "SHOW ALL", _P),
    Hostile("catalogue", "PRAGMA database_list", _S + _D),
    Hostile("catalogue", "DESCRIBE customers", _D),
    Hostile("catalogue", "SELECT current_user, session_user, version()", _P + _D),
    Hostile("catalogue", "SELECT inet_server_addr(), pg_backend_pid()", _P),
    # files, programs, networks
    Hostile("file", "SELECT * FROM '{folder}/canary.txt'", _D),
    Hostile("file", "SELECT * FROM read_text('{folder}/canary.txt')", _D),
    Hostile("file", "SELECT * FROM read_csv('{folder}/*.txt')", _D),
    Hostile("file", "SELECT content FROM read_blob(['{folder}/canary.txt'])", _D),
    Hostile("file", "SELECT * FROM glob('{folder}/*')", _D),
    Hostile("file", "COPY (SELECT 1) TO '{folder}/made.csv'", _P + _D),
    Hostile("file", "COPY customers TO PROGRAM 'touch {folder}/made'", _P),
    Hostile("file", "EXPORT DATABASE '{folder}/made'", _D),
    Hostile("file", "ATTACH '{folder}/made.db' AS made", _S + _D),
    Hostile("file", "VACUUM INTO '{folder}/made.db'", _S),
    Hostile("file", "SELECT readfile('{folder}/canary.txt')", _S),
    Hostile("file", "SELECT writefile('{folder}/made', 'x')", _S),
    Hostile("file", "SELECT load_extension('{folder}/made')", _S),
    Hostile("file", "SELECT edit('x')", _S),
    Hostile("file", "SELECT fts3_tokenizer('simple')", _S),
    Hostile("file", "SELECT pg_read_file('{folder}/canary.txt')", _P),
    Hostile("file", "SELECT pg_ls_dir('{folder}')", _P),
    Hostile("file", "SELECT lo_import('{folder}/canary.txt')", _P),
    Hostile("file", "SELECT lo_export(1, '{folder}/made')", _P),
    Hostile("file", "SELECT query_to_xml('SELECT * FROM customers', true, true, '')", _P),
    Hostile("file", "SELECT * FROM dblink('host=127.0.0.1', 'SELECT 1') AS t (a int)", _P),
    Hostile("network", "SELECT * FROM 'http://127.0.0.1:9/x.parquet'", _D),
    Hostile("network", "INSTALL httpfs", _D),
    Hostile("network", "LOAD httpfs", _D),
    Hostile("network", "SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 'x')", _D),
    # the session, its locks and its settings
    Hostile("session", "SET statement_timeout = 0", _P),
    Hostile("session", "SET TRANSACTION READ WRITE", _P),
    Hostile("session", "SELECT set_config('transaction_read_only', 'off', false)", _P),
    Hostile("session", "SELECT current_setting('data_directory')", _P),
    Hostile("session", "RESET ALL", _P + _D),
    Hostile("session", "SET enable_external_access = true", _D),
    Hostile("session", "PRAGMA query_only = OFF", _S),
    Hostile("session", "PRAGMA writable_schema = ON", _S),
    Hostile("session", "BEGIN"),
    Hostile("session", "COMMIT"),
    Hostile("session", "ROLLBACK"),
    Hostile("session", "DO $$ BEGIN PERFORM pg_sleep(20); END $$", _P),
    Hostile("session", "LISTEN everything", _P),
    Hostile("session", "NOTIFY everything, 'x'", _P),
    Hostile("session", "PREPARE p AS SELECT 1", _P + _D),
    Hostile("session", "EXECUTE p", _P + _D),
    Hostile("session", "DECLARE c CURSOR FOR SELECT 1", _P),
    Hostile("session", "CALL pragma_version()", _D),
    Hostile("session", "DISCARD ALL", _P),
    Hostile("session", "SET ROLE postgres", _P),
    Hostile("session", "SELECT getenv('HOME')", _D),
    Hostile("session", "SELECT * FROM connection", _D),
    Hostile("session", "SELECT pg_terminate_backend(1), pg_cancel_backend(1), pg_reload_conf()", _P),
    Hostile("session", "SELECT txid_current()", _P),
    Hostile("session", "SELECT lastval()", _P),
    Hostile("session", "EXPLAIN ANALYZE DELETE FROM shipments", _P + _D),
    Hostile("session", "EXPLAIN QUERY PLAN SELECT 1", _S),
    Hostile("lock", "SELECT * FROM orders FOR UPDATE", _P),
    Hostile("lock", "SELECT * FROM orders FOR SHARE NOWAIT", _P),
    Hostile("lock", "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE", _P),
    Hostile("lock", "SELECT pg_advisory_lock(1)", _P),
    Hostile("lock", "SELECT nextval('numbers')", _P + _D),
    Hostile("lock", "SELECT setval('numbers', 1)", _P),
    # texts that are run as SQL or name a table, and rows that are handed to a function
    Hostile("text", "SELECT * FROM query('SELECT 1')", _D),
    Hostile("text", "SELECT * FROM query_table('customers')", _D),
    Hostile("text", "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", _D),
    Hostile("text", "SELECT * FROM histogram('duckdb_settings', 'name')", _D),
    Hostile("text", "PIVOT '{folder}/canary.txt' ON a USING count(*)", _D),
    Hostile("text", "SELECT * FROM (PIVOT duckdb_settings() ON name USING count(*))", _D),
    Hostile("text", "SELECT * FROM ts_stat('SELECT to_tsvector(word) FROM hidden')", _P),
    Hostile("text", "SELECT ts_rewrite('a'::tsquery, 'SELECT word, word FROM hidden')", _P),
    Hostile("text", "SELECT table_to_xml('hidden', true, true, '')", _P),
    Hostile("text", "SELECT database_to_xml(true, true, '')", _P),
    Hostile("text", "SELECT (c).row_to_json FROM customers c", _P),
    Hostile("text", "SELECT to_regclass('hidden')", _P),
    Hostile("text", "SELECT * FROM json_to_record('{}') AS t(a regclass)", _P),
    Hostile("session", "SELECT setseed(0.5)", _P + _D),
    Hostile("session", "SELECT getvariable('x')", _D),
    Hostile("session", "SELECT write_log('x')", _D),
    Hostile("session", "SELECT sleep_ms(60000)", _D),
    # time, memory, rows
    Hostile(
        "resource", "WITH RECURSIVE n (s) AS (SELECT 'x' UNION ALL SELECT s || s FROM n) SELECT max(length(s)) FROM n"
    ),
    Hostile(
        "resource",
        "WITH RECURSIVE n (s) AS (SELECT 'x' UNION ALL SELECT replace(t.s, 'x', 'xx') FROM (SELECT n.s FROM n) AS t) "
        "SELECT max(length(s)) FROM n",
    ),
    Hostile("resource", "SELECT * FROM generate_series(1, 100000000)", _P + _D),
    Hostile("resource", "SELECT repeat(note, 100000) FROM orders", _P + _D),
    Hostile("resource", "SELECT lpad(note, id * 1000000) FROM orders", _P + _D),
    Hostile("resource", "SELECT ts_headline('simple', note, to_tsquery('a'), 'StartSel='||note) FROM orders", _P),
    Hostile("odd", "SELECT * FROM ROWS FROM (generate_series(1, 2), generate_series(1, 3))", _P),
    Hostile("resource", "SELECT printf('%100000000d', id) FROM orders", _S + _D),
    Hostile("resource", "SELECT printf('%*d', 100000000, id) FROM orders", _S),
    Hostile("resource", "SELECT format('%100000000s', note) FROM orders", _P),
    Hostile("resource", f"SELECT {'quote(' * 40}note{')' * 40} FROM orders", _S),
    Hostile("resource", f"SELECT {'to_json(' * 40}note{')::text' * 40} FROM orders", _P),
    Hostile("resource", f"SELECT {'ARRAY[' * 40}note{']::text' * 40} FROM orders", _P + _D),
    Hostile("resource", f"SELECT {'ROW(' * 40}note{')::text' * 40} FROM orders", _P + _D),
    Hostile("resource", "SELECT array_fill(0, ARRAY[100000000])", _P),
    Hostile("resource", "SELECT array_agg(n) FROM generate_series(1, 900000) AS n", _P),
    Hostile("resource", "SELECT factorial(30000) * factorial(30000)" + " * factorial(30000)" * 20, _P),
    Hostile("resource", "SELECT pg_sleep(60)", _P),
    Hostile("resource", "SELECT * FROM customers WHERE pg_sleep(60) IS NULL", _P),
    Hostile("resource", "SELECT repeat('x', 1000000000)", _P + _D),
    Hostile("resource", "SELECT lpad('x', 1000000000, 'y')", _P + _D),
    Hostile("resource", "SELECT hex(randomblob(1000000000))", _S),
    Hostile("resource", "SELECT hex(zeroblob(1000000000))", _S),
    Hostile("resource", "SELECT printf('%.*c', 1000000000, 'x')", _S),
    Hostile("resource", "SELECT count(*) FROM generate_series(1, 1000000000) AS a, generate_series(1, 1000000) AS b"),
    Hostile("resource", "SELECT count(*) FROM range(1000000000) AS a, range(1000000) AS b", _D),
    Hostile("resource", "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"),
    Hostile("resource", "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"),
    Hostile("resource", "SELECT unnest(range(1000000000))", _D),
    Hostile("resource", _DEEP),
    Hostile("resource", "SELECT " + "+".join(["1"] * 9_000)),
    # functions that nothing interrupts, over texts whose length nobody knows
    Hostile("length", "SELECT replace(note, note, 'x') FROM orders"),
    Hostile("length", "SELECT replace(note, 'a', note) FROM orders"),
    Hostile("length", "SELECT count(*) FROM orders a JOIN orders b ON a.note LIKE '%'||b.note||'%'"),
    Hostile("length", "SELECT note LIKE note FROM orders"),
    Hostile("length", "SELECT note LIKE 'x' ESCAPE note FROM orders"),
    Hostile("length", "SELECT instr(note, note) FROM orders", _S + _D),
    Hostile("length", "SELECT note GLOB note FROM orders", _S),
    Hostile("length", "SELECT ltrim(note, note) FROM orders", _S + _P),
    Hostile("length", "SELECT strftime(note, placed) FROM orders", _S),
    Hostile("length", "SELECT strpos(note, note) FROM orders", _P + _D),
    Hostile("length", "SELECT position(note IN note) FROM orders", _P + _D),
    Hostile("length", "SELECT split_part(note, note, 1) FROM orders", _P + _D),
    Hostile("length", "SELECT note ILIKE note FROM orders", _P + _D),
    Hostile("length", "SELECT note SIMILAR TO note FROM orders", _P + _D),
    Hostile("length", "SELECT note ~ note FROM orders", _P + _D),
    Hostile("length", "SELECT note LIKE ANY (ARRAY[note]) FROM orders", _P),
    Hostile("length", "SELECT substring(note FROM note) FROM orders", _P),
    Hostile("length", "SELECT regexp_replace(note, note, '') FROM orders", _P + _D),
    Hostile("length", "SELECT translate(note, note, 'x') FROM orders", _P + _D),
    Hostile("length", "SELECT overlay(note PLACING note FROM 1) FROM orders", _P),
    Hostile("length", "SELECT to_char(placed, note) FROM orders", _P),
    Hostile("length", "SELECT contains(note, note) FROM orders", _D),
    Hostile("length", "SELECT levenshtein(note, note) FROM orders", _D),
    Hostile("length", "SELECT string_split(note, note) FROM orders", _D),
    # values that a server makes of any number of rows, and numbers of any number of figures
    Hostile("length", "SELECT string_agg(a.note, ',') FROM orders a, orders b", _P),
    Hostile("length", "SELECT array_agg(a.note) FROM orders a, orders b", _P),
    Hostile("length", "SELECT json_agg(a.note) FROM orders a, orders b", _P),
    Hostile(
        "length", "SELECT string_agg(a.note, ',') FROM orders a JOIN orders b ON a.customer_id = b.customer_id", _P
    ),
    Hostile("length", "SELECT jsonb_agg(x) FROM (SELECT a.note AS x FROM orders a, orders b) AS t", _P),
    Hostile("length", "SELECT regexp_split_to_array(note, 'x*') FROM orders", _P),
    Hostile("length", "SELECT string_to_array(note, NULL) FROM orders", _P),
    Hostile("length", "SELECT note ~* note FROM orders", _P),
    Hostile("length", "SELECT regexp_matches(note, note) FROM orders", _P),
    Hostile("length", "SELECT regexp_split_to_array(note, '') FROM orders", _P),
    Hostile(
        "length",
        f"SELECT p + {' + '.join(['p * p * 0'] * 30)} FROM (SELECT power(total, 65000) AS p FROM orders) AS x",
        _P,
    ),
    # beside the point, and odd
    Hostile("odd", ""),
    Hostile("odd", "-- nothing"),
    Hostile("odd", ";"),
    Hostile("odd", "SELECT"),
    Hostile("odd", "SELECT $1"),
    Hostile("odd", "SELECT :name"),
    Hostile("odd", "SELECT ?"),
    Hostile("odd", "SELECT @x", _P),
    Hostile("odd", "VALUES (1), (2)"),
    Hostile("odd", "SELECT \0 FROM customers"),
    Hostile("odd", "how many customers are there?"),
    Hostile("odd", "SELECT * FROM customers; ' OR 1=1 --"),
    Hostile("odd", "SELECT * FROM customers LIMIT (SELECT 1000000000)"),
    Hostile("odd", "SELECT * FROM customers FETCH FIRST 1 ROWS WITH TIES", _P),
    Hostile("odd", "SELECT E'\\x27; DELETE FROM shipments'", _P),
    Hostile("odd", "SELECT U&'\\0027; DELETE FROM shipments'", _P),
    Hostile("odd", 'SELECT "no such column" FROM customers'),
)
"""None of these may be answered."""

HEAVY: Final[tuple[Hostile, ...]] = (
    Hostile("heavy", "SELECT count(*) FROM " + ", ".join(f"orders o{at}" for at in range(40))),
    Hostile("heavy", "SELECT o0.id FROM " + ", ".join(f"orders o{at}" for at in range(12))),
    Hostile(
        "heavy",
        "WITH a AS (SELECT note AS s FROM orders WHERE id = 1), "
        + ", ".join(f"b{at} AS (SELECT {_TEN} AS s FROM {'a' if not at else f'b{at - 1}'})" for at in range(9))
        + " SELECT s FROM b8",
    ),
    # texts and numbers that grow: each value is cut, and the limits of time and memory end what grows further
    Hostile("heavy", "SELECT repeat(repeat(repeat(note, 100), 100), 100) FROM orders", _P + _D),
    Hostile("heavy", "SELECT id FROM orders WHERE lpad(repeat(repeat(note, 1000), 1000), 1000) = note", _P + _D),
    Hostile(
        "heavy",
        "WITH o AS (SELECT 'HighlightAll=1,StartSel='||repeat('y', 1000) AS s) "
        "SELECT length(ts_headline('simple', note, to_tsquery('simple', 'a'), s)) FROM orders, o",
        _P,
    ),
    Hostile(
        "heavy",
        "SELECT format('%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s', note||note||note||note||note) FROM orders",
        _P,
    ),
    Hostile("heavy", f"SELECT id FROM orders WHERE length({_MANY_NOTES}) > 3"),
    Hostile("heavy", f"SELECT CASE WHEN length({_MANY_NOTES}) > 3 THEN 1 END FROM orders"),
    Hostile("heavy", f"SELECT count(*) FROM orders GROUP BY {_MANY_NOTES}"),
    Hostile(
        "heavy",
        "WITH a AS (SELECT note||note||note||note||note||note AS s FROM orders), "
        "b AS (SELECT s||s||s||s||s||s AS s FROM a) SELECT length(s) FROM b",
    ),
    Hostile(
        "heavy",
        f"WITH a AS (SELECT '{'x' * 9_999}' AS s), b AS (SELECT {_TEN}||s AS s FROM a) SELECT length(s) FROM b",
    ),
    Hostile(
        "heavy",
        "WITH a AS (SELECT replace(note, 'a', 'bbbbbbbb') AS s FROM orders) SELECT replace(s, 'b', 'cccccccc') FROM a",
    ),
    Hostile("heavy", f"SELECT regexp_replace(note, '', '{'x' * 30}', 'g') FROM orders", _P + _D),
    Hostile("heavy", f"SELECT concat_ws('{'x' * 9_000}', {', '.join(['note'] * 20)}) FROM orders", _P + _D),
    Hostile("heavy", f"SELECT {'9' * 600} * {'9' * 600}", _P),
    Hostile("heavy", "SELECT length(repeat(repeat(repeat('x', 1000), 1000), 500))", _P + _D),
    Hostile("heavy", "SELECT 'x'::char(10000000)", _P),
    Hostile("heavy", "SELECT * FROM customers LIMIT 1000000000"),
    Hostile("heavy", "SELECT name FROM customers -- ; DELETE FROM shipments"),
    Hostile("heavy", "SELECT name FROM customers /* ; DELETE FROM shipments */;"),
    Hostile("heavy", "SELECT ';DELETE FROM shipments;--' AS text FROM customers"),
)
"""These are queries that may be asked; what they give is bounded, and nothing else comes of them."""

ENDLESS: Final[tuple[Hostile, ...]] = (
    Hostile("endless", f"SELECT instr({_HAY}, {long_text('a')}||{long_text('a')}||'b')", _S),
    Hostile("endless", f"SELECT length(replace({_HAY}, {long_text('a')}||{long_text('a')}||'b', 'c'))", _S),
    Hostile("endless", f"SELECT strpos({long_text('a', 7)}, {long_text('a', 6)}||'b')", _P + _D),
    Hostile("endless", f"SELECT replace({long_text('a', 7)}, {long_text('a', 6)}||'b', 'c') IS NULL", _P + _D),
    Hostile("endless", f"SELECT split_part({long_text('a', 7)}, {long_text('a', 6)}||'b', 2)", _P + _D),
    Hostile("endless", f"SELECT {long_text('a', 7)} LIKE '%'||{long_text('a', 6)}||'b'", _P + _D),
    Hostile("endless", f"SELECT regexp_replace({long_text('a', 6)}, 'a', {long_text('a', 3)}, 'g') IS NULL", _P + _D),
    Hostile("endless", f"SELECT length({long_text('a', 9)})"),
)
"""Minutes of one function in which no database looks at a clock, or all of the memory."""


def of(dialect: Dialect, listed: tuple[Hostile, ...] = HOSTILE) -> list[Hostile]:
    """Those that are written for an engine."""
    return [one for one in listed if dialect in one.dialects]
