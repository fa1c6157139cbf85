"""A run is named on the command line by any part of its id that no other run's has; over HTTP ids are whole."""

import re
from typing import Any, Final

from elcano.cli.exits import Exit, Failed

SHOWN: Final = 8
"""Characters of an id that narrow lists show: its end, which is drawn at random."""
_ULID: Final = 26
_NAMED: Final = 10
"""Runs that are named where a part is of several."""


def whole_id(part: str) -> str:
    """The id that `part` is of; of a section's id, the part stands before the first full stop.

    What is of no run stays as it is, and is refused by the API.

    Raises:
        Failed: it is a part of several ids, or the API does not answer.
    """
    root, stop, section = part.partition(".")
    return root + stop + section if _is_whole(root) else _find_run_id(root) + stop + section


def whole_ids(parts: list[str]) -> list[str]:
    """The ids that these are parts of."""
    return [whole_id(part) for part in parts]


def short_ids(run_ids: list[str]) -> dict[str, str]:
    """By id its end, as long as it has to be to tell these runs apart."""
    longest = max(map(len, run_ids), default=SHOWN)
    few = next(
        (length for length in range(SHOWN, longest) if len({one[-length:] for one in run_ids}) == len(set(run_ids))),
        longest,
    )
    return {one: one[-few:] for one in run_ids}


def _is_whole(root: str) -> bool:
    from elcano.graphs.identity import RUN_ID

    tail = root.rpartition("-")[2]
    return bool(re.fullmatch(RUN_ID, root)) and (len(tail) == _ULID or not tail.startswith("0"))  # as each ULID does


def _find_run_id(part: str) -> str:
    from elcano.cli.client import Api
    from elcano.settings import program_settings

    with Api(program_settings().base_url) as api:
        found: list[dict[str, Any]] = api.get("/v1/runs", limit=_NAMED + 1, run_id=part)["runs"] if part else []
    if len(found) < 2:
        return str(found[0]["run_id"]) if found else part
    named = "".join(f"\n  {run['run_id']}  {' '.join(run['question'].split())[:60]}" for run in found[:_NAMED])
    more = "\n  and others" if len(found) > _NAMED else ""
    raise Failed(f"{part!r} is a part of several ids; say more of it:{named}{more}", Exit.BAD_INPUT)
