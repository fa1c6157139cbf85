#!/bin/sh
# After pytest-timeout has ended a test of anyio's pytest plugin, no later test of the process runs. The timeout raises
# pytest's Failed out of the event loop, and anyio passes that on without cancelling the task in which it runs tests
# once a fixture of a wider scope keeps its runner alive: the task goes on waiting in the test that has failed. The next
# test waits behind it until it times out as well, and each one after that fails at once with anyio.WouldBlock, which
# names neither the test that waited nor where. A timeout within the test (asyncio.timeout, anyio.fail_after) fails
# that test alone.
#
# version: anyio==4.16.0, pytest==9.2.0, pytest-timeout==2.4.0, timeout_method=signal (the default)
# behaviour: of one test that waits for ever and three that return at once, all four fail
# seen: `FAILED test_first_waits - Failed: Timeout`, `test_second - Failed: Timeout`, `test_third` and `test_fourth` -
#   anyio.WouldBlock; with `asyncio.timeout` in the first: 1 failed, 3 passed
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q anyio==4.16.0 pytest==9.2.0 pytest-timeout==2.4.0
cat > "$folder/pytest.ini" <<'INI'
[pytest]
anyio_mode = auto
timeout = 4
INI
cat > "$folder/test_waiting.py" <<'PYTHON'
import asyncio
import os

import pytest


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
async def shared():
    yield 1


async def test_first_waits(shared):
    async with asyncio.timeout(float(os.environ["WITHIN"])):
        await asyncio.Event().wait()


async def test_second(shared):
    pass


async def test_third(shared):
    pass


async def test_fourth(shared):
    pass
PYTHON
cd "$folder"
WITHIN=3600 venv/bin/python -m pytest -q --tb=line -p no:cacheprovider > by-signal || true
WITHIN=1 venv/bin/python -m pytest -q --tb=line -p no:cacheprovider > within || true
tail -n 6 by-signal within
grep -q "4 failed" by-signal && grep -q "1 failed, 3 passed" within && [ "$(grep -c 'FAILED.*WouldBlock' by-signal)" -eq 2 ]
