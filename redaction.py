"""What nobody may read is taken out of texts before they leave a process: into histories, databases, answers and logs.

The values of all variables that hold keys are removed wherever they stand, whatever their shape; a provider may echo
them. Beside these, what has the shape of a key is removed, for keys that are not in this environment. A shape is only
taken for a key if it has a key's length and signs: a message that says which variable to set stays as it is.
"""

import json
import logging
import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote, quote_plus

from elcano.settings import secrets

REMOVED: Final = "[removed]"
LOG_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_SHAPE: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|ghs|glpat|github_pat)[-_][\w*.-]{6,}"  # the shapes of provider keys
    r"|\b(?:key|pat)[-_](?=[\w*-]*\d)[A-Za-z0-9*-]{12,}"  # words begin so as well: `key_findings`
    r"|\bAIza[\w-]{10,}"
    r"|\bAKIA[A-Z0-9]{12,}"
    r"|(?<=bearer )(?=\S*\d)\S{8,}|(?<=bearer )\S{20,}"
    r"|(?<=basic )[\w+/=]{8,}"
    r"|(?<=[?&]key=)[^&\s]+"
    r"|(?:(?<=api_key=)|(?<=apikey=)|(?<=token=))['\"]?[\w~+/%=*-][\w.~+/%=*-]{5,}['\"]?"
    r"|(?<=://)[^/\s@]+(?=@)",  # user:password in an address
    re.IGNORECASE,
)


def without_secrets(text: str) -> str:
    """`text` with `[removed]` in place of every key."""
    values = _pattern(secrets())
    return _SHAPE.sub(REMOVED, values.sub(REMOVED, text) if values else text)


class SafeFormatter(logging.Formatter):
    """Log lines without keys: in the message, in its arguments, in tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """The whole text of a record."""
        return without_secrets(super().format(record))


def log_to_stderr(level: str) -> None:
    """How every program logs: to its standard error, without keys.

    Args:
        level: `debug`, `info`, `warning` or `error`.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(SafeFormatter(LOG_FORMAT))
    logging.basicConfig(level=level.upper(), handlers=[handler])


@lru_cache(maxsize=16)
def _pattern(values: tuple[str, ...]) -> re.Pattern[str] | None:
    """Finds each of `values` as it is, and as addresses and JSON write it; the longest first."""
    written = {form for value in values for form in (value, quote(value, safe=""), quote_plus(value), _in_json(value))}
    ordered = sorted(written, key=lambda form: (-len(form), form))
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]
