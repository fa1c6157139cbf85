"""Numbers of titles and abstracts keep their exponents, whatever the format of the record."""

import json

import pytest
from lxml import etree

from elcano.subjects.documents.csl_works import read_csl_work
from elcano.subjects.literature.xml import flatten_element_text
from elcano.subjects.uploads.bibtex_list import decode_latex
from elcano.text.inline_markup import write_latex_scripts, write_tagged_scripts


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2 × 10<sup>9</sup>/L", "2 × 10⁹/L"),
        ("10<jats:sup>9</jats:sup>/L", "10⁹/L"),
        ("10&lt;sup&gt;9&lt;/sup&gt;/L", "10⁹/L"),
        ("CO<sub><i>2</i></sub>", "CO₂"),
        ("a <mml:math><mml:mfrac><mml:mn>3</mml:mn><mml:mn>4</mml:mn></mml:mfrac></mml:math> of it", "a 3/4 of it"),
        ("a <math> that never ends 3<sup>2</sup>", "a <math> that never ends 3²"),
        ("x < 5 and y > 3", "x < 5 and y > 3"),
    ],
)
def test_tags(text: str, written: str) -> None:
    assert write_tagged_scripts(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10\\textsuperscript{6} cells", "10⁶ cells"),
        ("CO\\textsubscript{2}", "CO₂"),
        ("$10^{9}$/L and $p$", "10⁹/L and p"),
        ("$\\frac{3}{4}$ of it", "3/4 of it"),
        ("from $5 million to $10 million", "from $5 million to $10 million"),
    ],
)
def test_latex(text: str, written: str) -> None:
    assert decode_latex(text) == written


def test_works_and_articles_are_read_so() -> None:
    item = {"type": "article", "title": "A title", "abstract": "<jats:p>2 × 10<sup>9</sup>/L</jats:p>"}
    assert [block.text for block in read_csl_work(json.dumps(item).encode()).blocks] == ["2 × 10⁹/L"]
    root = etree.fromstring("<p>10<sup>9</sup> and <math><mroot><mn>27</mn><mn>3</mn></mroot></math></p>")
    assert flatten_element_text(root) == "10⁹ and ∛27"


@pytest.mark.parametrize("text", ["<math>" * 20_000, "<sup>" * 50_000, "$" * 50_001, "<sup><i>" * 20_000])
def test_marks_without_end_are_read_in_time(text: str) -> None:
    assert write_latex_scripts(write_tagged_scripts(text))
