"""What the text around a number says of it: a bound, about, exactly, by or to, below zero, less than something else."""

import re
from typing import Final, Literal

_LONGEST_BOUND: Final = 30
_LEAST: Final = (
    r"(?<![-=<])[>≥⩾≧]=?|(?<!\w)(?:at least|more than|greater than|over|above|exceed\w*"
    r"|(?:minimum|min\.?)(?: of)?|mindestens"
    r"|mehr als|über|wenigstens|au moins|plus de|supérieur\w* à|al menos|más de|por lo menos|mayor que|superior a"
    r"|almeno|più di|oltre|pelo menos|mais de|minstens|meer dan|ten minste|более|больше|свыше|en az|최소|적어도)"
    r"|至少|超过|超過|多于|多於|高于|大于|少なくとも|最低|最少|最小|อย่างน้อย|มากกว่า|เกิน"
)
_MOST: Final = (
    r"[<≤⩽≦]=?|(?<!\w)(?:at most|less than|lower than|fewer than|under|below|up to"
    r"|(?:maximum|max\.?)(?: of)?|höchstens|bis zu|jusqu['\u2019](?:à|au)|hasta|fino a|até|tot"
    r"|weniger als|unter|maximal|au plus|moins de|inférieur\w* à|como máximo|menos de|menor que|inferior a"
    r"|al massimo|meno di|no máximo|hoogstens|minder dan|ten hoogste|до|менее|меньше|en fazla|최대)"
    r"|至多|最多|少于|少於|低于|小于|不到|最大|น้อยกว่า"
)
_EXACTLY: Final = re.compile(r"(?:=|(?<!\w)[Pp](?:[ \u00a0-]?values?)?[ \u00a0](?:was|of|is|were))[ \u00a0]?$")
_NOT: Final = re.compile(r"(?:(?<!\w)(?:no|not|never|nicht|nie|pas|non|não|niet|не)[ \u00a0]|不|ไม่)$", re.IGNORECASE)
"""The words that turn `more than` into `at most`."""
_COUNTED: Final = r"(?:[ \u00a0][^\W\d_]{2,20}){0,2}?[ \u00a0]|[\u3400-\u9fff\uac00-\ud7af]{0,3}?[ \u00a0]?"
_OR_MORE: Final = re.compile(
    rf"(?:{_COUNTED})(?:(?:(?:or|and)[ \u00a0](?:more|older|over|above|higher|greater|longer|later)"
    r"|(?:oder|und)[ \u00a0](?:mehr|älter|darüber)|(?:ou|et)[ \u00a0]plus|[oy][ \u00a0]más|[oe][ \u00a0](?:più|oltre)"
    r"|(?:ou|e)[ \u00a0]mais|(?:of|en)[ \u00a0](?:meer|ouder)|и[ \u00a0](?:более|больше|старше)"
    r"|ve[ \u00a0]üzeri)(?!\w)|['\u2019]?[dt][ae]n[ \u00a0](?:fazla|çok)(?!\w)"
    r"|以上|を?超(?![过過])|を?上回|より多|이상|초과|ขึ้นไป)",
    re.IGNORECASE,
)
_OR_LESS: Final = re.compile(
    rf"(?:{_COUNTED})(?:(?:(?:or|and)[ \u00a0](?:less|fewer|younger|under|below|lower|shorter|earlier)"
    r"|(?:oder|und)[ \u00a0](?:weniger|jünger|darunter)|(?:ou|et)[ \u00a0]moins|[oy][ \u00a0]menos|[oe][ \u00a0]meno"
    r"|(?:ou|e)[ \u00a0]menos|(?:of|en)[ \u00a0](?:minder|jonger)|и[ \u00a0](?:менее|меньше|младше|моложе)"
    r"|ve[ \u00a0]alt\u0131)(?!\w)|['\u2019]?[dt][ae]n[ \u00a0]az(?!\w)"
    r"|を?下回|より少|に満た|以下|以内|以內|未満|未满|未滿|이하|미만|이내)",
    re.IGNORECASE,
)
_AT_LEAST: Final = re.compile(rf"(?:{_LEAST})[ \u00a0]?[$€£¥]?$", re.IGNORECASE)
_AT_MOST: Final = re.compile(rf"(?:{_MOST})[ \u00a0]?[$€£¥]?$", re.IGNORECASE)
_ARTICLE: Final = re.compile(
    r"(?<!\bover[ \u00a0])(?<!\bunder[ \u00a0])(?<!\büber[ \u00a0])(?<!\bunter[ \u00a0])(?<!\bonder[ \u00a0])"
    r"\b(?:an?|eine[nmrs]?|een)[ \u00a0]\Z",
    re.IGNORECASE,
)
"""Behind `over` and `under` it is of a range and no bound: `over a tenfold range`."""
_FOLD: Final = re.compile(r"[\w.,]{1,15}-?(?:fold|fach\w{0,2}|voudig\w?)(?!\w)", re.IGNORECASE)
"""Multiples that an article may part from their bound, `up to a tenfold`: `exceeds a 5 % limit` bounds no 5 %."""
_NEARLY: Final = (
    r"about|around|roughly|nearly|almost|approximately|approx\.?|some|circa|ca\.?|close to|near|[~≈]"
    r"|rund|etwa|ungefähr|fast|knapp|gut|environ|près de|presque|quelque|alrededor de|casi|unos|unas|cerca de"
    r"|aproximadamente|quasi|circa|quase|ongeveer|bijna|ruim|krap|около|почти|примерно|yaklaş\u0131k|neredeyse"
)
_NEARLY_UNSPACED: Final = r"[约約近]|およそ|ほぼ|약|거의|ประมาณ|เกือบ"
_QUALIFIED: Final = rf"(?:(?:just|only|{_NEARLY}|{_LEAST}|{_MOST})[ \u00a0]?)?"
_ROUNDED: Final = re.compile(rf"(?:(?<!\w)(?:{_NEARLY})|{_NEARLY_UNSPACED})[ \u00a0]?[$€£¥]?\Z", re.IGNORECASE)
_FALLS: Final = re.compile(
    r"\b(?:reduc\w*|decreas\w*|declin\w*|dropp?\w*|fell|fall\w*|lower\w*|los[ts]\w*|lose|shr[aiu]nk\w*|cut|down|less|fewer"
    r"|sank\w*|sink\w*|gesunken|fiel\w*|gefallen|verringert\w*|gesenkt|senkt\w*|reduziert\w*|baiss\w*|diminu\w*|rédui\w*"
    r"|redu[cj]\w*|baj\w*|cayó|caído|dismin\w*|ridott\w*|cal[ao]t?\w*|caiu|daald\w*|gedaald)\b"
)
_BY: Final = re.compile(
    r"(?:[^.;!?\d]{0,40}\b(?:by|of|um|de|con|del|met|por|em|is|was)\b|\W{0,3})[^.;!?\d]{0,12}$", re.IGNORECASE
)
_TO: Final = re.compile(r"\b(?:to|auf|à|a|naar|para|below|under|than)\W{0,3}$", re.IGNORECASE)
_MOVES: Final = re.compile(
    rf"{_FALLS.pattern}|\b(?:ris\w*|rose|rais\w*|lift\w*|slow\w*|eased?|jump\w*|plung\w*|soar\w*|surg\w*|increas\w*"
    r"|gr[eo]w\w*|climb\w*|gain\w*|stieg\w*|steig\w*|gestiegen|wuchs\w*"
    r"|erhöh\w*|augment\w*|hauss\w*|progress\w*|aument\w*|sub[ií]\w*|cre[cs]\w*|sal[ieì]\w*|ste[ei]g\w*"
    r"|gestegen|stijg\w*|groei\w*|toegenomen)\b|[升降增减]"
)
_CHANGED: Final = re.compile(
    r"(?:\b(?:(?P<by>by|um|de|en[ \u00a0]une?|del|dell['\u2019]|em|met)"
    r"|(?P<to>to|auf|à|a|al|naar|tot|para|hasta|até))"
    r"[ \u00a0]?|(?P<more>了)|[到至])"
    rf"{_QUALIFIED}[$€£]?$"
)
_BELOW_ZERO: Final = re.compile(
    r"[ \u00a0](?:below zero|under null|unter null|bajo cero|au-dessous de zéro|sous zéro|sotto zero|abaixo de zero"
    r"|negativos|onder nul|ниже нуля)(?!\w)",
    re.IGNORECASE,
)
_BELOW_ZERO_BEFORE: Final = re.compile(
    r"(?:零下|氷点下|영하|マイナス|마이너스|\b(?:minus|минус|eksi)\b)[ \u00a0]?\Z", re.IGNORECASE
)
_LESS: Final = re.compile(
    r"(?:[ \u00a0]points?)?[ \u00a0](?:lower|less|fewer|shorter|smaller|slower|quieter|lighter|cooler|colder|younger"
    r"|weaker|earlier|(?:niedrig|wenig|kürz|klein|gering|langsam|leis|leicht|kält|jüng|früh)er\w?|weniger"
    r"|de moins|plus (?:bas|faible|court)"
    r"|inférieur\w*|menos|menor|inferior|in meno|minore|lager|minder|korter|kleiner|lichter|jonger)(?!\w)",
    re.IGNORECASE,
)
"""Less of something by the amount before it: `2.3 mmHg lower` is a difference of -2.3 mmHg."""
_DIFFERING: Final = (
    r"warm(?:ed|ing)|cool(?:ed|ing)|differ\w*|différ\w*|diferen\w*|anomal\w*|ris(?:e|es|ing)|rose|increas\w*|drop\w*"
    r"|fell|fall\w*|decreas\w*|declin\w*|erwärm\w*|abkühl\w*|unterschied\w*|anstieg\w*|stieg\w*|gestiegen"
    r"|sank\w*|réchauff\w*|écart\w*|hausse\w*|baisse\w*|aument\w*|sub[ií]\w*|stijg\w*|gestegen|daal\w*"
)
_DIFFERS_BY: Final = re.compile(
    rf"\b(?:{_DIFFERING})[ \u00a0](?:[^\W\d_]+[ \u00a0]){{0,4}}?(?:by|um)[ \u00a0]{_QUALIFIED}\Z"
    rf"|\b(?:{_DIFFERING})[ \u00a0](?:of|von|de|di|met|em|del)[ \u00a0]{_QUALIFIED}\Z|±[ \u00a0]?\Z"
)
"""Words of change, next to the amount: `it melts above 500 K`, `grown at 500 K` and `a cool 5 K` say none."""
_DIFFERENT: Final = re.compile(
    r"[ \u00a0-](?:warmer|hotter|colder|cooler|higher|lower|rise|increase|drop|fall|decrease|warming|difference"
    r"|wärmer|kälter|höher|niedriger|anstieg|unterschied)\b"
)


def may_be_difference(text: str, start: int, end: int) -> bool:
    """Whether a temperature may be a difference of two: something rises by it, or is warmer by it."""
    before, behind = text[max(0, start - 80) : start].lower(), text[end : end + 20].lower()
    return bool(_DIFFERS_BY.search(before) or _DIFFERENT.match(behind))


def _read_before(text: str, start: int) -> str:
    """Return what stands before a number; before a multiple without its article."""
    before = text[max(0, start - _LONGEST_BOUND) : start]
    return _ARTICLE.sub("", before) if _FOLD.match(text, start) else before


def is_about(text: str, start: int) -> bool:
    """Whether the number at `start` is only said to be about that."""
    before = _read_before(text, start)
    found = _ROUNDED.search(before) or _AT_LEAST.search(before) or _AT_MOST.search(before)
    return found is not None and found[0][:1] not in "<>≤≥⩽⩾≦≧"  # signs and `10 or more` set a limit


def read_change(text: str, start: int) -> Literal["", "by", "to"]:
    """Whether something rises or falls by the amount at `start`, or to it."""
    before = text[max(0, start - 60) : start].lower()
    found = _CHANGED.search(before) if _MOVES.search(before) else None
    return "" if found is None else "by" if found["by"] or found["more"] else "to"


def read_bound(text: str, start: int, end: int) -> Literal["", "least", "most"]:
    """Read the bound that the text around a number states."""
    before = _read_before(text, start)
    if found := _AT_LEAST.search(before):
        return "most" if _NOT.search(before[: found.start()]) else "least"
    if found := _AT_MOST.search(before):
        return "least" if _NOT.search(before[: found.start()]) else "most"
    if _OR_MORE.match(text, end):
        return "least"
    return "most" if _OR_LESS.match(text, end) else ""


def is_decrease_amount(text: str, at: int, end: int) -> bool:
    """Whether something falls by the amount from `at` to `end`, not to it, or is less by it."""
    if _LESS.match(text, end):
        return True
    before = text[max(0, at - 60) : at]
    if _TO.search(before):
        return False
    return any(_BY.fullmatch(before[found.end() :]) for found in _FALLS.finditer(before.lower()))


def is_exact(text: str, start: int) -> bool:
    """Whether it is said to be that amount, by `=` or as a probability."""
    return _EXACTLY.search(text[max(0, start - _LONGEST_BOUND) : start]) is not None


def is_below_zero(text: str, start: int, end: int) -> bool:
    """Whether words make the number from `start` to `end` one below zero."""
    return bool(_BELOW_ZERO.match(text, end) or _BELOW_ZERO_BEFORE.search(text, max(0, start - 7), start))
