"""What makes a run partial whose searches failed: a source that was searched and never answered.

"Could not be searched" and "does not answer" are different outcomes: a source that failed every time says nothing of
the question, whatever the other sources answered.
"""

from typing import Final

from elcano.graphs.engine.run import Run
from elcano.graphs.shortening import shorten_text
from elcano.graphs.values.display_text import format_count
from elcano.graphs.values.state import Ending

NAMED: Final = 6
"""So many sources are named with why they failed; of more the number is said."""
REASON_CHARACTERS: Final = 160


def find_sources_ending(run: Run) -> Ending | None:
    """How a run ends of whose sources one failed in every search; None if each that was searched answered once."""
    calls = [call for turn in run.state.conversation for call in turn.tool_calls if not call.pending]
    searched = {call.source for call in calls if call.error is None}
    tried = {call.source: call.error for call in calls if call.source in run.state.sources}
    failed = {source: error for source, error in tried.items() if error is not None and source not in searched}
    if not failed:
        return None
    reasons = [f"{source} ({shorten_text(why, REASON_CHARACTERS).rstrip('.')})" for source, why in failed.items()]
    if len(reasons) > NAMED:
        reasons[NAMED:] = [f"{len(reasons) - NAMED} more"]
    told = "no source could be searched"
    if searched:
        told = f"{len(failed)} of {format_count(len(tried), 'source')} could not be searched"
    return Ending(kind="sources", detail=f"{told}: {'; '.join(reasons)}")
