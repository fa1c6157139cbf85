"""Units of figures: which unit a text has behind a number, with powers, products and rates, and what it is for.

Units are called as pint calls them, or as `unit_comparison` defines them; shares and currencies are themselves.
"""

import re
from typing import Final

from elcano.text.currencies import CURRENCY_OF_NATION, load_currency_names, load_nations, parse_currency
from elcano.text.unit_names import find_unit_by_name, load_first_words, load_unit_symbols, parse_table

SHARE: Final = "%"
PER_MILLE: Final = "‰"
POINTS: Final = "percentage points"
TIMES: Final = "times"
BASIS_POINTS: Final = "basis points"
TENTHS: Final = "tenths"
RATIO_UNITS: Final = (SHARE, PER_MILLE, POINTS, TIMES)
_SHARES: Final = {
    name: kind.replace("_", " ")
    for name, kind in parse_table("""
% % ٪ ％ pct percents percent per_cent prozent procent pourcent pour_cent por_ciento por_cento per_cento yüzde процент
процента процентов パーセント 퍼센트 เปอร์เซ็นต์;
basis_points bps basis_points basis_point basispunkte basispunkten points_de_base puntos_básicos punti_base
pontos_base; tenths 割 成 할; ‰ ‰ per_mille promille pour_mille por_mil per_mil;
times x × fold times fach mal fois veces volte vezes keer maal раза раз kez kere
""").items()
}
_GAP: Final = re.compile(r"[-\s]{0,2}(?!d['\u2019]\w)")
_LETTERS: Final = re.compile(
    r"cm\s?H[2₂]O(?!\w)|mm\sHg(?!\w)|(?:US|CAN|CA|AU|NZ|HK|SG|NT|MX|[CASR])\$|[°º]\s?[CFK]?(?![^\W\d_])|[℃℉Å%‰٪％€$£¥₹₩₽₺฿¢×]|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af][^\W\d_]{0,39}"
    r"|[^\W\d_¹²³⁰⁴-⁹₀-₉](?:[^\W\d_¹²³⁰⁴-⁹₀-₉\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[\u0900-\u0963\u0970]){0,39}"
)
"""A symbol or a word; a script without spaces that follows one of another script is no part of it: `5mgを`."""
_WORDS: Final = re.compile(r"[^\W\d_]{1,30}(?:[ \u00a0-][^\W\d_]{1,30}){1,5}")
_SQUARED: Final = re.compile(r"(?P<power>sq|cu)\.?[ \u00a0](?=[a-z])")
_POWER: Final = re.compile(
    r"\^?\(?(?P<sign>[-−⁻–])(?P<down>[1-6¹²³⁴-⁶])\)?(?!\d)|\^?\(?(?P<up>[23²³])\)?(?![\d.,]\d|[^\W\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af])"
)
_RAISED: Final = str.maketrans("¹²³⁴⁵⁶", "123456")
_PER: Final = re.compile(
    r"\s?/\s?(?=[^\W\d_])|(?P<dot>\.)(?=[^\W\d_]{1,4}\(?[-\u2212⁻][1-3¹²³])"
    r"|[ \u00a0](?:per|pro)[ \u00a0](?=[^\W\d_])"
    r"|(?P<loose>[ \u00a0](?:par|por|each|every|cada|на|в)[ \u00a0](?=[^\W\d_])"
    r"|[ \u00a0](?:à[ \u00a0]l|all)['\u2019](?=\w))"
    r"|(?P<times>\s?[·⋅]\s?|[ \u00a0])(?=[^\W\d_])"
)
_BRACKET: Final = re.compile(r"\s?/\s?\((?=[^\W\d_])")
_TIMES_WITHIN: Final = re.compile(r"\s?[·⋅*×]\s?|[ \u00a0]")
_BRACKETED: Final = re.compile(r"[^()\n]{1,30}(?=\))")
_EACH: Final = re.compile(r"[ \u00a0](?:an?|al|le|la|el|das|die)[ \u00a0](?=[^\W\d_]{2})")
_DIMENSION: Final = re.compile(r"[ \u00a0]?\d")
_ADVERBS: Final = parse_table("""
day daily täglich diarios diarias dagelijks a_day am_tag al_día al_giorno ao_dia per_dag;
week weekly a_week wöchentlich alla_settimana a_la_semana in_der_woche;
month monthly a_month monatlich im_monat al_mes al_mese ao_mês mensual mensuales mensuel mensuels mensile mensili
mensal mensais;
year annually yearly a_year p.a. p._a. jährlich im_jahr al_año all'anno ao_ano l'an per_jaar anual anuales anuais
annuel annuels annuo annui; hour hourly an_hour stündlich
""")
_ADVERB: Final = re.compile(
    rf"(?:[ \u00a0]once)?[ \u00a0](?P<adverb>{'|'.join(map(re.escape, _ADVERBS))})(?!\w)", re.IGNORECASE
)
_TIME_BEHIND: Final = re.compile(rf"[^.;:,!?\d]{{0,40}}?{_ADVERB.pattern}", re.IGNORECASE)
_TIME_BEFORE: Final = re.compile(
    r"(?<!\w)(?:per|pro|par|por|each|every|cada|jede[nmrs]?|chaque|ogni|elke)[ \u00a0](?P<time>[^\W\d_]{3,12})"
    r"(?:[ \u00a0][^\W\d_]{1,12}){0,4}[ \u00a0]\Z",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"[ \u00a0][^\W\d_]{3,20}"
    r"(?=[ \u00a0]?/[ \u00a0]?[^\W\d_]|[ \u00a0](?:per|pro|par|por|an?|al|each|every|cada)[ \u00a0])"
)
"""What is counted per something: `200 cells/µL`, `2 million barrels a day`."""
_PER_100_KM: Final = re.compile(
    r"(?:[ \u00a0]?/[ \u00a0]?|[ \u00a0](?:per|aux|auf|pro|cada|por|je|na|op|ogni|a|на)[ \u00a0])?100[ \u00a0]?"
    r"(?:km\b|км\b|(?:k|qu|ch)ilom\w{3,7}|километр\w{0,3})",
    re.IGNORECASE,
)
_TORQUES: Final = {f"{prefix}newton*meter": f"{prefix}newton_meter_torque" for prefix in ("", "kilo", "milli", "mega")}
_EXPOSURE: Final = re.compile(r"(?:pico|nano|micro|milli)gram/\w{0,9}liter")
_TIMES_OF: Final = frozenset(("second", "minute", "hour", "day", "week", "month", "year"))
_WORDS_TOO: Final = frozenset(
    "in a at as am an do go to no so on or is et ha den ora ore let lat tag mes".split()  # noqa: SIM905
)
"""Symbols and names that are words of English and other languages: what follows them is no other word."""
_WORD_BEHIND: Final = re.compile(r"[ \u00a0](?!(?:of|von|van|av|af)\b)\w")
"""What makes a word of a symbol that is one too: `in 2019 ha sido`, but not `100 ha of forest`."""
_FEET_BEFORE: Final = re.compile(r"\b(?:ft|feet|foot)[ \u00a0]\d{1,2}(?:\.\d+)?[ \u00a0]\Z")
_PENCE: Final = re.compile(r"(?<!\d)(?!(?:240|360|480|576|720|1080|1440|2160)\Z)\d{1,4}\Z")
"""What a `p` behind it makes a price of, and not the lines of a picture."""
_STONE: Final = re.compile(r"st[ \u00a0](?=\d{1,2}[ \u00a0]?(?:lbs?|pounds?)\b)")
"""Stones are written so with the pounds behind them alone: `st` is a street, too."""
_SPACELESS: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LONGEST_SPACELESS: Final = 24
_POWERED_BY_DIGITS: Final = ("meter", "foot", "inch", "yard", "mile")
_COUNTED_UNITS: Final = ("tablet_dose", "capsule_dose")
"""What something is for may be said elsewhere: `each tablet has 5 mg`."""
_MOST_TERMS: Final = 4


def find_unit(text: str, at: int) -> tuple[str, int]:
    """The unit that follows a number which ends at `at`, and where it ends; empty and `at` if none does."""
    gap = _GAP.match(text, at)
    unit, end = _read_term(text, gap.end()) if gap else ("", at)
    if not unit and (counted := _COUNTED.match(text, at)):
        unit, end = read_rate(text, counted.end(), "1")
        return (unit, end) if "/" in unit else ("", at)
    if not unit or (unit == TIMES and text[end - 1] in "xX\u00d7" and _DIMENSION.match(text, end)):
        return "", at  # `10 x 12 cm`
    if unit == TIMES:
        return read_frequency(text, end)
    if unit in (SHARE, PER_MILLE):
        return unit, end
    if unit.isupper():
        return read_rate(text, end, unit)
    if unit == "liter" and (per := _PER_100_KM.match(text, end)):
        return "liter_per_100_km", per.end()
    return _read_terms(text, end, unit)


def _read_terms(text: str, end: int, unit: str) -> tuple[str, int]:
    """A unit that ends at `end`, with the others that it is multiplied or divided by."""
    below = False
    for _ in range(_MOST_TERMS):
        if opened := _BRACKET.match(text, end):
            terms, after = _read_bracket(text, opened.end())
            return (f"{unit}/{terms}", after) if terms else (unit, end)
        per = _PER.match(text, end)
        if adverb := _ADVERB.match(text, end):
            return f"{unit}/{_ADVERBS[adverb['adverb'].lower()]}", adverb.end()
        if per is None:
            break
        product = per["times"] is not None or per["dot"] is not None
        term, after = _read_term(text, per.end(), per=per["times"] is None)
        if product:  # `kg m-2`, `N·m`; behind a space only with a power below nothing
            if not term or (not (per["times"] or per["dot"]).strip() and "**-" not in term):
                break
            # A dot behind a stroke goes on below it: `J/mol·K`, `W/m²·K`. A power below nothing divides by itself, and
            # the time of an exposure, `ng/mL·h`, does not.
            divides = below and "**-" not in term and not (term in _TIMES_OF and _EXPOSURE.fullmatch(unit))
            joined = f"/{_bracket(term)}" if divides else f"*{term}"
            unit, end = _TORQUES.get(unit + joined, unit + joined), after
            continue
        if not term:
            word = None if per["loose"] else _LETTERS.match(text, per.end())  # `5 mg por vía oral`
            return (f"{unit}/[{word[0].casefold()}]", word.end()) if word else (unit, end)
        unit, end = f"{unit}/[{term}]" if term in _COUNTED_UNITS else f"{unit}/{_bracket(term)}", after
        below = True
    return unit, end


def _read_bracket(text: str, begin: int) -> tuple[str, int]:
    """What a unit is divided by in brackets, `mol K)` of `J/(mol K)`, one after the other, and where that ends.

    The first word that is no unit ends it, as behind a stroke: `kg/(person year)` is `kg/person`.
    """
    terms, at = list[str](), begin
    while len(terms) < _MOST_TERMS and (term := _read_term(text, at, per=True))[0]:
        unit, end = term
        terms.append(_bracket(unit))
        if text[end - 1] == ")" or text.startswith(")", end):  # a power may have taken it: `m/(s²)`
            return "/".join(terms), end + (text[end - 1] != ")")
        times = _TIMES_WITHIN.match(text, end)
        at = times.end() if times else end
        if times is None:
            break
    unread, rest = _LETTERS.match(text, at), _BRACKETED.match(text, begin)
    if rest is None:
        return "", begin
    if unread:
        terms.append(f"[{unread[0].casefold()}]")
    elif not text[at : at + 1].isdecimal():  # what a body has, of `mL/(min 1.73 m²)`, is left off elsewhere, too
        terms = [f"[{rest[0].casefold()}]"]
    return "/".join(terms), rest.end() + 1


def read_frequency(text: str, at: int) -> tuple[str, int]:
    """The unit of what is so many times, which ends at `at`, and where it ends, as in `twice daily`."""
    unit, end = read_rate(text, at, TIMES)
    return (unit, end) if unit.partition("/")[2] in _TIMES_OF else (TIMES, at)


def read_rate(text: str, at: int, unit: str) -> tuple[str, int]:
    """A unit that ends at `at` with what it is for, as in `$5 per kg`, `2% p.a.`, and its end."""
    if adverb := _ADVERB.match(text, at):
        return f"{unit}/{_ADVERBS[adverb['adverb'].lower()]}", adverb.end()
    per = _PER.match(text, at)
    if per is None or per["times"] is not None or per["dot"] is not None:
        per = _EACH.match(text, at)
    term, end = _read_term(text, per.end(), per=True) if per else ("", at)
    return (f"{unit}/{_bracket(term)}", end) if term and term not in RATIO_UNITS and not term.isupper() else (unit, at)


def find_time_near(text: str, start: int, end: int) -> str:
    """The time that a sentence says further behind an amount, or before it; empty: none.

    `40 IU of insulin a day`, `pro Jahrzehnt um etwa 0,3 °C`
    """
    if behind := _TIME_BEHIND.match(text, end):
        return _ADVERBS[behind["adverb"].lower()]
    before = _TIME_BEFORE.search(text, max(0, start - 60), start)
    unit = find_unit_by_name(before["time"]) if before else ""
    return unit if unit in (*_TIMES_OF, "calendar_decade") else ""


def _bracket(term: str) -> str:
    return term if term.isidentifier() else f"({term})"


def _read_term(text: str, at: int, *, per: bool = False) -> tuple[str, int]:
    """One unit with its power; `per`: behind a stroke or its like, where a symbol that is a word too is a symbol."""
    unit, end = _read_name(text, at, per=per)
    if not unit or unit in (SHARE, PER_MILLE, TIMES) or unit.isupper():
        return unit, end
    power = _POWER.match(text, end)
    if power is None or (power["up"] in ("2", "3") and "^" not in power[0] and not unit.endswith(_POWERED_BY_DIGITS)):
        return unit, end
    said = f"-{power['down']}" if power["sign"] else power["up"]
    return f"{unit}**{said.translate(_RAISED)}", power.end()


def _read_name(text: str, at: int, *, per: bool = False) -> tuple[str, int]:
    found = _LETTERS.match(text, at)
    if found is None:
        return "", at
    word, end = found[0], found.end()
    if squared := _SQUARED.match(text, at):
        unit, after = _read_name(text, squared.end())
        return (f"{unit}**{2 if squared['power'] == 'sq' else 3}", after) if unit else ("", at)
    if _SPACELESS.match(word):
        return _read_spaceless(text, at)
    if (several := _WORDS.match(text, at)) and (
        word.casefold() in load_first_words() or word.casefold() in load_nations() or find_unit_by_name(word)
    ):
        words = several[0].replace("\u00a0", " ")
        while " " in words or "-" in words:
            named = _find_share(words) or load_currency_names().get(words.casefold(), "")
            if unit := named or find_unit_by_name(words) or find_unit_by_name(words.replace(" ", "-")):
                return unit, at + len(words)
            words = words[: max(words.rfind(" "), words.rfind("-"))]
    if (nation := CURRENCY_OF_NATION.get(word.casefold(), "")) and (
        money := re.compile(r"[ \u00a0]dollar\w?\w?").match(text, end)
    ):
        return nation, money.end()
    if word == "in" and _FEET_BEFORE.search(text, max(0, at - 12), at):
        return "inch", end
    if word in _WORDS_TOO and not per and _WORD_BEHIND.match(text, end):
        return "", at
    if word == "p" and text[at - 1 : at].isdigit() and _PENCE.search(text, max(0, at - 5), at):
        return "PENNY", end
    if _STONE.match(text, at):
        return "stone", end
    symbol = load_unit_symbols().get(word) or (load_unit_symbols().get(word.replace(" ", "").replace("º", "°")))
    unit = _find_share(word) or symbol or parse_currency(word) or find_unit_by_name(word)
    return (unit, end) if unit else ("", at)


def _read_spaceless(text: str, at: int) -> tuple[str, int]:
    """A name in a script that parts no words: the longest that is there."""
    for length in range(_LONGEST_SPACELESS, 0, -1):
        name = text[at : at + length]
        if len(name) == length and (unit := _find_share(name) or parse_currency(name) or find_unit_by_name(name)):
            return unit, at + length
    return "", at


def _find_share(word: str) -> str:
    return _SHARES.get(word) or _SHARES.get(word.casefold(), "")
