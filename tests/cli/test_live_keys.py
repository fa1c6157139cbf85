"""Keys while a run is watched, on a real terminal: what they ask and show, and that the terminal is left as it was."""

import os
import signal

import httpx

from elcano.cli.exit_codes import Exit
from elcano.cli.live_keys import HELP
from tests.api.asking import start_at
from tests.cli.conftest import Stack
from tests.cli.terminal import terminal

HINT = "press ? for keys"


async def test_keys_ask_and_every_answer_is_shown(stack: Stack) -> None:
    run_id = await start_at(stack.url)
    with terminal("watch", run_id, ELCANO_API_URL=stack.url) as screen:
        await screen.shows(HINT)
        await screen.takes_keys()
        screen.press("?")
        await screen.shows(HELP)
        screen.press("p")
        await screen.shows("paused: calls in flight finish")
        async with httpx.AsyncClient(base_url=stack.url, timeout=60) as api:
            shown = (await api.get(f"/v1/runs/{run_id}")).json()
        granted = shown["budget"]["limits"]["tokens"] + 50_000
        assert (shown["stage"], shown["hold"]["reason"]) == ("paused", "pause")
        screen.press("p")
        await screen.shows("continued")
        screen.press("t5 apples\r")
        await screen.shows("not done: '5 apples' is no amount")
        screen.press("t9\x7f50000 tokens\r")
        await screen.shows(f"added: the run may now spend tokens {granted:,}, ")
        screen.press("\x1b[A")  # an arrow is none of them
        screen.press("cn\r")
        screen.press("senough\r")
        await screen.shows("stopped: the run is going to its report now")
        stack.answering.set()
        assert await screen.told("ended") == f"ended {Exit.STOPPED:d}"
        assert screen.modes == screen.found
        assert "Asked to stop: enough" in screen.text


async def test_c_cancels_once_it_is_confirmed(stack: Stack) -> None:
    run_id = await start_at(stack.url)
    with terminal("watch", run_id, ELCANO_API_URL=stack.url) as screen:
        await screen.takes_keys()
        screen.press("cy\r")
        await screen.shows("cancelled: it ends now, without a report")
        assert await screen.told("ended") == f"ended {Exit.CANCELLED:d}"
        assert screen.modes == screen.found


async def test_a_stopped_watcher_gives_the_terminal_back_and_takes_it_again(stack: Stack) -> None:
    run_id = await start_at(stack.url)
    with terminal("watch", run_id, ELCANO_API_URL=stack.url) as screen:
        await screen.takes_keys()
        screen.press("\x1a")
        await screen.told("stopped")
        assert screen.modes == screen.found
        screen.foreground()
        await screen.takes_keys()
        screen.press("?")
        await screen.shows(HELP)
        screen.press("\x03")
        assert await screen.told("ended") == f"ended {Exit.INTERRUPTED:d}"
        assert screen.modes == screen.found
        assert f"elcano watch {run_id}" in screen.text


async def test_a_watcher_that_is_ended_leaves_the_terminal_as_it_was(stack: Stack) -> None:
    run_id = await start_at(stack.url)
    with terminal("watch", run_id, ELCANO_API_URL=stack.url) as screen:
        await screen.takes_keys()
        job = int((await screen.told("job")).split()[1])
        os.kill(job, signal.SIGTERM)
        assert await screen.told("ended") == f"ended {128 + signal.SIGTERM:d}"
        assert screen.modes == screen.found


async def test_ask_takes_keys_too(stack: Stack) -> None:
    with terminal("ask", "What is it?", ELCANO_API_URL=stack.url) as screen:
        await screen.shows(HINT)
        await screen.takes_keys()
        stack.answering.set()
        assert (await screen.told("ended")).startswith("ended ")
        assert screen.modes == screen.found
