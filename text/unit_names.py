"""Names of units in many languages, and their symbols, each with its unit.

Names come from the CLDR (by Babel), which has the units that people use daily, and from prefixes and stems for those of
laboratories. Units are called as pint calls them; what pint has no name for, or has with a meaning of its own, is
defined in `units`.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import Final, Literal


def parse_table(table: str) -> dict[str, str]:
    """Parse a table of units, each with its names up to a semicolon, to the unit of each name; `_` is a space."""
    found: dict[str, str] = {}
    for entry in table.split(";"):
        unit, *names = entry.split()
        found.update((name.replace("_", " "), unit) for name in names)
    return found


LANGUAGES: Final = ("en", "en_GB", "de", "fr", "es", "it", "pt", "nl", "ru", "tr", "pl", "sv", "ja", "ko", "zh", "th")
"""Languages whose names of units are known. Where two disagree, the first one counts."""
_OTHER_SCRIPTS: Final = ("ar", "bg", "el", "fa", "he", "hi", "th", "uk")
"""Languages whose short names are known as well: no Latin word is one of them."""
_MORE_LATIN: Final = ("ca", "cs", "da", "et", "fi", "hr", "hu", "id", "lt", "lv", "nb", "ro", "sk", "sl", "vi")
"""Languages of which only long names are known: short ones are other words, as the Danish `time`."""
_LONG_NAME: Final = 6
_OF_CLDR: Final = """
angle-degree:angular_degree area-acre area-hectare area-square-centimeter:centimeter**2 area-square-foot:foot**2
area-square-inch:inch**2 area-square-kilometer:kilometer**2 area-square-meter:meter**2 area-square-mile:mile**2
area-square-yard:yard**2 concentr-milligram-ofglucose-per-deciliter:milligram/deciliter concentr-mole
concentr-millimole-per-liter:millimole/liter concentr-permillion:ppm
consumption-liter-per-100-kilometer:liter_per_100_km consumption-mile-per-gallon:mile/gallon digital-bit digital-byte
digital-gigabit digital-gigabyte digital-kilobit digital-kilobyte digital-megabit digital-megabyte digital-petabyte
digital-terabit digital-terabyte duration-century duration-day duration-decade:calendar_decade duration-hour
duration-microsecond duration-millisecond duration-minute duration-month duration-nanosecond duration-second
duration-week duration-year electric-ampere electric-milliampere electric-ohm electric-volt energy-calorie
energy-electronvolt:electron_volt energy-joule energy-kilocalorie energy-kilojoule energy-kilowatt-hour:kilowatt_hour
force-newton force-pound-force:force_pound frequency-gigahertz frequency-hertz frequency-kilohertz frequency-megahertz
length-astronomical-unit:astronomical_unit length-centimeter length-decimeter length-foot length-inch length-kilometer
length-light-year:light_year length-meter length-micrometer length-mile length-millimeter length-nanometer
length-nautical-mile:nautical_mile length-parsec length-picometer length-yard light-candela light-lumen light-lux
mass-carat mass-dalton mass-grain mass-gram mass-kilogram mass-microgram mass-milligram mass-ounce
mass-ounce-troy:troy_ounce mass-pound mass-stone mass-tonne:metric_ton power-gigawatt power-horsepower power-kilowatt
power-megawatt power-milliwatt power-watt pressure-atmosphere pressure-bar pressure-hectopascal pressure-kilopascal
pressure-megapascal pressure-millibar pressure-pascal pressure-millimeter-ofhg:mmHg
pressure-pound-force-per-square-inch:psi speed-kilometer-per-hour:kilometer/hour speed-knot
speed-meter-per-second:meter/second speed-mile-per-hour:mile/hour temperature-celsius:degC temperature-fahrenheit:degF
temperature-kelvin:kelvin torque-newton-meter:newton_meter_torque volume-centiliter
volume-cubic-centimeter:centimeter**3 volume-cubic-foot:foot**3 volume-cubic-inch:inch**3
volume-cubic-kilometer:kilometer**3 volume-cubic-meter:meter**3 volume-cubic-mile:mile**3 volume-cubic-yard:yard**3
volume-deciliter volume-fluid-ounce:fluid_ounce volume-gallon volume-hectoliter volume-liter volume-megaliter
volume-milliliter volume-quart volume-cup volume-tablespoon volume-teaspoon volume-pint volume-bushel
volume-barrel:oil_barrel length-fathom pressure-inch-ofhg:inHg volume-acre-foot:acre_foot
energy-british-thermal-unit:british_thermal_unit
"""
_PREFIXES: Final = parse_table("""
nano nano нано ナノ 나노 纳 奈 นาโน; micro micro mikro micró микро マイクロ 마이크로 微 ไมโคร;
milli milli mili милли мілі ミリ 밀리 毫 มิลลิ; centi centi zenti santi санти センチ 센티 厘 釐 เซนติ;
deci deci dezi desi déci деци デシ 데시 分; hecto hecto hekto гекто ヘクト 헥토 百;
kilo kilo quilo chilo кило кіло キロ 킬로 千 กิโล; mega mega méga мега メガ 메가 兆 เมกะ;
giga giga гига гіга ギガ 기가 吉 จิกะ; tera tera téra тера テラ 테라 太; pico pico piko пико ピコ 피코 皮
""")
_STEMS: Final = parse_table("""
molar molar моляр; sievert_dose sievert siévert зиверт シーベルト 시버트 希沃特 西弗;
gray_dose gray грей グレイ 그레이 戈瑞; becquerel_activity becquerel bequerel беккерель ベクレル 베크렐 贝克勒尔 贝克;
curie_activity curie; tesla tesla тесла テスラ 테슬라 特斯拉; katal katal; farad farad; henry henry henries;
siemens siemens; weber weber; molal molal; osmole osmol;
watt_hour watthour watt-hour wattstunde watt-heure wattheure vatio-hora vatios-hora wattora;
metric_ton tons 吨 噸 톤 ตัน; metric_horsepower pferdestärken pferdestärke caballos_de_vapor chevaux cavalli_vapore;
tablespoon cucharadas_soperas cucchiai 大さじ 大匙 湯匙 큰술; teaspoon cucchiaini 小さじ 小匙 작은술;
cup カップ ถ้วยตวง; oil_barrel barrels; hectogram etto etti; watt 瓦; kilogram 公斤; volt 伏; ampere 安; joule 焦;
pascal 帕; hertz 赫; liter 公升; meter 公尺; kilowatt_hour 千瓦小时 度电; jin 斤 市斤; li_length 里 华里 華里;
mu_area 亩 畝; tsubo 坪 평; rai ไร่; knot kts; volt_ampere voltampere вольт-ампер;
base_pair base_pair basepair basenpaar paires_de_bases paia_di_basi pares_de_base baseparen 碱基对 塩基対;
working_day working_day business_day workday trading_day werktag arbeitstag jour_ouvré jours_ouvrés jour_ouvrable
jours_ouvrables día_hábil días_hábiles día_laborable días_laborables giorno_lavorativo giorni_lavorativi dia_útil
dias_úteis werkdag рабочий_день рабочих_дня рабочих_дней iş_günü 工作日 営業日 영업일 วันทำการ;
person_year person-year patient-year man-year participant-years personenjahr patientenjahre personnes-années
patients-années años-persona años-paciente anni-persona pessoas-ano persoonsjaren человеко-лет 人年 人年間;
person_day person-days patient-days man-days personentage bed-days; person_hour person-hours man-hours personenstunden;
metric_pound pfund pond; metric_ounce ons; gauss_field gauss; torr torr;
foot_pound_torque ft-lb lb-ft foot-pound pound-foot pound-feet pound-force-feet;
tablet_dose tablet pill tablette comprimé tabletas pastilla comprimido compressa compresse таблетка таблетки таблеток
таблетку 錠; capsule_dose capsule kapsel gélule cápsula capsula капсул; fortnight fortnight;
revolution revolution tours umdrehung revoluciones giri rotações toeren оборотов об 回転 转;
psi pounds_per_square_inch pound_per_square_inch
""")
"""Stems of units that the CLDR has not, or not with all prefixes."""
_OF_ALL_PREFIXES: Final = "gram liter meter watt volt ampere ohm joule pascal hertz newton"
_SYMBOL_PREFIXES: Final = {"": ""} | parse_table("""
femto f; pico p; nano n; micro u µ μ mc micro; milli m; centi c; deci d; hecto h; kilo k K; mega M; giga G; tera T;
peta P
""")
_SYMBOLS: Final = parse_table("""
gram g gr; liter l L ℓ; meter m; second s sec; watt W; volt V; ampere A; joule J; pascal Pa; newton N; hertz Hz;
mole mol; molar M; becquerel_activity Bq; sievert_dose Sv; gray_dose Gy; curie_activity Ci; electron_volt eV;
calorie cal; watt_hour Wh; dalton Da; ohm Ω Ω; farad F; henry H; ampere_hour Ah; siemens S; tesla T; kelvin K;
lumen lm; lux lx; bar bar; byte B; bit b bit; katal kat; volt_ampere VA; base_pair bp; international_unit IU;
enzyme_activity_unit U; metric_ton t; osmole Osm osmol; mole/liter mol/L; charge_equivalent Eq eq
""")
_OTHER: Final = parse_table("""
minute min mins 分鐘; hour h hr hrs Std ч uren 小時; day d 日間 сутки; week wk wks 週; month mo mos 個月 ヶ月;
year yr yrs y années jaren annum 年間; second secs sec 秒鐘; hectare ha; acre ac; foot ft; inch in; yard yd; mile mi;
nautical_mile nmi; pound lb lbs; ounce oz; gallon gal; mile/hour mph; kilometer/hour kph kmh; knot kn; mmHg mmHg;
centimeter_water cmH2O cmH₂O; astronomical_unit AU au; light_year ly; parsec pc; kiloparsec kpc; megaparsec Mpc;
revolution tr; microgram mug مكغ; micromole mumol; ppb ppb parts_per_billion; ppt ppt parts_per_trillion;
revolution/minute rpm; beat/minute bpm; decibel_level dB decibel; decibel_level_a dBA;
degC °C ℃ Celsius deg_C degree_C degrees_C degC; degF °F ℉ Fahrenheit degrees_F; angular_degree °; angstrom Å Å;
horsepower hp; metric_horsepower PS CV ch; newton_meter_torque Nm; kilonewton_meter_torque kNm;
millinewton_meter_torque mNm; decibel_level_m dBm; container_unit TEU; deadweight_ton dwt; oil_barrel bbl bbls;
oil_equivalent_barrel boe; fluid_ounce fl_oz; tablespoon tbsp EL; teaspoon tsp tsps; TRY TL; british_thermal_unit Btu;
inHg inHg; kibibyte KiB; mebibyte MiB; gibibyte GiB; tebibyte TiB; colony_forming_unit cfu; plaque_forming_unit PFU;
international_unit UI IE international_unit unidades_internacionales internationale_Einheiten; gram г;
milliliter мл مل; liter л; meter м; metric_ton т; kilogram kilo كغ كجم كلغ; milligram ملغ ملغم ملجم مجم;
centimeter**3 cc; micrometer micron; kilowatt_peak kWp; megawatt_peak MWp; beat beats;
quintal_mass quintaux doppelzentner quintal quintali; kilobit/second kbps; megabit/second Mbps; gigabit/second Gbps;
terabit/second Tbps; short_ton short_ton; long_ton long_ton; imperial_gallon imperial_gallon uk_gallon;
imperial_pint imperial_pint uk_pint; imperial_quart imperial_quart uk_quart;
imperial_fluid_ounce imperial_fluid_ounce uk_fluid_ounce; pint us_pint
""")
"""Symbols and names that the CLDR has not; they take no prefix."""
_ENDINGS: Final = (
    *("n", "en", "s", "es", "e", "m", "a", "и", "а", "у", "е", "ы", "ов", "ей", "ом", "ам", "ах", "ами"),
    *("lar", "ler", "ye", "ya", "den", "dan", "de", "da"),
)
"""Endings of cases and numbers that the CLDR does not list."""
_SHORTEST_STEM: Final = 4
_DIGITS: Final = re.compile(r"[\d٠-٩०-९]+")


@lru_cache(maxsize=10_000)
def find_unit_by_name(name: str) -> str:
    """The unit of this name, in whatever language, number and case; empty if there is none."""
    plain = " ".join(name.casefold().split())
    if unit := _find_prefixed(plain):
        return unit
    for ending in _ENDINGS:
        stem = plain.removesuffix(ending)
        if len(stem) >= _SHORTEST_STEM and stem != plain and (unit := _find_prefixed(stem)):
            return unit
    return ""


def _find_prefixed(name: str) -> str:
    names = _load_names()
    if unit := names.get(name, ""):
        return unit
    for written, prefix in _PREFIXES.items():
        if name.startswith(written) and (unit := names.get(name.removeprefix(written), "")) in _load_prefixable():
            return prefix + unit
    return ""


@cache
def load_unit_symbols() -> dict[str, str]:
    """Symbols of units, whose case counts, with the unit of each."""
    built = {
        prefix + symbol: f"{name}{unit}"
        for (prefix, name), (symbol, unit) in product(_SYMBOL_PREFIXES.items(), _SYMBOLS.items())
    }
    return built | _OTHER


@cache
def load_first_words() -> frozenset[str]:
    """The first words of names that have several, in lower case."""
    names = (re.split("[ -]", name)[0] for name in _load_names() if " " in name or "-" in name)
    return frozenset((*names, *"per pour por basis points puntos punti pontos".split()))  # noqa: SIM905


@cache
def _load_prefixable() -> frozenset[str]:
    return frozenset((*_OF_ALL_PREFIXES.split(), *_STEMS.values(), *_SYMBOLS.values()))


@cache
def _load_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for written, unit in _iterate_names():
        name = " ".join(written.casefold().split())
        if len(name) > 1 or name > "\u3000":  # a letter is a symbol, an ideograph a word
            names.setdefault(name, unit)
    return names


def _iterate_names() -> Iterator[tuple[str, str]]:
    yield from ((written, unit) for written, unit in _OTHER.items() if len(written) > 2 or written > "\u3000")
    yield from _STEMS.items()
    for language in LANGUAGES:
        yield from _iterate_cldr(language, "long")
    for language in _OTHER_SCRIPTS:
        yield from _iterate_cldr(language, "long")
        yield from (one for one in _iterate_cldr(language, "short") if not re.search("[A-Za-z]", one[0]))
    for language in _MORE_LATIN:
        yield from (one for one in _iterate_cldr(language, "long") if len(one[0]) >= _LONG_NAME)


def _iterate_cldr(language: str, length: Literal["short", "long"]) -> Iterator[tuple[str, str]]:
    """The names that a language has for units, in the forms that their number asks for."""
    from babel import Locale  # names of units are needed with the first text that has figures
    from babel.units import UnknownUnitError, format_unit

    locale = Locale(language)
    counts = {locale.plural_form(count): count for count in (1, 2, 5)}.values()
    for entry in _OF_CLDR.split():
        known, _, unit = entry.partition(":")
        for count in counts:
            try:
                written = format_unit(count, known, length=length, locale=locale)
                if known in written:  # for a name that is the same as its short form, Babel shows this id
                    written = format_unit(count, known, length="short", locale=locale)
            except UnknownUnitError:
                continue
            yield _DIGITS.sub("", written).strip(" \u00a0\u200f\u200e."), unit or known.partition("-")[2]
