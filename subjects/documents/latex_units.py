"""Numbers and units of siunitx, as it prints them."""

import re
from collections.abc import Mapping
from typing import Final

from elcano.text.words import raise_text

_UNITS: Final[Mapping[str, str]] = {
    "yocto": "y", "zepto": "z", "atto": "a", "femto": "f", "pico": "p", "nano": "n", "micro": "µ", "milli": "m",
    "centi": "c", "deci": "d", "deca": "da", "hecto": "h", "kilo": "k", "mega": "M", "giga": "G", "tera": "T",
    "peta": "P", "exa": "E", "metre": "m", "meter": "m", "gram": "g", "kilogram": "kg", "second": "s", "ampere": "A",
    "kelvin": "K", "mole": "mol", "candela": "cd", "becquerel": "Bq", "celsius": "°C", "degreeCelsius": "°C",
    "coulomb": "C", "farad": "F", "gray": "Gy", "hertz": "Hz", "henry": "H", "joule": "J", "lumen": "lm", "lux": "lx",
    "newton": "N", "ohm": "Ω", "pascal": "Pa", "radian": "rad", "siemens": "S", "sievert": "Sv", "steradian": "sr",
    "tesla": "T", "volt": "V", "watt": "W", "weber": "Wb", "day": "d", "hour": "h", "minute": "min", "degree": "°",
    "litre": "L", "liter": "L", "tonne": "t", "electronvolt": "eV", "bit": "bit", "byte": "B", "percent": "%",
    "hectare": "ha", "bar": "bar", "dalton": "Da", "decibel": "dB", "angstrom": "Å", "arcminute": "′",
    "arcsecond": "″", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "astronomicalunit": "au", "parsec": "pc",
    "squared": "²", "cubed": "³", "kg": "kg", "mm": "mm", "cm": "cm", "km": "km", "ms": "ms", "Hz": "Hz",
}  # fmt: skip
_PREFIXES: Final = frozenset(
    {"y", "z", "a", "f", "p", "n", "µ", "m", "c", "d", "da", "h", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi"}
)
_PREFIX_NAMES: Final = frozenset(list(_UNITS)[:18]) | {"kibi", "mebi", "gibi"}


def write_unit(unit: str) -> str:
    r"""Return a unit of siunitx as it is printed: `\kilo\metre\per\second` is `km/s`."""
    if "\\" not in unit:
        return " ".join(unit.replace(".", " ").replace("~", " ").split())
    written, power = "", ""
    for name in re.findall(r"\\([A-Za-z]+)|\\%", unit):
        if name in ("per", "square", "cubic"):
            written = f"{written.rstrip()}/" if name == "per" else written
            power = {"square": "²", "cubic": "³"}.get(name, "")
        elif name in ("squared", "cubed"):
            written = written.rstrip() + _UNITS[name] + " "
        else:
            written += _UNITS.get(name, name or "%") + ("" if name in _PREFIX_NAMES else f"{power} ")
            power = power if name in _PREFIX_NAMES else ""
    return written.strip()


def format_number(number: str) -> str:
    """Return a number as it is printed: `1.5e3` is `1.5 × 10³`."""
    plain = re.sub(r"\s", "", number).replace("+-", " ± ").replace("\\pm", " ± ")
    mantissa, mark, exponent = re.sub(r"[dDE]", "e", plain).partition("e")
    return f"{mantissa} × 10{raise_text(exponent)}".removeprefix(" × ") if mark else plain.replace("-", "\u2212")
