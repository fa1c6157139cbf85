"""The languages that Tesseract can read here, the folder of its data, and what is said where something is missing."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from elcano.settings.environment import read_tesseract_folder

ISO_639_1: Final = {
    **{"ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng"},
    **{"es": "spa", "et": "est", "eu": "eus", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin"},
    **{"hu": "hun", "hy": "hye", "id": "ind", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "nl": "nld"},
    **{"no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sr": "srp", "sv": "swe"},
    **{"ta": "tam", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "chi_sim"},
}
"""Tesseract's names of languages, by ISO 639-1 code."""
VERTICAL: Final = ("jpn", "chi", "kor")
"""Languages that are written in columns from the right as well."""


def list_languages() -> tuple[str, ...]:
    """The languages that OCR can read here, as Tesseract calls them, English first; none: it is not installed."""
    folder = find_data()
    if folder is None:
        return ()
    names = sorted(path.stem for path in folder.glob("*.traineddata"))
    return tuple(sorted((name for name in names if name not in ("osd", "equ")), key=lambda name: name != "eng"))


def find_data() -> Path | None:
    """The folder with Tesseract's data: the one that `TESSDATA_PREFIX` names, of the wheels, or of the system."""
    spec = find_spec("tesserocr")
    if spec is None or spec.origin is None:
        return None
    folders = (
        *([Path(named)] if (named := read_tesseract_folder()) else ()),
        Path(sys.prefix, "share/tessdata"),
        Path(spec.origin).parents[1] / "share/tessdata",  # installed by `pip install --target`
        *sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True),
        Path("/usr/share/tessdata"),
    )
    return next((folder for folder in folders if any(folder.glob("*.traineddata"))), None)


OCR: Final = "ocr"
"""Name of OCR in `needs`; followed by a colon and a language: data of that language."""


def can_read(needs: str) -> bool:
    """Return whether the component that a gap needs is installed; see `Gap.needs`."""
    kind, _, language = needs.partition(":")
    languages = list_languages() if kind == OCR else ()
    return language in languages if language else bool(languages)


def explain_lack(needs: str) -> str:
    """Explain which part of OCR is missing, with the remedy; `needs`: as of `Gap.needs`, empty: nothing is missing."""
    _, _, language = needs.partition(":")
    folder = "Tesseract's data (TESSDATA_PREFIX names their folder)"
    if language:
        return f"OCR has no data for the language {language}: add {language}.traineddata to {folder}"
    if needs and find_spec("tesserocr") is not None:
        return f"OCR has no data for any language: add those of a language, such as eng.traineddata, to {folder}"
    return "OCR is not installed: make setup" if needs else "OCR is not sure enough of them"
