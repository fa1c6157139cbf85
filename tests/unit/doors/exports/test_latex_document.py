"""The LaTeX of a report: what is there is there, and strangers write nothing but text."""

import io
import re
import zipfile
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from elcano.doors.exports.latex_document import DEEPEST, write_latex_archive
from tests.unit.doors.exports.test_pdf_document import DRAWING
from tests.unit.doors.exports.test_word_document import RICH
from tests.unit.service.test_html_report import LIST, report

COMMAND = re.compile(r"\\([a-zA-Z]+|.)", re.DOTALL)
SHOWN = {*("textbackslash", "textasciitilde", "textasciicircum", "allowbreak"), *"{}$&%#_"}
"""Commands that show a sign."""
PLAIN = {"maketitle", "section", "begin", "end", "bibitem", "href", "textbf"}


def read_archive(markdown: str, pictures: dict[str, str | None] | None = None, **about: Any) -> dict[str, bytes]:
    data = write_latex_archive(report(f"{markdown}\n\n{LIST}", **about), pictures or {})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_body(markdown: str, **more: Any) -> str:
    return read_archive(markdown, **more)["report.tex"].decode().partition("\\maketitle")[2]


def test_a_report_is_sections_lists_tables_formulas_and_citations() -> None:
    files = read_archive(
        RICH + "\n\n" r"Of $\frac{\bar{x}}{n}$ and $\sqrt{\sin a_1}$. [1, p. 5] $100\%\{x\}$", title="The harbour"
    )
    text = files["report.tex"].decode()
    for part in (
        r"\title{The harbour}",
        r"It \textbf{froze} in \emph{1709}, \texttt{for weeks}. \cite{oil}",
        r"\section{When}",
        r"\item[3.] third",
        r"\textbf{year} & \textbf{days}\tabularnewline",
        r"{1709} & {12}\tabularnewline",
        r"\[{a}^{2}+{b}^{2}\]",
        r"\(\frac{\overline{x}}{n}\) and \(\sqrt{\operatorname{sin}{a}_{1}}\). \cite[{p. 5}]{oil}",
        r"\(100\%\{x\}\)",
        r"\bibitem[1]{oil} \href{https://example.org/oil}{\textbf{Oil}} — docs",
    ):
        assert part in text, part
    assert files["references.bib"].startswith(b"@misc{oil,")


def test_brackets_are_as_high_as_the_matrix_in_them() -> None:
    text = read_body(
        r"It is $2\begin{pmatrix}a\\b\end{pmatrix}x$ or $\begin{vmatrix}a\end{vmatrix}$ or "
        r"$y=\begin{cases}1&x\\0&z\end{cases}$ or $(\begin{matrix}a\end{matrix}+1)$."
    )
    for part in (
        r"\(2\left( \begin{matrix}{a}\\{b}\end{matrix}\right) x\)",
        r"\(\left| \begin{matrix}{a}\end{matrix}\right| \)",
        r"\(y=\left\{ \begin{matrix}{1} & {x}\\{0} & {z}\end{matrix}\right. \)",
        r"\((\begin{matrix}{a}\end{matrix}+1)\)",
    ):
        assert part in text, text


def test_words_in_formulas_keep_their_spaces_and_upright_letters_stay_upright() -> None:
    text = read_body(r"It is $\text{CI } 0.7 \text{ to } 1\quad a\!b$ of $\mathrm{CO_2}$.")
    assert r"\(\text{CI }0.7\text{ to }1\hspace{1em}a\hspace{-0.167em}b\)" in text
    assert r"\(\mathrm{C}{\mathrm{O}}_{2}\)" in text


def test_long_addresses_and_lines_of_code_stay_on_the_page() -> None:
    text = read_body(f"{'a/' * 20} word\n\n```\n{'x_' * 20}\n```")
    assert text.count(r"\allowbreak{}") == 2


def test_lines_break_by_the_rules_of_the_language() -> None:
    for title, language in (("标题", "zh"), ("T", "en")):
        assert rf"\babelprovide[import={language},main]" in read_archive("x", title=title)["report.tex"].decode()


def test_pictures_are_figures_and_one_that_cannot_be_is_named() -> None:
    markdown = "![The plot](a/plot.svg)\n\n![Broken](a/broken.svg)\n\n![Gone](a/gone.svg)"
    pictures = {"a/plot.svg": DRAWING.format("drawn"), "a/broken.svg": "<svg viewBox", "a/gone.svg": None}
    files = read_archive(markdown, pictures)
    assert files["figures/figure-1.pdf"].startswith(b"%PDF-")
    text = files["report.tex"].decode()
    assert text.count("{figures/figure-1.pdf}") == 1
    assert "Gone" in text
    assert "One picture is left out here" in text


def test_lists_are_no_deeper_than_latex_allows() -> None:
    nested = "\n".join(f"{'    ' * depth}- level {depth}" for depth in range(DEEPEST + 3))
    text = read_body(nested)
    assert text.count(r"\begin{itemize}") == DEEPEST
    assert f"level {DEEPEST + 2}" in text


@settings(max_examples=20)
@given(st.text(st.characters(codec="utf-8"), max_size=80))
@example(r"\end{document} \input{/etc/passwd} ^^5cbye % {x} ~ [*] &")
@example("<https://example.org/^^5c}%{#\\x>")
def test_what_strangers_write_is_text(written: str) -> None:
    told = re.sub(r"[*`$_>#|~+=\[\]()!-]|\d+[.)]|\n", " ", written)  # Markdown of its own is another matter
    text = read_body(f"a {told} z", title=written)
    assert {one[1] for one in COMMAND.finditer(text)} <= SHOWN | PLAIN
    assert text.count(r"\end{document}") == 1
    bare = COMMAND.sub("", text)
    assert not set(bare) & set("$%^~&")
    assert bare.count("{") == bare.count("}")
