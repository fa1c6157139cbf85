"""What an attempt may still use of what its call may."""

from pathlib import Path
from typing import Any, cast

from elcano.activities.calls.attempt import Attempt
from elcano.graphs.state.budget import Allowance, Usage
from elcano.settings import Settings
from elcano.storage.store import open_store
from tests.unit.activities.agents.material import call


async def test_what_earlier_attempts_used_is_gone_too(tmp_path: Path) -> None:
    asked = call("thinking", {"question": "Why?"}).model_copy(update={"allowance": Allowance(tokens=1_000)})
    nobody = cast(Any, None)
    async with open_store(tmp_path) as store:
        attempt = Attempt(asked, nobody, store.of("default"), Settings(_env_file=None), nobody)
        attempt.before, attempt.usage = Usage(input_tokens=700), Usage(output_tokens=100)
        assert attempt.left.tokens == 200
