r"""A report as LaTeX, made of its page of HTML, so that both say the same: `report.tex`, `references.bib`, figures.

LuaLaTeX compiles it, which alone of TeX's engines takes letters from one font after another and sets Arabic and Hebrew.
Whatever a report says is text: signs that are commands to TeX are written as commands that show them, and formulas are
written anew from MathML. Citations are `\cite` with the keys of `references.bib`; the list of references is in the
document as the report has it, so it compiles in one pass, and `\bibliography{references}` may take its place.
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from elcano.doors.exports.formulas import LATEX_SIGNS, escape_latex, escape_latex_line, write_latex_formula
from elcano.doors.exports.report_elements import (
    CONTENTS_FROM,
    HEADINGS,
    clean_text,
    describe_changes,
    find_drawing,
    find_language,
    list_blocks,
    measure_columns,
    place_drawings,
    read_drawing_title,
    read_report_elements,
    read_title,
)
from elcano.doors.exports.typesetting import convert_drawing
from elcano.graphs.report.report import Report
from elcano.service.reports.bibliography import BIBTEX, FORMS
from elcano.service.reports.reference_entries import build_reference_entries

DEEPEST: Final = 4
"""Lists and quotes within each other that LaTeX sets in."""
_OF_ADDRESSES: Final = "/:?@!'()*+,;=&#%.-_"
_ENDED: Final = {"strong": "textbf", "em": "emph", "code": "texttt", "s": "strikeThrough"}
_SECTIONS: Final = {0: "section", 1: "section", 2: "subsection"}
_ALIGNED: Final = {"right": r"\raggedleft", "center": r"\centering"}
_LOCALES: Final = frozenset(
    {
        *("ar", "de", "el", "en", "es", "fa", "fr", "he", "hi", "it"),
        *("ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "uk", "zh"),
    }
)
"""Languages whose rules babel has."""
_CITATION: Final = re.compile(r"\[\d+(?:, (.*))?\]", re.DOTALL)
_WIDE: Final = 6
"""Columns above which a table is set in smaller letters."""
_FONTS: Final = {
    **{"Noto Serif": "", "Noto Naskh Arabic": "arab", "Noto Serif Hebrew": "hebr", "Noto Serif Devanagari": "dev2"},
    **{"Noto Serif Thai": "thai", "Noto Sans Math": "", "Noto Sans Symbols2": ""},
}
"""With the script of those whose letters change next to others."""
_ASIAN_FONTS: Final = {"ja": "JP", "ko": "KR", "zh-Hant": "TC", "zh-TW": "TC", "zh-HK": "TC"}
_HEAD: Final = r"""% !TEX program = lualatex
% Compile twice with lualatex. Letters that the main font lacks come from the fonts below that are installed.
\documentclass[a4paper,11pt]{article}
\usepackage[provide=*,bidi=basic]{babel}
\babelprovide[import=LOCALE,main]{report}
\usepackage{amsmath,fontspec,unicode-math}
\usepackage{array,booktabs,etoolbox,graphicx,longtable,lua-ul,xcolor}
\usepackage[margin=2.5cm]{geometry}
\usepackage[unicode,colorlinks,allcolors=teal]{hyperref}
\newcommand\otherfonts{}
\newcommand\boldfonts{}
\newcommand\otherfont[2]{
  \IfFontExistsTF{#1}{\edef\otherfonts{\otherfonts"#1:mode=harf;#2",}}{}
  \IfFontExistsTF{#1 Bold}{\edef\boldfonts{\boldfonts"#1 Bold:mode=harf;#2",}}{}}
FONTS
\directlua{luaotfload.add_fallback("others", {\otherfonts}) luaotfload.add_fallback("bold", {\boldfonts})}
\defaultfontfeatures[\rmfamily,\sffamily]{}
\setmainfont{Latin Modern Roman}[RawFeature={fallback=others},BoldFeatures={RawFeature={fallback=bold}}]
\setmonofont{Latin Modern Mono}[RawFeature={fallback=others}]
\setcounter{secnumdepth}{0}
\setlength\parindent{0pt}
\setlength\parskip{0.6em}
\setlength\emergencystretch{3em}
\patchcmd\thebibliography{\section*{\refname}}{}{}{}
"""


def write_latex_archive(report: Report, pictures: Mapping[str, str | None]) -> bytes:
    """A ZIP archive with the document; `pictures` are those of the report (SVG) by their paths.

    Pictures are converted by the library of the extra `pdf`; without it they are left out, and the document says so.
    """
    writer = _Writer(report, pictures)
    document = writer.write()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("report.tex", document)
        archive.writestr("references.bib", FORMS[BIBTEX](report.references))
        for name, figure in writer.figures.items():
            archive.writestr(name, figure)
    return file.getvalue()


class _Writer:
    def __init__(self, report: Report, pictures: Mapping[str, str | None]) -> None:
        self._report = report
        self._drawings, places = place_drawings(pictures)
        self._elements = read_report_elements(report, places)
        entries = build_reference_entries(report.references)
        self._keys = {
            f"reference-{one.number}": entry.key for one, entry in zip(report.references, entries, strict=True)
        }
        self.figures: dict[str, bytes] = {}
        """Figures of the document, by name."""
        self._changed: Counter[str] = Counter()
        """Number of elements that differ from the page, by kind."""
        self._depth = 0
        """Lists and quotes around what is written."""

    def write(self) -> str:
        headings = sum(element.tag == "h2" for element in self._elements)
        parts = [self._write_head()]
        for element in self._elements:
            if element.tag == "h2" and headings >= CONTENTS_FROM:
                parts.append("\\tableofcontents\n\n")
                headings = 0
            parts.append("" if element.tag == "h1" else self._write_block(element))
        parts += [f"\\emph{{{escape_latex(note)}}}\n\n" for note in describe_changes(self._changed)]
        return "".join([*parts, "\\end{document}\n"])

    def _write_head(self) -> str:
        language, _, rest = find_language(self._report).partition("-")
        script = _ASIAN_FONTS.get(language) or _ASIAN_FONTS.get(f"{language}-{rest}", "SC")
        fonts = {**_FONTS, **{f"Noto Serif CJK {one}": "" for one in (script, "SC", "JP", "KR")}}
        lines = (f"\\otherfont{{{font}}}{{{script and f'script={script};'}}}" for font, script in fonts.items())
        head = _HEAD.replace("LOCALE", language if language in _LOCALES else "en")
        title = escape_latex(self._report.title.strip() or self._report.run_id)
        return (
            head.replace("FONTS", "\n".join(lines))
            + f"\\hypersetup{{pdftitle={{{title}}},pdfsubject={{{escape_latex(self._report.question)}}}}}\n"
            + f"\\title{{{title}}}\n\\author{{}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n\n"
        )

    def _write_block(self, element: Any) -> str:
        match element.tag:
            case "h1" | "h2" | "h3" as tag:
                return f"\\{_SECTIONS[HEADINGS[tag]]}{{{self._write_inline(element)}}}\n\n"
            case "ul" | "ol":
                return self._write_list(element)
            case "table":
                return self._write_table(element)
            case "pre":
                lines = clean_text(element.text_content().rstrip()).expandtabs(4).split("\n")
                shown = "\\\\\n".join("\\mbox{}" + escape_latex_line(line).replace(" ", "\\ ") for line in lines)
                return f"\\begin{{flushleft}}\\ttfamily\\small\n{shown}\n\\end{{flushleft}}\n\n"
            case "hr":
                return "\\begin{center}\\rule{0.3\\linewidth}{0.4pt}\\end{center}\n\n"
            case "blockquote" if self._depth < DEEPEST:
                return f"\\begin{{quote}}\n{self._write_inner(element)}\\end{{quote}}\n\n"
            case "blockquote" | "details" | "div":
                return self._write_blocks(element)
            case _:
                return f"{self._write_inline(element)}\n\n"

    def _write_blocks(self, element: Any) -> str:
        return "".join(self._write_block(child) for child in list_blocks(element))

    def _write_inner(self, element: Any) -> str:
        """The blocks of an element that is set in."""
        self._depth += 1
        written = self._write_blocks(element)
        self._depth -= 1
        return written

    def _write_list(self, element: Any) -> str:
        """A list with its numbers written out; the list of references if its items are some."""
        number = int(element.get("start", "1"))
        items, kind = [], "itemize" if element.tag == "ul" else "enumerate"
        for place, item in enumerate(element.iterchildren("li")):
            mark = "\\textbullet" if element.tag == "ul" else f"{number + place}."
            content = self._write_inner(item).rstrip()
            if (key := self._keys.get(item.get("id"))) is not None:
                kind = "thebibliography"
                items.append(f"\\bibitem[{number + place}]{{{key}}} {content}\n\n")
            elif self._depth < DEEPEST:
                items.append(f"\\item[{mark}] {content}\n")
            else:
                items.append(f"{mark} {content}\n\n")
        if self._depth >= DEEPEST or not items:
            return "".join(items)
        begin = f"{kind}}}{{99}}" if kind == "thebibliography" else f"{kind}}}"
        return f"\\begin{{{begin}\n{''.join(items)}\\end{{{kind}}}\n\n"

    def _write_table(self, element: Any) -> str:
        rows = [list(row.iterchildren("td", "th")) for row in element.iter("tr")]
        columns = max((len(row) for row in rows), default=0)
        if not columns:
            return ""
        widths = measure_columns(rows, columns)
        aligned = [_ALIGNED.get(cell.get("class"), r"\raggedright") for cell in rows[0]]
        aligned += [r"\raggedright"] * (columns - len(aligned))
        shape = "".join(
            rf">{{{one}\arraybackslash}}p{{{width:.3f}\dimexpr\linewidth-{2 * columns}\tabcolsep\relax}}"
            for one, width in zip(aligned, widths, strict=True)
        )
        written: list[str] = []
        for row in rows:
            heads = bool(row) and all(cell.tag == "th" for cell in row)
            cells = [f"{{{self._write_inline(cell)}}}" for cell in row] + ["{}"] * (columns - len(row))
            line = " & ".join(f"\\textbf{cell}" if heads else cell for cell in cells) + "\\tabularnewline\n"
            written.append(f"{line}\\midrule\\endhead\n" if heads and not written else line)
        small = "\\footnotesize\n" if columns > _WIDE else ""
        table = f"\\begin{{longtable}}{{{shape}}}\n\\toprule\n{''.join(written)}\\bottomrule\n\\end{{longtable}}"
        return f"{{{small}{table}}}\n\n"

    def _write_inline(self, element: Any) -> str:
        """The text of an element with what is within it."""
        parts = [escape_latex(element.text or "")]
        for child in element:
            parts += [self._write_child(child), escape_latex(child.tail or "")]
        return "".join(parts).strip() if element.tag in ("p", "td", "th") else "".join(parts)

    def _write_child(self, child: Any) -> str:
        match child.tag:
            case "br":
                return "\\newline{}"
            case "strong" | "em" | "code" | "s" as tag:
                return f"\\{_ENDED[tag]}{{{self._write_inline(child)}}}"
            case "a" if child.get("href"):
                return self._write_link(child)
            case "math":
                return self._write_formula(child)
            case "svg":
                return self._write_drawing(child)
            case _:
                return self._write_inline(child)

    def _write_link(self, element: Any) -> str:
        address, text = element.get("href"), self._write_inline(element)
        if not address.startswith("#"):
            safe = quote(clean_text(address), safe=_OF_ADDRESSES).translate(LATEX_SIGNS)
            return f"\\href{{{safe}}}{{{text}}}"
        key, found = self._keys.get(address[1:]), _CITATION.fullmatch(element.text_content())
        if key is None or found is None:
            return text
        place = f"[{{{escape_latex(found[1])}}}]" if found[1] else ""
        return f"\\cite{place}{{{key}}}"

    def _write_formula(self, element: Any) -> str:
        written = write_latex_formula(element)
        if written is None:
            self._changed["formula"] += 1
            return f"\\emph{{{escape_latex(read_title(element))}}}"
        alone = element.get("display") == "block" and not any(
            one.tag in ("td", "th", *HEADINGS) for one in element.iterancestors()
        )
        return f"\\[{written}\\]" if alone else f"\\({written}\\)"

    def _write_drawing(self, element: Any) -> str:
        drawing = self._drawings[find_drawing(element)]
        title = f"\\emph{{{escape_latex(read_drawing_title(drawing))}}}"
        if (figure := convert_drawing(drawing, "pdf")) is None:
            self._changed["picture"] += 1
            return title
        name = f"figures/figure-{len(self.figures) + 1}.pdf"
        self.figures[name] = figure
        size = "width=\\linewidth,height=0.85\\textheight,keepaspectratio"
        return f"\\begin{{center}}\\includegraphics[{size}]{{{name}}}\\\\{{}}{title}\\end{{center}}"
