"""Removes secrets from texts before they leave a process: into histories, databases, answers and logs.

Every secret value is removed wherever it occurs; a provider or a server may echo it. A secret of 12 characters and more
is also found in pieces, with white space or control sequences between them: where a terminal, a column or a chunk broke
it. In addition, text that looks like a key is removed, for keys that are not in this environment. It counts as a key
only if it has a key's length and characters: a message that says which variable to set stays as it is.
"""

import json
import logging
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, quote_plus

from elcano.settings import LEAST_SECRET, list_secrets, short_secrets

REMOVED: Final = "[removed]"
LOG_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
LEAST_IN_PIECES: Final = 12
"""Minimum length of a secret that is found in pieces: two adjacent words rarely make a longer one."""

_SHAPE: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|ghs|glpat|github_pat)[-_][\w*.-]{6,}"  # the shapes of provider keys
    r"|\bel[csl]_[0-9a-z]{12}_[0-9A-Za-z]{6,}"  # keys of this API, cut off too
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
_GAP: Final = re.compile(
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]"  # colours and movements of a terminal
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\\+u001b\[[0-?]*[ -/]*[@-~]|\\+x1b\[[0-?]*[ -/]*[@-~]|\\+u00[01][0-9a-f]|\\+[nrt]"  # the same, as JSON writes it
    r"|[\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff])++",
    re.IGNORECASE,
)
"""The characters that may separate two pieces of a secret."""


def without_secrets(text: str, given: tuple[str, ...] = ()) -> str:
    """Return `text` with `[removed]` for every secret, including those in `given`, and for what looks like a key."""
    return without_these_secrets(text, (*list_secrets(), *given))


def without_these_secrets(text: str, secrets: tuple[str, ...]) -> str:
    """The same for secrets that were listed before: for many texts at once."""
    return _SHAPE.sub(REMOVED, without_values(text, secrets))


def json_without_values(value: Any, values: tuple[str, ...]) -> Any:
    """Return the JSON `value` without the secrets: in its strings, its names and its numbers."""
    match value:
        case str():
            return without_values(value, values)
        case dict():
            return {
                without_values(str(name), values): json_without_values(inner, values) for name, inner in value.items()
            }
        case list():
            return [json_without_values(inner, values) for inner in value]
        case int() | float() if not isinstance(value, bool):
            written = str(value)
            cleaned = without_values(written, values)
            return value if cleaned == written else cleaned
    return value


def without_values(text: str, values: tuple[str, ...]) -> str:
    """Return `text` with `[removed]` in place of each of `values`, also where they are in pieces.

    The time is that of one search for each value, whatever the text: no value is tried at each position.
    """
    end, parts = 0, []
    for start, stop in _merge_spans(_find_values(text, values)):
        parts += [text[end:start], REMOVED]
        end = stop
    return "".join((*parts, text[end:])) if parts else text


class SafeFormatter(logging.Formatter):
    """Formats log lines without keys: in the message, in its arguments, in tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the whole text of a record."""
        return without_secrets(super().format(record))


def log_to_stderr(level: str) -> None:
    """Log to standard error, as every program does, without keys; warn of secrets that are too short to be removed.

    Args:
        level: `debug`, `info`, `warning` or `error`.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(SafeFormatter(LOG_FORMAT))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    # At `info` they log the address of every request: what was searched for, and secrets in those of webhooks.
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).setLevel(logging.NOTSET if level == "debug" else logging.WARNING)
    for place in short_secrets():
        logging.getLogger("redaction").warning(
            "%s is not removed from logs and reports: it has fewer than %d characters", place, LEAST_SECRET
        )


def _find_values(text: str, values: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    whole, in_pieces = _list_secret_forms(values)
    for form in whole:
        yield from _find_occurrences(text, form)
    if not in_pieces:
        return
    joined = _GAP.sub("", text)
    places = [place for form in in_pieces for place in _find_occurrences(joined, form)]
    if not places or joined == text:
        return
    begins, shifts, removed = [0], [0], 0
    for gap in _GAP.finditer(text):
        begins.append(gap.start() - removed)
        removed += gap.end() - gap.start()
        shifts.append(removed)
    for start, stop in places:
        yield start + shifts[bisect_right(begins, start) - 1], stop + shifts[bisect_right(begins, stop - 1) - 1]


def _find_occurrences(text: str, form: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _merge_spans(places: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Sort the places and merge those that overlap."""
    start = stop = -1
    for first, last in sorted(places):
        if first >= stop:
            if start >= 0:
                yield start, stop
            start = first
        stop = max(stop, last)
    if start >= 0:
        yield start, stop


@lru_cache(maxsize=64)
def _list_secret_forms(values: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the values as they are and as URLs and JSON write them; and the long ones also without gaps."""
    whole = {form for value in values for form in (value, quote(value, safe=""), quote_plus(value), _in_json(value))}
    joined = {_GAP.sub("", form) for form in whole}
    return tuple(whole), tuple(form for form in joined if len(form) >= LEAST_IN_PIECES)


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]
