"""Puts sentences back that a repair of a block dropped or spoiled, so that its other repairs can be taken."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from elcano.activities.agents.draft_faults import LEAST_KIN, is_doubted, is_lost, list_spoiled
from elcano.activities.report.checked_draft import CheckedClaim
from elcano.graphs.agents.writing import rename_marks
from elcano.graphs.report.report import Citation, Claim
from elcano.text.prose.markdown_parser import mark_of
from elcano.text.stems import list_stems

_NEW_LINE: Final = "\n"
_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
"""How an item of a list begins."""
_INDENTED: Final = re.compile(r"^[ \t]+\S", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W_]+")
_BRACKET: Final = r"\[[^\[\]\n]{1,80}\]"
_GAP: Final = rf"(?:{_BRACKET}|[\W_])*?"
_END: Final = rf"[^\w\s\[]*(?:\s*{_BRACKET}[^\w\s\[]*)*"
"""What belongs to the sentence before it: its stop, and marks on either side of that."""


def restore_sentences(claim: Claim, before: CheckedClaim, repair: Claim | None, found: CheckedClaim) -> Claim | None:
    """Return `repair` with the sentences of a paragraph or plain list that it lost or spoiled and that had no fault.

    Args:
        claim: the block as it was written.
        before: the same, checked.
        repair: the block that replaces it; None: all of it is left out.
        found: the repair, checked; without statements if there is none.

    Returns:
        The block, or None if it is neither, its sentences cannot be told apart, or one of the repair is on
        something else.
    """
    kinds = {before.kind, *([found.kind] if repair else [])}
    texts_of_both = (claim.text, repair.text if repair else "")
    if kinds not in ({"paragraph"}, {"list"}) or any(_INDENTED.search(text) for text in texts_of_both):
        return None
    texts = split_sentences(claim.text, [one.text for one in before.statements])
    merged = split_sentences(repair.text, [one.text for one in found.statements]) if repair else []
    if texts is None or merged is None or any(max(_measure_kinship(one, texts)) < LEAST_KIN for one in merged):
        return None
    spoiled = list_spoiled(before, found)
    merged = [one for place, one in enumerate(merged) if place not in spoiled]
    kept = tuple(one for place, one in enumerate(found.statements) if place not in spoiled)
    found = replace(found, statements=kept, citations=tuple(cited for one in kept for cited in one.citations))
    citations = list(repair.citations) if repair else []
    place = 0
    for statement, text in zip(before.statements, texts, strict=True):
        if is_doubted(statement) or not is_lost(statement, [found]):
            place = _find_place_behind(text, merged, place)
            continue
        own = [one for one in claim.citations if one.mark and re.search(_find_mark(one.mark), text)]
        names = _name_marks(own, citations)
        merged.insert(place, rename_marks(text, {mark: [name] for mark, name in names.items()}))
        citations += [one.model_copy(update={"mark": names[one.mark]}) for one in own]
        place += 1
    lines = (f"{_NEW_LINE if _ITEM.match(one) else ' '}{one}" for one in merged)
    return Claim(text="".join(lines).strip(), citations=tuple(citations))


def _find_place_behind(text: str, merged: Sequence[str], first: int) -> int:
    """The place behind the sentence that says what `text` does, from `first`; `first` if none does."""
    kin = _measure_kinship(text, merged)
    place = max(range(first, len(merged)), key=lambda place: kin[place], default=-1)
    return place + 1 if place >= 0 and kin[place] >= LEAST_KIN else first


def _measure_kinship(text: str, others: Sequence[str]) -> list[float]:
    """For each of `others` the share of the shorter one's telling words that it has in common with `text`."""
    words, *said = (frozenset(list_stems(re.sub(_BRACKET, "", one))) for one in (text, *others))
    return [len(words & one) / max(1, min(len(words), len(one))) for one in said]


def split_sentences(text: str, statements: Sequence[str]) -> list[str] | None:
    """Return the Markdown of each of `statements`, which make up `text`, with the marks behind it; None if they do not.

    Args:
        text: a paragraph in Markdown with marks.
        statements: the words of its sentences in order.
    """
    parts = list(_iter_sentences(text, statements))
    whole = "".join("".join(parts).split()) == "".join(text.split())
    return parts if whole and len(parts) == len(statements) else None


def _iter_sentences(text: str, statements: Sequence[str]) -> Iterator[str]:
    begin = 0
    for statement in statements:
        words = [*_WORD.finditer(statement)]
        if not words:
            return
        tail = "".join(rf"\s*{re.escape(one)}" for one in statement[words[-1].end() :] if not one.isspace())
        pattern = f"{_GAP.join(re.escape(one[0]) for one in words)}(?:{tail})?{_END}"
        if (found := re.compile(pattern).search(text, begin)) is None:
            return
        yield text[begin : found.end()].strip()
        begin = found.end()


def _find_mark(mark: str) -> str:
    return rf"(?i)\[[^\[\]]*(?<![\w.:-]){re.escape(mark)}(?![\w.:-])[^\[\]]*\]"


def _name_marks(own: Sequence[Citation], others: Sequence[Citation]) -> Mapping[str, str]:
    """For each mark of `own` a mark that stands for nothing else among `others`."""
    taken = {mark_of(one.mark): (one.evidence, one.quote) for one in others}
    names: dict[str, str] = {}
    for one in own:
        name, said = one.mark, (one.evidence, one.quote)
        while taken.get(mark_of(name), said) != said:
            name += "x"
        taken[mark_of(name)] = said
        names[one.mark] = name
    return names
