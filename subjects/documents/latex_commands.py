"""Commands of LaTeX by what they show: accents, symbols, references, or nothing."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

ACCENTS: Final[Mapping[str, str]] = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip
SYMBOLS: Final[Mapping[str, str]] = {
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "ng": "ŋ", "NG": "Ŋ", "dj": "đ", "DJ": "Đ",
    "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "EUR": "€", "dag": "†", "ddag": "‡", "dots": "…",
    "ldots": "…", "textellipsis": "…", "slash": "/", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX",
    "LaTeXe": "LaTeX2e", "quad": " ", "qquad": " ", "space": " ", "newline": "\n", "linebreak": "\n", "par": "\n\n",
    "guillemotleft": "«", "guillemotright": "»", "og": "« ", "fg": " »", "nobreakspace": " ", "enspace": " ",
    "thinspace": " ", "textregistered": "®", "textcopyright": "©", "textless": "<", "textgreater": ">", "textbar": "|",
    "textminus": "−", "degree": "°",
    ",": " ", ";": " ", ":": " ", " ": " ", "\n": " ", "\t": " ", "~": " ", "&": "&", "%": "%", "$": "$", "#": "#",
    "_": "_", "{": "{", "}": "}", "\\": "\n",
}  # fmt: skip
DROPPED: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        (
            "label", "input", "include", "subfile", "bibliography", "addbibresource", "vspace", "hspace", "vskip",
            "pagestyle", "thispagestyle", "bibliographystyle",
            "includegraphics", "usepackage", "hyphenation", "index", "pagenumbering", "graphicspath", "phantom",
            "hphantom", "vphantom", "sout", "st", "rowcolor", "columncolor", "cellcolor", "color", "linespread",
            "nocite", "cmidrule", "cline", "hypersetup", "captionsetup", "lstset", "sisetup", "geometry",
            "PassOptionsToPackage", "todo", "selectlanguage", "enlargethispage", "raisebox", "looseness", "markboth",
            "pdfbookmark", "fontfamily", "setstretch", "tikzset", "usetikzlibrary", "DeclareGraphicsExtensions",
            "newcounter", "stepcounter", "refstepcounter", "value", "email", "orcid", "thanksref", "corref",
            "pgfplotsset",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "setlength", "import", "subimport", "addtolength", "setcounter", "addtocounter", "fontsize",
            "definecolor", "addcontentsline",
            "numberwithin", "theoremstyle", "markboth", "rule", "newenvironment", "settowidth", "bookmark",
        ),
        2,
    ),
    "allowdisplaybreaks": 0, "makeatletter": 0, "specialindex": 3, "newindex": 4,
}  # fmt: skip
"""Commands that show nothing, by the number of their arguments."""
ENVIRONMENT_ARGUMENTS: Final[Mapping[str, int]] = {
    "minipage": 1, "multicols": 1, "wrapfigure": 2, "wraptable": 2, "adjustbox": 1, "spacing": 1, "subfigure": 1,
    "subtable": 1, "thebibliography": 1, "list": 2, "otherlanguage": 1, "tabular": 1,
}  # fmt: skip
"""Environments with arguments that are not shown, by their number."""
SILENT: Final = frozenset(
    {
        "appendix", "mainmatter", "frontmatter", "backmatter", "maketitle", "tableofcontents", "listoffigures",
        "listoftables", "printbibliography", "clearpage", "cleardoublepage", "newpage", "pagebreak", "nopagebreak",
        "noindent", "indent", "centering", "raggedright", "raggedleft", "bf", "it", "em", "sc", "sf", "tt", "rm",
        "sl", "bfseries", "itshape", "scshape", "sffamily", "ttfamily", "rmfamily", "upshape", "mdseries",
        "normalfont", "tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "Large", "LARGE", "huge",
        "Huge", "smallskip", "medskip", "bigskip", "hfill", "vfill", "hline", "toprule", "midrule", "bottomrule",
        "protect", "relax", "leavevmode", "null", "onecolumn", "twocolumn", "singlespacing", "doublespacing",
        "onehalfspacing", "item", "begingroup", "endgroup", "bgroup", "egroup", "xspace", "selectfont", "boldmath",
        "unboldmath", "allowbreak", "sloppy", "fussy", "frenchspacing", "kern", "hskip", "vskip", "hbox", "vbox",
        "parindent", "parskip", "baselineskip", "ignorespaces", "unskip", "columnwidth", "textwidth", "linewidth",
        "left", "right", "displaystyle", "textstyle", "and", "AND", "And", "strut", "break", "nolinebreak", "penalty",
        "makeatother", "onehalfspace", "qed", "qedhere", "FloatBarrier", "balance", "printindex", "makeindex",
        "bibitem", "newblock",
    }
)  # fmt: skip
"""Commands that show nothing and take no argument."""
LAST_SHOWN: Final = frozenset(
    {"href", "textcolor", "colorbox", "hyperref", "resizebox", "scalebox", "foreignlanguage", "texorpdfstring",
     "adjustbox", "parbox", "rotatebox", "hyperlink", "hypertarget", "makecell"}
)  # fmt: skip
"""Commands of which the last of several arguments is shown."""
LAST_SHOWN_ARGUMENTS: Final[Mapping[str, int]] = {"resizebox": 3, "texorpdfstring": 2, "makecell": 1, "hyperref": 1}
CITED: Final = re.compile(r"[A-Za-z]*cite[A-Za-z]*")
REFERENCES: Final = frozenset({"ref", "eqref", "autoref", "cref", "Cref", "pageref", "vref", "nameref", "labelcref"})


@lru_cache(1)
def list_symbols() -> Mapping[str, str]:
    """The symbols that pylatexenc knows."""
    from pylatexenc.latex2text import get_default_latex_context_db

    found: dict[str, str] = {}
    for spec in get_default_latex_context_db().iter_macro_specs():
        if isinstance(spec.simplify_repl, str) and "%" not in spec.simplify_repl:
            found[spec.macroname] = spec.simplify_repl
    return found


@lru_cache(1)
def list_known_commands() -> frozenset[str]:
    """The commands that pylatexenc writes as something."""
    from pylatexenc.latex2text import get_default_latex_context_db

    return frozenset(spec.macroname for spec in get_default_latex_context_db().iter_macro_specs())
