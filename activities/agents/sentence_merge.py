"""Puts back what a repair of a block dropped or spoiled, so that its other repairs can be taken.

A list is its sentences with the marks of its items. A row of a table comes back without its doubted cells.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from elcano.activities.agents.draft_faults import LEAST_KIN, is_doubted, is_lost, list_spoiled
from elcano.activities.report.checked_draft import CheckedClaim
from elcano.graphs.agents.writing import rename_marks
from elcano.graphs.report.report import Citation, Claim
from elcano.text.prose.markdown_parser import mark_of, marks_of, parse_markdown
from elcano.text.prose.statements import extract_statements
from elcano.text.prose.table_cells import TableCell, iter_table_cells
from elcano.text.stems import list_stems
from elcano.text.support.figures import extract_figures
from elcano.text.support.opposites import is_negated

_WORD: Final = re.compile(r"[^\W_]+")
_BRACKET: Final = r"\[[^\[\]\n]{1,80}\]"
_GAP: Final = rf"(?:{_BRACKET}|[\W_])*?"
_END: Final = rf"[^\w\s\[]*(?:\s*{_BRACKET}[^\w\s\[]*)*"
"""What belongs to the sentence before it: its stop, and marks on either side of that."""

_ITEM: Final = re.compile(r"^(?:[-*+]|\d{1,9}[.)])[ \t]+")
_PIPE: Final = re.compile(r"(?<!\\)\|")
_NESTED: Final = re.compile(r"^[ \t]+\S", re.MULTILINE)


def restore_lost(claim: Claim, before: CheckedClaim, repair: Claim | None, found: CheckedClaim) -> Claim | None:
    """Return `repair` with what it lost or spoiled though nothing was wrong with it; None: it is to stay as it is.

    Args: as for `restore_sentences`.
    """
    if before.kind == "table":
        return restore_rows(claim, before, repair) if repair and found.kind == "table" else None
    lost = any(is_lost(one, [found]) for one in before.statements if not is_doubted(one))
    return restore_sentences(claim, before, repair, found) if lost or list_spoiled(before, found) else None


def restore_sentences(claim: Claim, before: CheckedClaim, repair: Claim | None, found: CheckedClaim) -> Claim | None:
    """Return `repair` with the sentences of a paragraph or list that it lost or spoiled though they were right.

    Args:
        claim: the block as it was written.
        before: the same, checked.
        repair: the block that replaces it; None: all of it is left out.
        found: the repair, checked; without statements if there is none.

    Returns:
        The block, or None if it is no paragraph and no plain list, its sentences cannot be told apart, or one of the
        repair is on something else.
    """
    if before.kind not in ("paragraph", "list") or found.kind not in (before.kind, "paragraph" if not repair else ""):
        return None
    if before.kind == "list" and any(_NESTED.search(one.text) for one in (claim, repair) if one):
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
    listed = before.kind == "list"
    place, item, opened, reopened = 0, "", False, False
    for statement, text in zip(before.statements, texts, strict=True):
        if listed and (opens := _ITEM.match(text)):
            item, opened, reopened = opens[0], False, False
        else:
            opens = None
        if is_doubted(statement) or not is_lost(statement, [found]):
            behind = _find_place_behind(text, merged, place)
            if reopened and behind == place + 1:  # it is no item of its own any more
                merged[place] = _ITEM.sub("", merged[place], count=1)
            place, opened = behind, opened or behind > place
            continue
        if not listed and place < len(merged) and merged[place] not in texts and _says_no_more(merged[place], text):
            del merged[place]  # what is left of the sentence that comes back
        text = text if opens or opened else item + text
        opened, reopened = True, reopened or not opened
        own = [one for one in claim.citations if one.mark and re.search(_find_mark(one.mark), text)]
        names = _name_marks(own, citations)
        merged.insert(place, rename_marks(text, {mark: [name] for mark, name in names.items()}))
        citations += [one.model_copy(update={"mark": names[one.mark]}) for one in own]
        place += 1
    return Claim(text=_join_sentences(merged, listed), citations=tuple(citations))


def _join_sentences(sentences: Sequence[str], listed: bool) -> str:
    """The sentences as one block; of a list each item on a line of its own."""
    return "".join(("\n" if listed and _ITEM.match(one) else " ") + one for one in sentences).strip()


def restore_rows(claim: Claim, before: CheckedClaim, repair: Claim) -> Claim | None:
    """Return a repaired table with the rows that it lost, their doubted cells empty; None: it lost none with facts.

    A row is the same if it has the same name. Tables with as many rows as before have other names, or lost none. With
    other heads, or a row of another name, it is not known what a row of the repair was before.
    """
    old, new = _split_rows(claim), _split_rows(repair)
    lines = repair.text.strip().splitlines()
    if old is None or new is None or len(new) >= len(old):
        return None
    naming = sum(cell.names_row for cell in old[1]) if len(old) > 1 else 0
    names = [_name_row(row, naming) for row in new]
    if [one.words for one in old[0]] != [one.words for one in new[0]]:
        return None
    if not {*names[1:]} <= {_name_row(row, naming) for row in old[1:]}:
        return None
    citations, place, restored = list(repair.citations), 1, False
    for number, row in enumerate(old[1:], start=1):
        if (name := _name_row(row, naming)) in names[1:]:
            place = names.index(name, 1) + 1
            continue
        stated = {cell.column: before.statements[cell.statement] for cell in row if cell.statement is not None}
        doubted = {column for column, one in stated.items() if is_doubted(one)}
        if all(one.kind == "connecting" for column, one in stated.items() if column not in doubted):
            continue
        text = _blank_cells(claim.text.strip().splitlines()[number + 1], doubted, lines[0].startswith("|"))
        own = [one for one in claim.citations if one.mark and re.search(_find_mark(one.mark), text)]
        marks = _name_marks(own, citations)
        lines.insert(place + 1, rename_marks(text, {mark: [name] for mark, name in marks.items()}))
        names.insert(place, name)
        citations += [one.model_copy(update={"mark": marks[one.mark]}) for one in own]
        place, restored = place + 1, True
    return Claim(text="\n".join(lines), citations=tuple(dict.fromkeys(citations))) if restored else None


def _split_rows(claim: Claim) -> list[list[TableCell]] | None:
    """The cells of a table, row by row; None if a row is not one line, below the heads and their rule."""
    tokens = parse_markdown(claim.text, marks_of(claim.citations))
    extract_statements(tokens)
    rows: dict[int, list[TableCell]] = {}
    for cell in iter_table_cells(tokens):
        rows.setdefault(cell.row, []).append(cell)
    return list(rows.values()) if rows and len(rows) + 1 == len(claim.text.strip().splitlines()) else None


def _blank_cells(line: str, columns: Collection[int], piped: bool) -> str:
    """A row of a table in Markdown with these cells empty; with outer pipes if `piped` or an outer cell is empty."""
    cells = [one.strip() for one in _PIPE.split(line.strip().removeprefix("|"))]
    if len(cells) > 1 and not cells[-1]:
        cells.pop()
    shown = ["" if column in columns else cell for column, cell in enumerate(cells)]
    row = " | ".join(shown)
    return f"| {row} |" if piped or not (shown[0] and shown[-1]) else row


def _name_row(row: Sequence[TableCell], naming: int) -> tuple[str, ...]:
    return tuple(cell.words for cell in row[:naming])


def _find_place_behind(text: str, merged: Sequence[str], first: int) -> int:
    """The place behind the sentence that says what `text` does, from `first`; `first` if none does."""
    kin = _measure_kinship(text, merged)
    place = max(range(first, len(merged)), key=lambda place: kin[place], default=-1)
    return place + 1 if place >= 0 and kin[place] >= LEAST_KIN else first


def _says_no_more(text: str, other: str) -> bool:
    """Whether all words and figures of a sentence are those of another one, which denies as it does."""
    part, whole = (re.sub(_BRACKET, "", one) for one in (text, other))
    words, said = frozenset(list_stems(part)), frozenset(list_stems(whole))
    figures, there = ({(one.values, one.unit, one.bound) for one in extract_figures(said)} for said in (part, whole))
    return bool(words) and words <= said and figures <= there and is_negated(part) == is_negated(whole)


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
        # marks may stand between the signs behind its last word, as in `to 72 %[a].`
        signs = (one for one in statement[words[-1].end() :] if not one.isspace())
        tail = "".join(rf"(?:{_BRACKET}|[\s*_`])*?{re.escape(one)}" for one in signs)
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
