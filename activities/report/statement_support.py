"""The support of a statement whose citations were checked: the reviewer's verdict, figures, names and words together.

A figure cannot be argued with: one that no quote contains makes a statement unsupported, whatever the reviewer says.
Only whether a number in words counts rightly, as in “three ways”, is the reviewer's to say. A missing name may be
another spelling, so there the reviewer's verdict counts, too. If a statement was not reviewed, its words are compared
as well. Connecting text that cites nothing may name no figure that the text around it lacks, and state no fact; an
inference names no figure that does not follow from its basis.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from elcano.activities.report.table_scales import find_unscaled_figures, list_scaled_amounts, scale_by_head
from elcano.activities.report.table_units import find_misread_units
from elcano.activities.report.work_merge import Works
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.report import BlockKind, Judgement, Statement, Support
from elcano.storage.evidence import Evidence
from elcano.text.phrases import ENGLISH
from elcano.text.prose.statements import WrittenStatement
from elcano.text.stems import list_stems
from elcano.text.support.figures import extract_figures
from elcano.text.support.missing_facts import Statement as Said
from elcano.text.support.missing_facts import figures_unquoted, find_underived_figures, names_unquoted
from elcano.text.support.quotes import NOTE_LETTERS
from elcano.text.support.statement_check import StatementFinding, judge_statement


def list_preceding(written: Sequence[WrittenStatement], before: str, kind: BlockKind) -> tuple[str, ...]:
    """For each statement of a block the sentence before it.

    Of the first one of a list item it is the sentence before the list; of a cell there is none.
    """
    earlier = (before, *(one.text for one in written[:-1]))
    return tuple(
        "" if one.context else before if kind == "list" and one.opens else said
        for one, said in zip(written, earlier, strict=False)
    )


_NOTED = re.compile(rf"([\d\W_]*\d) ?[acef{NOTE_LETTERS}]")
"""A figure with the letter of a note, raised or not; other letters are units, and words in front make it a name."""
_SAYING = r"(?:answer|say|speak|tell|mention|state|give|describe|report|address|cover)\b"
_SAYS = r"(?:(?:answer|say|speak|tell|mention|state|give|describe|report|cover)s|addresses)\b"
_IS = r"\s+(?:was|were|is|are|has|have|had|could|can)\b"
"""Behind a verb it makes a noun of that: `no passage reports were given`."""
_NOTHING_FOUND = re.compile(
    r"(?:no passages?\b[^.;:]{0,40}\bfound\b|keine (?:der )?(?:gefundenen? )?(?:passagen?|textstellen?)\b"
    r"|aucun passage\b[^.;:]{0,40}\btrouvé|ningún pasaje\b[^.;:]{0,40}\bencontrad"
    r"|nessun passaggio\b[^.;:]{0,40}\btrovat|nenhuma passagem\b[^.;:]{0,40}\bencontrad"
    r"|geen passage\b[^.;:]{0,40}\bgevonden"
    rf"|the passages(?: that were)?(?: found)? do not {_SAYING}|(?:none of the passages(?: found)?"
    rf" (?:{_SAYING}|{_SAYS})|no passages(?: found)? {_SAYING}|no passage(?: found)? {_SAYS})(?!{_IS})"
    r"|die (?:gefundenen )?(?:passagen|textstellen) (?:sagen nichts|beantworten diese frage nicht))",
    re.IGNORECASE,
)

_ADDS: Final = re.compile(
    r"[;:](?=\s)|\s[-\u2013\u2014]+\s|\u2014|\b(?:but|because|although|though|however|weil|aber|parce que|porque|perché"
    r"|omdat|maar)\b|,\s+(?:and|yet|while|whereas|so|since|doch|und|während|denn|mais|et|pero|y|ma|e|mas|en)\b",
    re.IGNORECASE,
)
"""A second clause, which may state a fact."""
_NOT_STATED: Final = re.compile(
    r"(?:not (?:stated|reported|specified)|nicht (?:angegeben|berichtet)|keine angaben?"
    r"|non (?:indiqué|précisé|rapporté)e?s?|no (?:se )?(?:indica|indicado|especificado|consta)"
    r"|non (?:indicat|riportat|specificat)[oaie]"
    r"|não (?:indicad|informad|especificad)[oa]s?|niet (?:vermeld|aangegeven))[.]?",
    re.IGNORECASE,
)


def is_not_stated(words: str) -> bool:
    """Return whether a cell says that no passage states it, as the instructions for comparisons ask, and no more."""
    return _NOT_STATED.fullmatch(words.strip()) is not None


def says_nothing_found(text: str) -> bool:
    """Return whether a sentence says, in the words of the writers' instructions, that no passage says something.

    A second clause may state a fact: a sentence that has one says more than that.
    """
    return _NOTHING_FOUND.match(text.strip()) is not None and _ADDS.search(text) is None


MOST_REASONS = 3


def determine_support(
    statement: Statement,
    known: Sequence[str],
    judgement: Judgement | None,
    passages: Sequence[str] = (),
    facts: Sequence[str] = (),
    *,
    by_words: bool = False,
) -> Statement:
    """`statement` with its support and the reason.

    Args:
        statement: of one whose citations hold as far as it needs them.
        known: what need not be quoted.
        judgement: what the reviewer found of it; None if no one looked.
        passages: the texts that it cites.
        facts: of an inference, the statements that it names.
        by_words: its words are compared if no one looked; not those of a cell, which is no sentence.
    """
    support: Support = judgement.support if judgement else "unchecked"
    said = said_of(statement, known)
    whole = replace(said, quotes=(*said.quotes, *passages))
    if statement.kind == "fact" and by_words and support == "unchecked" and not statement.context:
        found = judge_statement(said)
        if found.reasons and passages and not judge_statement(whole).reasons:
            found = StatementFinding("in_passage", (ENGLISH.in_passage, *found.reasons))
        return _set_support(statement, found.support, found.reasons)
    reasons = [judgement.reason] if judgement and judgement.reason else []
    if statement.kind == "inference" and (
        figures := find_underived_figures(replace(said, quotes=(*said.quotes, *facts)))
    ):
        support = "partly" if support in ("supported", "partly") else "not_supported"
        reasons = [*figures, *reasons]
    elif statement.kind == "fact":
        cells = list(map(strip_note, _list_quoted_cells(statement)))
        figures = _find_unquoted_figures(statement, said, support, passages)
        names = names_unquoted(said)
        wrong = find_misread_units(statement.text, statement.context, cells, said.quotes)
        wrong += find_unscaled_figures(statement.text, statement.context, cells, said.quotes)
        wrong += find_misplaced_figures(statement.text, statement.context, cells) if statement.context else ()
        if wrong:
            return _set_support(statement, "not_supported", [*wrong, *reasons])
        if figures:
            there = passages and support in ("supported", "unchecked") and not figures_unquoted(whole)
            support = "in_passage" if there else "partly" if support in ("supported", "partly") else "not_supported"
            reasons = [*([ENGLISH.in_passage] if there else []), *figures, *reasons]
        if names and support in ("unchecked", "partly", "not_supported"):
            if support == "unchecked":
                there = passages and not names_unquoted(whole)
                support = "in_passage" if there else "partly"
                reasons = [*([ENGLISH.in_passage] if there else []), *reasons]
            reasons = [*reasons, *names]
    return _set_support(statement, support, reasons)


def _find_unquoted_figures(
    statement: Statement, said: Said, support: Support, passages: Sequence[str]
) -> tuple[str, ...]:
    """The figures that the statement does not quote, in words, with those of tables read in their thousands."""
    figures = figures_unquoted(said, reviewed=support != "unchecked")
    if not figures or not (cells := _list_quoted_cells(statement)):
        return figures
    captions = passages if support == "supported" else ()
    quotes = (*said.quotes, *list_scaled_amounts(map(strip_note, cells), captions))
    scaled = replace(said, text=scale_by_head(said.text, statement.context) or said.text, quotes=quotes)
    return figures_unquoted(scaled, reviewed=support != "unchecked")


def _set_support(statement: Statement, support: Support, reasons: Sequence[str]) -> Statement:
    return statement.model_copy(
        update={"support": support, "reason": "; ".join(reasons[:MOST_REASONS]).replace(".; ", "; ")}
    )


def check_connecting_statement(
    statement: Statement, quotes: Sequence[str], known: Sequence[str], judgement: Judgement | None = None
) -> Statement:
    """Return a connecting statement, which cites nothing, with what is wrong with it.

    Args:
        statement: a sentence or an item; a cell may say how its row is called.
        quotes: what the text around it quotes.
        known: what need not be quoted.
        judgement: what the reviewer found of it; None if no one looked.
    """
    if statement.kind != "connecting" or statement.context or statement.reason:
        return statement
    found = figures_unquoted(Said(statement.text, tuple(quotes), tuple(known)), counting=True)
    if not found:
        if judgement and judgement.support in ("partly", "not_supported"):
            return _set_support(statement, "not_supported", [ENGLISH.fact_uncited.format(reason=judgement.reason)])
        return statement
    reasons = (reason.replace("the words it quotes", "the words that are quoted around it") for reason in found)
    return _set_support(statement, "not_supported", list(reasons))


def said_of(statement: Statement, known: Sequence[str]) -> Said:
    """The statement with its quotes that hold, as it is held against them.

    What names the row and column of a quoted cell need not be quoted, too: it is elsewhere in the table.
    """
    held = [cited for cited in statement.citations if cited.verdict == "verified"]
    cells = _list_quoted_cells(statement)
    heads = dict.fromkeys(name for cell in cells for name in cell.names)
    bare = (bare.text for cell in cells if (bare := strip_note(cell)) != cell)
    quotes = tuple(dict.fromkeys((*(cited.quote for cited in held), *bare)))
    known = (*known, statement.context, *heads)
    return Said(statement.text, quotes, known, tuple(_list_named_columns(statement, cells)))


def _list_named_columns(statement: Statement, cells: Sequence[CitedCell]) -> Iterator[str]:
    """Yield the quoted cells of each column whose head has a word of the statement, as one text."""
    words = frozenset(list_stems(f"{statement.text} {statement.context}"))
    columns: dict[str, dict[tuple[str, str], None]] = {}
    for cell in cells:
        if not words.isdisjoint(list_stems(cell.column_head)):
            columns.setdefault(cell.column_head, {})[cell.row_head, cell.text] = None
    yield from (" | ".join(text for _, text in texts) for texts in columns.values())


def _list_quoted_cells(statement: Statement) -> list[CitedCell]:
    return [cell for cited in statement.citations if cited.verdict == "verified" for cell in cited.cells]


def strip_note(cell: CitedCell) -> CitedCell:
    """`cell` with its figure alone, if all that follows that is the letter of a note: `151.0` of `151.0a`.

    Letters that are units as well, as `d` and `h`, are left: `5d` is five days.
    """
    return cell.model_copy(update={"text": found[1]}) if (found := _NOTED.fullmatch(cell.text.strip())) else cell


def known_of(passages: Iterable[Evidence], works: Works) -> Iterator[str]:
    """Yield the known data of cited passages besides their text: titles, authors, year and venue."""
    for passage in passages:
        yield passage.title
        yield passage.heading
        known = works.of(passage)
        if known is not None:
            work = known.work
            yield " ".join(filter(None, (work.title, *work.authors, str(work.year or ""), work.venue)))


def find_misplaced_figures(text: str, context: str, cells: Sequence[CitedCell]) -> tuple[str, ...]:
    """Say of each figure of a cell of a report that its quoted row has it in another column only.

    Columns are the same where the report's names have all words of the source's, and of two such heads the fuller one
    is meant: `kcat` is no column of `kcat/Km`. Where none is, nothing is known: a report may call a column otherwise,
    or put together what stood apart.

    Args:
        text: of the cell.
        context: what names its row and column.
        cells: those that it quotes.
    """
    names = _split_head(context)
    heads = {cell: _split_head(cell.column_head) for cell in cells}
    named = [cell for cell, head in heads.items() if head and head <= names]
    meant = [cell for cell in named if not any(heads[cell] < heads[other] for other in named)]
    if not meant:
        return ()
    there = {value for cell in meant for figure in extract_figures(cell.text) for value in figure.values}
    # a head that shares more words with the report's may be the one that is meant, spelled otherwise
    closest = max(len(heads[cell]) for cell in meant)
    others = [cell for cell in cells if heads[cell] and cell not in meant]
    found: dict[str, None] = {}
    for figure in extract_figures(text):
        if not figure.values.isdisjoint(there):
            continue
        stating = [cell for cell in others if any(figure.values & one.values for one in extract_figures(cell.text))]
        if any(len(heads[cell] & names) > closest for cell in stating):
            continue
        if stating:
            found[ENGLISH.figure_misplaced.format(said=figure.written, there=stating[0].column_head)] = None
    return tuple(found)


def _split_head(text: str) -> frozenset[str]:
    """The words and numbers of a column's head, however it is typeset: `s⁻¹μM⁻¹` has those of `s⁻¹ µM⁻¹`."""
    return frozenset(re.findall(r"[^\W\d_]+|\d+", unicodedata.normalize("NFKC", text).casefold()))
