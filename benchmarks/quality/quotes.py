"""Whether quotes are found that were written down otherwise, and none in which a word or a number was changed.

    python -m benchmarks.quality.quotes FOLDER

FOLDER holds `pubmedqa/abstracts.jsonl` (`text`) and `xquad/{en,de,es,zh}.json`, of which the paragraphs are taken.
From each text one sentence is taken and altered in one way at a time, as models alter what they copy.
"""

import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from elcano.text.support.quotes import QuoteIndex

_SENTENCE: Final = re.compile(
    r"(?:(?<=[.!?]\s)|(?<=[\u3002\n])|^)(?:[^.!?\u3002\n]|\.(?=\d)){30,400}(?:[.!?](?=\s|$)|\u3002)", re.MULTILINE
)
_NUMBER: Final = re.compile(r"(?<!\w)\d+(?!\w)")
_TYPED: Final = str.maketrans(
    {"\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2212": "-"}
)
_TYPESET: Final = str.maketrans({"'": "\u2019", '"': "\u201d", "-": "\u2013"})

Altered = Callable[[str], str | None]
SAME: Final[Mapping[str, Altered]] = {
    "as it is": lambda quote: quote,
    "typed marks and dashes": lambda quote: quote.translate(_TYPED),
    "typeset marks and dashes": lambda quote: quote.translate(_TYPESET),
    "first letter in the other case": lambda quote: quote[0].swapcase() + quote[1:],
    "without its stop": lambda quote: quote.rstrip(".!?\u3002"),
    "one stop more": lambda quote: quote.rstrip(".") + ".",
    "one word in bold": lambda quote: _one_word(quote, lambda word: f"**{word}**"),
    "one word as code": lambda quote: _one_word(quote, lambda word: f"`{word}`"),
    "one word as a link": lambda quote: _one_word(quote, lambda word: f"[{word}](https://example.org/a)"),
    "in quotation marks": lambda quote: f"\u201c{quote}\u201d",
    "other spaces": lambda quote: re.sub(r"\s", "\u00a0\n", quote),
    "soft hyphens": lambda quote: re.sub(r"(\w{4})(\w)", "\\1\u00ad\\2", quote),
    "an ellipsis": lambda quote: _shortened(quote, " \u2026 "),
    "three dots": lambda quote: _shortened(quote, " ... "),
}
OTHER: Final[Mapping[str, Altered]] = {
    "one number changed": lambda quote: _one_number(quote),
    "one digit less": lambda quote: re.sub(r"(?<!\w)(\d)\d+(?!\w)", r"\1", quote, count=1),
    "one word changed": lambda quote: _one_word(quote, lambda word: word[::-1] if word != word[::-1] else word + "x"),
    "one word less": lambda quote: _one_word(quote, lambda word: ""),
    "one word more": lambda quote: _one_word(quote, lambda word: f"{word} not"),
    "the last word cut": lambda quote: re.sub(r"(\w{2,})\w\W*$", r"\1", quote) if quote.isascii() else None,
    "parts in another order": lambda quote: _turned(quote),
}


def measure(data: Path) -> None:
    """Prints for each way the share of quotes that were found, and how many there were."""
    chosen = random.Random(5)
    quotes = [(QuoteIndex.of(text), text, quote) for text in _texts(data) if (quote := _sentence(text, chosen))]
    for heading, ways in (("found, as they should be", SAME), ("found, as none should be", OTHER)):
        print(heading)
        for name, altered in ways.items():
            tried = [
                (searched, made) for searched, text, quote in quotes if (made := _made(altered, quote, text, ways))
            ]
            found = sum(searched.find(made) is not None for searched, made in tried)
            print(f"  {name:32} {found:5} of {len(tried):5}  {found / max(1, len(tried)):.4f}")


def _made(altered: Altered, quote: str, text: str, ways: Mapping[str, Altered]) -> str | None:
    made = altered(quote)
    if made is None or ways is SAME:
        return made
    return None if made == quote or re.search(rf"\b{re.escape(made)}\b", text) else made


def _one_word(quote: str, change: Callable[[str], str]) -> str | None:
    words = quote.split(" ")
    if len(words) < 6 or not words[len(words) // 2].isalnum():
        return None
    words[len(words) // 2] = change(words[len(words) // 2])
    return " ".join(word for word in words if word)


def _one_number(quote: str) -> str | None:
    return _NUMBER.sub(lambda found: str(int(found[0]) + 1), quote, count=1) if _NUMBER.search(quote) else None


def _shortened(quote: str, by: str) -> str | None:
    words = quote.split(" ")
    return f"{' '.join(words[:3])}{by}{' '.join(words[-3:])}" if len(words) > 8 else None


def _turned(quote: str) -> str | None:
    words = quote.rstrip(".").split(" ")
    return f"{' '.join(words[-3:])} \u2026 {' '.join(words[:3])}" if len(words) > 8 else None


def _sentence(text: str, chosen: random.Random) -> str:
    found = [one[0].strip() for one in _SENTENCE.finditer(text)]
    return chosen.choice(found) if found else ""


def _texts(data: Path) -> Iterator[str]:
    for line in (data / "pubmedqa" / "abstracts.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)["text"]
    for language in ("en", "de", "es", "zh"):
        for article in json.loads((data / "xquad" / f"{language}.json").read_text("utf-8"))["data"]:
            yield from (paragraph["context"] for paragraph in article["paragraphs"])


def main() -> None:
    """Reads the folder from the command line."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    measure(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
