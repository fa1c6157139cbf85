"""Who is compared with whom in a sentence, and in which outcome, told by the few words that English reports use."""

import re
from typing import Final, NamedTuple


class Named(NamedTuple):
    """Two groups by their names."""

    first: str
    second: str


_AGAINST: Final = r"(?:than|versus|vs\.?|compared (?:with|to)|as against|relative to)"
_LEAD: Final = r"(?:with|for|among|in(?: the)?|on|after|those (?:receiving|taking|given|on)|receiving|taking)"
_WORDS: Final = r"[A-Za-z0-9\u00c0-\u024f][^\s,.;:()\[\]]*(?: [^\s,.;:()\[\]]+){0,4}?"
_EITHER: Final = re.compile(
    rf"\b{_LEAD} (?P<first>{_WORDS})(?: (?:groups?|arms?))?,? {_AGAINST} (?:{_LEAD} )?(?:the )?(?P<second>{_WORDS})"
    r"(?= (?:groups?|arms?|was|were)\b|[,.;:()\[\]]|$)"
)
_CHANGED: Final = (
    r"(?:reduc|increas|decreas|lower|rais|prevent|improv|shorten|prolong|cut)(?:ed|es|e|s)?|"
    r"(?:was|is|were) (?:not )?(?:significantly )?associated with(?: an?)?(?: significantly)? "
    r"(?:lower|higher|reduced|increased|decreased|greater)"
)
_SUBJECT: Final = re.compile(
    rf"(?:^|[,;:] )(?P<first>[^,;:()]{{2,80}}?) (?:significantly |did not |also |not )*(?<!was )(?<!were )(?<!is )"
    rf"(?:{_CHANGED}) "
    rf"(?P<outcome>[^,;:()]{{3,80}}?)(?: {_AGAINST} (?:{_LEAD} )?(?:the )?(?P<second>{_WORDS}))?\s*(?=[,;:(\[.]|$)"
)
_RANDOMIZED: Final = re.compile(
    r"\b(?:randomi[sz]ed|randomly assigned|assigned|allocated)\b[^.;]{0,80}?\bto (?:receive |either )*"
    rf"(?P<first>{_WORDS})(?: \([^()]{{1,40}}\))? (?:or|and|versus|vs\.?) (?P<second>{_WORDS})"
    r"(?=[,.;:()]| (?:for|in|at)\b|$)"
)
_CONTROL: Final = re.compile(r"(?:placebo|control|usual care|standard care|no treatment|sham)\b", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\s?\([^()]*(?:\([^()]*\)[^()]*)*\)")
_NOTHING: Final = re.compile(r"(?:in total|in all|overall|altogether|of (?:these|those|them)|results?)$", re.IGNORECASE)
_VERB: Final = re.compile(
    r"\s+(?:was|were|is|are|occurred|happened|fell|rose|averaged|decreased|increased|reached|did|ha[ds] been)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_BEGUN: Final = re.compile(
    r"^(?:the|an?|mean|median|average|overall|total|number of|rates? of|risks? of|odds of|incidence of|hazard of|"
    r"proportion of|patients with|risk for|unadjusted|adjusted)\s+",
    re.IGNORECASE,
)
_ENDED: Final = re.compile(r"\s+(?:groups?|arms?|alone|rates?|risks?|the|an?|of|in|with|by|to)$", re.IGNORECASE)


def tidy(text: str) -> str:
    """A name without what says nothing of it: articles, `group`, `risk of`; at most 200 characters."""
    name = " ".join(text.split()).strip(" \"'.,;:()[]?")
    while (shorter := _ENDED.sub("", _BEGUN.sub("", name))) != name:
        name = shorter
    return name[:200]


def compared(sentence: str, arms: Named | None = None) -> Named:
    """The groups of a sentence: `with aspirin than with placebo`, `aspirin reduced death compared with placebo`.

    Args:
        sentence: what reports a result.
        arms: the groups of the study, for a sentence that does not name both.

    Returns:
        Names that are empty where nothing says them.
    """
    plain = " ".join(_ASIDE.sub("", sentence).split())
    if subject := _SUBJECT.search(plain):
        first, second = tidy(subject["first"]), tidy(subject["second"] or "")
        if second or arms is None:
            return Named(first, second)
        if first.lower() in (arms.first.lower(), arms.second.lower()):
            return arms if first.lower() == arms.first.lower() else Named(arms.second, arms.first)
        return Named(first, "")
    if either := _EITHER.search(plain):
        return Named(tidy(either["first"]), tidy(either["second"]))
    return arms or Named("", "")


def randomized(text: str) -> Named | None:
    """The two groups that a passage says people were assigned to; None if it names none, or more than one pair."""
    found = [Named(tidy(one["first"]), tidy(one["second"])) for one in _RANDOMIZED.finditer(text)]
    if len(set(found)) != 1 or not all(found[0]):
        return None
    return Named(found[0].second, found[0].first) if _CONTROL.match(found[0].first) else found[0]


def outcome_before(text: str) -> str:
    """The outcome that the beginning of a sentence, up to its first number, is about; empty if it names none."""
    if found := _SUBJECT.search(text.rstrip(" ([,;:") + " ("):
        return tidy(found["outcome"])
    clause = re.split(r"[,;:]\s|\)\s", text.rstrip(" ([,;:"))[-1]
    subject = _VERB.sub("", clause)
    name = tidy(subject)
    if _NOTHING.match(name):
        return ""
    return name if re.search(r"[^\W\d_]{3,}", name) and len(name.split()) <= 8 and not re.search(r"\d", name) else ""
