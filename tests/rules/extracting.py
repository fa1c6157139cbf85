"""The analyst without a model: numbers that stand in one of the few regular forms in which English reports give them.

A form that is not known, a sentence that does not name its outcome, or a number that could be read in two ways gives
no measurement: what is read by rules has to be sure. All of a measurement's words are one sentence of its passage.
"""

import re
from collections.abc import Iterator
from typing import Final

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.text import ensure_list, shorten_text
from elcano.subjects.analysis.analysis import Direction, Extraction, Group, Measurement, Reported, TestedHypothesis
from elcano.text.words import sentence_ends
from tests.rules.comparing import Named, compared, outcome_before, randomized, tidy

MOST_CHARACTERS: Final = 800
"""Of a sentence; a longer one is a table or a list that lost its form."""
MOST_MEASUREMENTS: Final = 500

_NUMBER: Final = r"[-\u2212]?\d+(?:[.,]\d+)*"
_COUNT: Final = r"\d{1,3}(?:,\d{3})+|\d{1,7}"
_MEASURES: Final[tuple[tuple[Reported, str], ...]] = (
    ("odds_ratio", r"(?i:odds ratios?)|\ba?OR\b"),
    ("hazard_ratio", r"(?i:hazard ratios?)|\ba?HR\b"),
    ("risk_ratio", r"(?i:risk ratios?|relative risks?)|\ba?RR\b"),
    ("risk_difference", r"(?i:risk differences?)|\bA?RD\b"),
    ("standardized_mean_difference", r"(?i:standardi[sz]ed mean differences?)|\bSMD\b|(?i:Hedges'? g)"),
    ("mean_difference", r"(?i:mean differences?)|\bW?MD\b"),
    ("correlation", r"(?i:correlation coefficients?|(?:Pearson|Spearman)'?s? (?:correlation|r))|\br(?=\s?=)"),
)
_NAME: Final = "|".join(f"(?P<{name}>{words})" for name, words in _MEASURES)
_ESTIMATE: Final = re.compile(
    rf"(?:{_NAME})(?P<between>[^\d(\[.;]{{0,80}}?(?:[\[(][A-Za-z]{{1,5}}[\])][^\d(\[.;]{{0,80}}?)?)"
    rf"(?P<value>{_NUMBER})(?P<share>\s?%)?(?P<unit>\s?[A-Za-z\u00b5/]{{1,12}})?"
    rf"[\s,;:(\[]{{0,4}}(?:(?P<level>\d{{2}}(?:\.\d)?)\s?%\s?(?:CI|C\.I\.|confidence interval)(?:\s?[\[(]CI[\])])?"
    rf"[\s,:=(\[]{{0,4}}(?P<low>{_NUMBER})\s?%?\s?(?:-|\u2013|\u2014|to|,|;)\s?(?P<high>{_NUMBER})"
    rf"|[Pp](?:\s?-?value)?\s?=\s?(?P<p>0?\.\d+)|[Nn]\s?=\s?(?P<size>{_COUNT}))"
)
_EVENTS: Final = re.compile(
    rf"(?<![\d.,/])(?P<events>{_COUNT})\s?(?:/|(?:out )?of)\s?(?:the |all )?(?P<size>{_COUNT})(?![\d/]|[.,]\d)"
    r"(?:(?: [a-z-]+){0,3}?\s?[\[(](?P<percent>\d{1,3}(?:[.,\u00b7]\d{1,2})?)\s?%[\])])?"
)
_MEAN: Final = re.compile(
    rf"(?P<mean>{_NUMBER})\s?(?P<unit>%|[A-Za-z\u00b5]{{1,6}}(?:/[A-Za-z]{{1,4}})?)?\s?"
    rf"(?:[\[(]\s?(?:SD|standard deviation)[\s=:,]{{0,3}}(?P<sd>\d+(?:[.,]\d+)?)\s?[A-Za-z/%]{{0,10}}\s?"
    rf"(?:[,;]\s?[Nn]\s?=\s?(?P<inside>{_COUNT}))?[\])]|,?\s?SD[\s=:]{{0,3}}(?P<bare>\d+(?:[.,]\d+)?))"
)
_SIZE: Final = re.compile(rf"\b[Nn]\s?=\s?(?P<size>{_COUNT})(?!\d|[.,]\d)")
_EFFECTS: Final[tuple[tuple[Direction, str], ...]] = (
    ("lower", r"reduces?|lowers?|decreases?|prevents?|cuts?|protects? (?:against|from)|shortens?"),
    ("higher", r"increases?|raises?|elevates?|causes?|prolongs?|lengthens?"),
    ("different", r"affects?|changes?|influences?|improves?|alters?"),
)
_ASKED: Final = tuple(
    (
        expects,
        re.compile(
            rf"^(?:does|do|can|could|will|would|did|is it true that)\s+(?P<first>.{{2,120}}?)\s+(?:{verbs})\s+"
            r"(?P<outcome>.{2,150}?)(?:,?\s+(?:compared (?:with|to)|versus|vs\.?|more than|than|beside)\s+"
            r"(?P<second>.{2,100}?))?\s*\?*$",
            re.IGNORECASE,
        ),
    )
    for expects, verbs in _EFFECTS
)


def extract(task: TaskEnvelope) -> Extraction:
    """What the passages say in regular forms, and the question as a hypothesis unless others are given."""
    given = tuple(TestedHypothesis.model_validate(one) for one in ensure_list(task.given.get("hypotheses")))
    found: list[Measurement] = []
    for item in task.evidence:
        arms = randomized(item.text)
        for sentence in _sentences(item.text):
            found += _read(item, sentence, arms)
    return Extraction(hypotheses=given or (hypothesis(task.question),), measurements=tuple(found[:MOST_MEASUREMENTS]))


def hypothesis(question: str) -> TestedHypothesis:
    """A question as what is to be tested; in other forms than a few it names no groups and expects a difference."""
    asked = " ".join(question.split())
    statement = shorten_text(asked, 500) or "The question"
    for expects, pattern in _ASKED:
        if found := pattern.match(asked):
            first, second = tidy(found["first"]), tidy(found["second"] or "")
            outcome = tidy(found["outcome"])
            return TestedHypothesis(statement=statement, first=first, second=second, outcome=outcome, expects=expects)
    return TestedHypothesis(statement=statement)


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for end in sentence_ends(text, "en"):
        sentence = text[begin:end].strip()
        begin = end
        if sentence and len(sentence) <= MOST_CHARACTERS and any(sign.isdigit() for sign in sentence):
            yield sentence


def _read(item: EvidenceItem, sentence: str, arms: Named | None) -> list[Measurement]:
    """A sentence gives estimates, or counts, or means; if it has several forms, what is nearest to the raw numbers."""
    raw = [*_counts(item, sentence), *_means(item, sentence)]
    return raw or list(_estimates(item, sentence, arms))


def _estimates(item: EvidenceItem, sentence: str, arms: Named | None) -> Iterator[Measurement]:
    for found in _ESTIMATE.finditer(sentence):
        reports = next(name for name, _ in _MEASURES if found[name])
        if (reports == "correlation") != (found["size"] is not None) and found["size"] is not None:
            continue
        value, low, high = (_number(found[name]) for name in ("value", "low", "high"))
        told = re.match(r"\s*(?:for|of)\s+(?:the\s+)?(.{3,80}?)\s*(?:was|were|is|=|:|,|$)", found["between"])
        outcome = tidy(told[1]) if told else outcome_before(sentence[: found.start()])
        named = compared(sentence, arms)
        if value is None or not outcome or (found["low"] and (low is None or high is None)):
            continue
        yield Measurement(
            evidence=item.key,
            outcome=outcome,
            reports=reports,
            value=value,
            low=low,
            high=high,
            level=float(found["level"] or 95),
            p=_number(found["p"]),
            size=_count(found["size"]),
            unit="%" if found["share"] else (found["unit"] or "").strip() if reports == "mean_difference" else "",
            first=Group() if reports == "correlation" else Group(name=named.first),
            second=Group() if reports == "correlation" else Group(name=named.second),
            quote=sentence,
        )


def _counts(item: EvidenceItem, sentence: str) -> Iterator[Measurement]:
    """Two groups, or one alone; of three nobody knows which are compared."""
    found = list(_EVENTS.finditer(sentence))
    if not 1 <= len(found) <= 2:
        return
    outcome = outcome_before(sentence[: found[0].start()]) or _happened(sentence[found[0].end() :])
    names = _names(sentence, [one.span() for one in found])
    alone = len(found) == 1 and not (found[0]["percent"] or names[0])  # `version 2 of 3`
    if not outcome or alone or (len(found) == 2 and not all(names)):
        return
    groups = [
        Group(
            name=name,
            events=_count(one["events"]),
            size=_count(one["size"]),
            percent=_number((one["percent"] or "").replace("\u00b7", ".")),
        )
        for one, name in zip(found, names, strict=True)
    ]
    yield _of_groups(item, sentence, outcome, "counts", groups)


def _means(item: EvidenceItem, sentence: str) -> Iterator[Measurement]:
    found = list(_MEAN.finditer(sentence))
    if not 1 <= len(found) <= 2:
        return
    spans = [one.span() for one in found]
    names = _names(sentence, spans)
    ends = [*(begin for begin, _ in spans[1:]), len(sentence)]
    outcome = outcome_before(sentence[: spans[0][0]])
    groups: list[Group] = []
    units: set[str] = set()
    for one, name, end in zip(found, names, ends, strict=True):
        near = _SIZE.search(sentence, one.end(), end)
        size = one["inside"] or (near["size"] if near else None)
        units.add(one["unit"] or "")
        groups.append(
            Group(name=name, mean=_number(one["mean"]), sd=_number(one["sd"] or one["bare"]), size=_count(size))
        )
    whole = all(one.size is not None and one.mean is not None and one.sd is not None for one in groups)
    if outcome and whole and len(units) == 1 and (len(groups) == 1 or all(names)):
        yield _of_groups(item, sentence, outcome, "means", groups, units.pop())


def _of_groups(
    item: EvidenceItem, sentence: str, outcome: str, reports: Reported, groups: list[Group], unit: str = ""
) -> Measurement:
    second = groups[1] if len(groups) > 1 else Group()
    return Measurement(
        evidence=item.key, outcome=outcome, reports=reports, first=groups[0], second=second, unit=unit, quote=sentence
    )


def _names(sentence: str, spans: list[tuple[int, int]]) -> list[str]:
    """What each number's group is called: it is said behind the number, before the next one."""
    ends = [*(begin for begin, _ in spans[1:]), len(sentence)]
    return [_group(sentence[close:end]) for (_, close), end in zip(spans, ends, strict=True)]


def _group(text: str) -> str:
    found = re.search(
        r"\b(?:(?:in|of|from) (?:the |those (?:receiving|taking|given|on) )|with |receiving |given |taking |"
        r"(?:assigned|randomi[sz]ed) to |treated with |on |in )(?P<name>[^\d,.;:()]{1,60}?)"
        r"(?= (?:groups?|arms?)\b|[,.;:()]|"
        r" (?:and|versus|vs|compared|than|but|while|whereas|died|had|developed|experienced)\b|$)",
        text,
    )
    return tidy(found["name"]) if found else ""


def _happened(text: str) -> str:
    """The outcome where it follows its first number: `12 of 45 in the aspirin group died`."""
    found = re.search(
        r"\b(?P<died>died|relapsed|recovered|survived)\b|\b(?:had|developed|experienced|suffered|reported) "
        r"(?P<what>[^\d,.;:()]{3,60}?)(?=[,.;:()]| (?:compared|versus|vs|and|while|whereas|than|in)\b|$)",
        text,
    )
    return (found["died"] or tidy(found["what"])) if found else ""


def _number(text: str | None) -> float | None:
    """A number as English and, where that is unmistakable, as a decimal comma writes it; None: it is not sure which."""
    if not text:
        return None
    plain = text.replace("\u2212", "-")
    if re.fullmatch(r"-?\d+(?:\.\d+)?", plain) or re.fullmatch(r"-?\.\d+", plain):
        return float(plain)
    if re.fullmatch(r"-?\d+,\d{1,2}", plain):
        return float(plain.replace(",", "."))
    return float(plain.replace(",", "")) if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+\.\d+", plain) else None


def _count(text: str | None) -> float | None:
    return float(text.replace(",", "")) if text else None
