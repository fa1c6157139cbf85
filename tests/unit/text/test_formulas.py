"""A formula on one line reads back as the same formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.text.formulas import MOST_CHARACTERS, OMITTED, write_mathml, write_mathml_source
from elcano.text.tex_formulas import write_tex
from elcano.text.xml_tree import parse_xml


@pytest.mark.parametrize(
    ("mathml", "written"),
    [
        ("<mfrac><mn>3</mn><mn>4</mn></mfrac>", "3/4"),
        ("<mn>2</mn><mfrac><mn>3</mn><mn>4</mn></mfrac>", "2 3/4"),
        ("<mn>2</mn><mfrac><mi>a</mi><mn>4</mn></mfrac>", "2(a/4)"),
        ("<mfrac><mn>1</mn><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>", "1/(2a)"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac>", "(a + 1)/b"),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", "n choose k"),
        ("<msup><mi>e</mi><mfrac><mn>1</mn><mn>2</mn></mfrac></msup>", "e^(1/2)"),
        ("<msup><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>3</mn></msup>", "(1/2)³"),
        ("<msup><msup><mi>x</mi><mn>2</mn></msup><mn>3</mn></msup>", "(x²)³"),
        ("<msup><mi>x</mi><mi>∞</mi></msup>", "x^∞"),
        ("<msup><mi>f</mi><mo>'</mo></msup><mo>&#x2061;</mo><mfenced><mi>x</mi><mi>y</mi></mfenced>", "f′(x, y)"),
        ("<mn>2</mn><mo>×</mo><msup><mn>10</mn><mn>9</mn></msup><mo>/</mo><mi>L</mi>", "2 × 10⁹/L"),
        ("<msqrt><mi>s</mi></msqrt><mo>=</mo><mn>13</mn>", "√s = 13"),
        ("<msqrt><mn>2</mn></msqrt><mi>x</mi>", "√(2)x"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x + 1)"),
        ("<mroot><mn>27</mn><mn>3</mn></mroot>", "∛27"),
        ("<mn>2</mn><mroot><mi>x</mi><mn>5</mn></mroot>", "2 ⁵√x"),
        ("<msub><mi>x</mi><mi>max</mi></msub><mi>y</mi>", "x_max y"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x₁²"),
        (
            "<mmultiscripts><mi>C</mi><mprescripts/><none/><mn>14</mn></mmultiscripts>",
            "¹⁴C",
        ),
        ("<mn>2</mn><msup><mrow/><mn>14</mn></msup><mi>C</mi>", "2 ¹⁴C"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
            "<msub><mi>x</mi><mi>i</mi></msub>",
            "∑_(i=1)ⁿ xᵢ",
        ),
        ("<mover accent='true'><mi>x</mi><mo>¯</mo></mover><mo>=</mo><mn>5</mn>", "x̄ = 5"),
        ("<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>¯</mo></mover>", "overline(AB)"),
        (
            "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr>"
            "<mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>)</mo>",
            "(1, 2; 3, 4)",
        ),
        ("<mn>1</mn><mo>,</mo><mn>000</mn><mo>.</mo><mn>5</mn>", "1,000.5"),
        ("<mo>[</mo><mn>1</mn><mo>,</mo><mn>100</mn><mo>]</mo>", "[1, 100]"),
        ("<mi>p</mi><mo>&lt;</mo><mo>-</mo><mn>0.05</mn>", "p < −0.05"),
        ("<mtext>if </mtext><mi>x</mi><mphantom><mn>9</mn></mphantom>", "if x"),
        ("<mi>𝑃</mi><mo>(</mo><mi>A</mi><mo>|</mo><mi>B</mi><mo>)</mo>", "P(A|B)"),
        ("<mi>sin</mi><mi>x</mi>", "sin x"),
        ("<semantics><mi>x</mi><annotation encoding='application/x-tex'>y</annotation></semantics>", "x"),
        ("<mi/>", ""),
    ],
)
def test_mathml(mathml: str, written: str) -> None:
    assert write_mathml(parse_xml(f"<math>{mathml}</math>".encode())) == written
    prefixed = mathml.replace("<m", "<mml:m").replace("</m", "</mml:m")
    assert write_mathml_source(f"<mml:math>{prefixed}</mml:math>") == written


@pytest.mark.parametrize(
    ("tex", "written"),
    [
        (r"\sqrt23", "√(2) 3"),
        (r"\sqrt[3]27 = \sqrt[3]{2}7", "∛(2) 7 = ∛(2) 7"),
        (r"\sqrt2x + \sqrt{23}", "√(2)x + √23"),
        (r"$\frac{-b\pm\sqrt{b^2-4ac}}{2a}$", "(−b ± √(b² − 4ac))/(2a)"),
        (r"{\displaystyle E=mc^{2}}", "E = mc²"),
        (r"\({}^{14}_{6}\mathrm{C}\)", "¹⁴₆C"),
        (r"\lim_{x\to 0} \frac{\sin x}{x}", "lim_(x→0) ((sin x)/x)"),
        (r"\operatorname{Var}(X) \neq 10{,}000", "Var(X) ≠ 10,000"),
        (r"\binom{n}{k}", "(n choose k)"),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", "a = b; c = d"),
        (r"95\%\ \text{CI} \not\in x", "95% CI ∉ x"),
        (r"\mathrm{Ca}^{2+}", "Ca²⁺"),
        (r"\unknowncommand{x}^2", r"\unknowncommand{x}^2"),
        (r"\frac{1", r"\frac{1"),
        ("", ""),
    ],
)
def test_tex(tex: str, written: str) -> None:
    assert write_tex(tex) == written


@given(over=st.integers(0, 999), under=st.integers(1, 999))
def test_a_fraction_never_reads_as_another_number(over: int, under: int) -> None:
    written = write_tex(rf"\frac{{{over}}}{{{under}}}")
    assert written == f"{over}/{under}"


@pytest.mark.parametrize(
    "inside",
    ["<msqrt>" * 200 + "<mi>x</mi>" + "</msqrt>" * 200, "<mrow>" * 200 + "</mrow>" * 200, "<mi>xy</mi>" * 4_999],
)
def test_a_formula_beyond_the_limits_leaves_a_mark_in_its_sentence(inside: str) -> None:
    assert write_mathml(parse_xml(f"<math>{inside}</math>".encode())) == OMITTED
    assert write_mathml(parse_xml(b"<math>" + b"<mi>x</mi>" * 5_000 + b"</math>")) == OMITTED
    assert write_tex("x" * (MOST_CHARACTERS + 1)) == OMITTED


@given(st.text(alphabet="\\{}^_&$ ab12+frac sqrt", max_size=60))
def test_whatever_stands_for_tex_is_written(source: str) -> None:
    assert "\n" not in write_tex(source)
