"""The tool `compute`: runs untrusted code in a sandbox, in a process of its own and never in this Python.

The sandbox is Monty's interpreter: it has no files, no network, no packages and no way to this process but the values
that go in and the one that comes out. Time, memory, depth and output are bounded; what goes over a bound is an error.
"""

import asyncio
import json
from typing import Final

from elcano.activities.tools.tool_work import ToolWork
from elcano.graphs.catalogue.tools import ComputeInput, ComputeOutput
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import install_command
from elcano.graphs.frozen import Json
from elcano.graphs.text import shorten_text

SECONDS: Final = 5.0
"""Time limit for computing. A sandbox that does not stop by itself a second later is killed."""
MEMORY_BYTES: Final = 64 * 1024 * 1024
DEPTH: Final = 200
PRINTED_BYTES: Final = 100_000
RESULT_BYTES: Final = 200_000
"""Maximum size of the result as JSON: it becomes a part of the state."""
START_SECONDS: Final = 60.0
"""For its process to begin, on a machine that is busy."""


async def compute_values(work: ToolWork, given: ComputeInput) -> ComputeOutput:
    """The tool `compute`, which keeps nothing; see `run_sandboxed_code`."""
    return await run_sandboxed_code(given)


async def run_sandboxed_code(given: ComputeInput) -> ComputeOutput:
    """Run the code and return the value of its last expression and what it printed.

    Raises:
        InputInvalid: the code is no Python, failed or went over a bound, its result is no JSON, or this worker has no
            sandbox. The text says which.
    """
    return await asyncio.to_thread(_run_in_sandbox, given)


def _run_in_sandbox(given: ComputeInput) -> ComputeOutput:
    try:
        import pydantic_monty
    except ModuleNotFoundError as error:
        text = f"this worker has no sandbox for code: {install_command('analysis')}"
        raise InputInvalid("tool", text) from error
    if named := sorted(name for name in given.inputs if not name.isidentifier()):
        raise InputInvalid("inputs", f"inputs are variables of the code, and these are no names of any: {named}")
    limits: pydantic_monty.ResourceLimits = {
        "max_feed_duration_secs": SECONDS,
        "max_memory": MEMORY_BYTES,
        "max_recursion_depth": DEPTH,
        "max_total_sleep_secs": 0.0,
        "max_suspensions": 100,
    }
    printed = pydantic_monty.CollectString(PRINTED_BYTES)
    try:
        with (
            pydantic_monty.Monty(max_processes=1, request_timeout=START_SECONDS, max_checkouts_per_worker=1) as pool,
            pool.checkout(limits=limits, script_name="code.py") as session,
        ):
            result = session.feed_run(given.code, inputs=dict(given.inputs), print_callback=printed)
    except pydantic_monty.MontyCrashedError as error:
        raise InputInvalid(
            "code", f"the code broke its sandbox, or did not end: {_format_sandbox_error(error)}"
        ) from None
    except (pydantic_monty.MontyError, MemoryError, ValueError) as error:
        raise InputInvalid("code", f"the code failed: {_format_sandbox_error(error)}") from None
    return ComputeOutput(result=_as_json(result), printed=printed.output)


def _as_json(result: object) -> Json:
    """A result as JSON has it.

    Raises:
        InputInvalid: it is none, or too long.
    """
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputInvalid("code", f"its result is no JSON: {_format_sandbox_error(error)}") from None
    if len(text) > RESULT_BYTES:
        raise InputInvalid("code", f"its result has {len(text):,} characters as JSON; {RESULT_BYTES:,} may be kept")
    value: Json = json.loads(text)
    return value


def _format_sandbox_error(error: BaseException) -> str:
    return shorten_text(f"{error}".strip() or type(error).__name__, 500)
