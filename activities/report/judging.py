"""What is found of a statement whose citations hold: by code from its figures and names, by a reviewer from its sense.

Code cannot be talked round about a figure: one that no quote has makes a statement a supported one no more, whatever
the reviewer says. A name may be another one's, so there the reviewer's word counts. What connects and cites nothing may
name no figure that the text around it does not rest on. An inference is judged by who reads it.
"""

from collections.abc import Iterable, Iterator, Sequence

from elcano.activities.report.works import Works
from elcano.activities.support.saying import Statement as Said
from elcano.activities.support.saying import figures_unquoted, names_unquoted
from elcano.graphs.support import Support
from elcano.graphs.values.statements import Judgement, Statement
from elcano.storage.evidence import Evidence

MOST_REASONS = 3


def judged(statement: Statement, known: Sequence[str], judgement: Judgement | None) -> Statement:
    """`statement` with its support and the reason.

    Args:
        statement: of one whose citations hold as far as it needs them.
        known: what need not be quoted.
        judgement: what the reviewer found of it; None if nobody looked.
    """
    support: Support = judgement.support if judgement else "unchecked"
    reasons = [judgement.reason] if judgement and judgement.reason else []
    if statement.kind == "fact":
        said = said_of(statement, known)
        figures, names = figures_unquoted(said), names_unquoted(said)
        if figures:
            support = "partly" if support in ("supported", "partly") else "not_supported"
            reasons = [*figures, *reasons]
        if names and support in ("unchecked", "partly", "not_supported"):
            support = "partly" if support == "unchecked" else support
            reasons = [*reasons, *names]
    return statement.model_copy(update={"support": support, "reason": "; ".join(reasons[:MOST_REASONS])})


def connected(statement: Statement, quotes: Sequence[str], known: Sequence[str]) -> Statement:
    """What connects and cites nothing, with what is wrong with its figures.

    Args:
        statement: a sentence or an item; a cell may say how its row is called.
        quotes: what the text around it quotes.
        known: what need not be quoted.
    """
    if statement.kind != "connecting" or statement.context or statement.reason:
        return statement
    found = figures_unquoted(Said(statement.text, tuple(quotes), tuple(known)), counting=True)
    if not found:
        return statement
    reasons = (reason.replace("the words it quotes", "the words that are quoted around it") for reason in found)
    return statement.model_copy(update={"support": "not_supported", "reason": "; ".join(list(reasons)[:MOST_REASONS])})


def said_of(statement: Statement, known: Sequence[str]) -> Said:
    """The statement with its quotes that hold, as it is held against them."""
    quotes = tuple(dict.fromkeys(cited.quote for cited in statement.citations if cited.verdict == "verified"))
    return Said(statement.text, quotes, (*known, statement.context))


def known_of(passages: Iterable[Evidence], works: Works) -> Iterator[str]:
    """What is known of cited passages beside their words: titles, who wrote the work, when and where."""
    for passage in passages:
        yield passage.title
        yield passage.heading
        known = works.of(passage)
        if known is not None:
            work = known.work
            yield " ".join(filter(None, (work.title, *work.authors, str(work.year or ""), work.venue)))
