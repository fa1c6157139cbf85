"""XML says only what stands in it, whatever it declares."""

import pytest

from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.subjects.literature.xml import flatten_element_text, parse_xml_root
from elcano.text.xml_tree import get_local_name

BOMB = (
    "<!DOCTYPE a [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{at + 1} '{f'&a{at};' * 10}'>" for at in range(12))
    + "]><a>&a12;</a>"
)


def text(xml: str, *left_out: str) -> str:
    return flatten_element_text(parse_xml_root("x", xml.encode(), {"a"}), left_out)


def test_raised_figures_stay_apart() -> None:
    assert text("<a>10<sup>6</sup> of CO<sub>2</sub> per m<sup>-2</sup> on the 5<sup>th</sup></a>") == (
        "10⁶ of CO₂ per m⁻² on the 5th"
    )
    assert text("<a>10<sup><i>6</i></sup></a>") == "10⁶"
    assert text("<a><msup><mn>10</mn><mn>6</mn></msup> <msub><mi>x</mi><mn>1</mn></msub></a>") == "10⁶ x₁"


def test_markup_namespaces_and_comments() -> None:
    assert text("<a xmlns:m='urn:m'>one <b>two <i>three</i></b><!-- no --><?no no?> <m:x>four</m:x>\n five</a>") == (
        "one two three four five"
    )
    assert text("<a>kept<xref>left <i>out</i></xref> after</a>", "xref") == "kept after"
    assert flatten_element_text(None) == ""
    assert get_local_name(parse_xml_root("x", b"<x:a xmlns:x='urn:x'/>", {"a"})) == "a"


@pytest.mark.parametrize("levels", [200, 100_000])
def test_a_tree_without_bottom_is_read_or_refused(levels: int) -> None:
    deep = "<a>" + "<i>" * levels + "x" + "</i>" * levels + "</a>"
    if levels == 200:
        assert text(deep) == "x"
    else:
        with pytest.raises(SourceUnavailable, match="depth"):
            text(deep)


@pytest.mark.parametrize(
    "xml",
    [
        BOMB,
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x 'y'>]><a b='&x;'/>",
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://127.0.0.1:1/x'> %x;]><a/>",
    ],
)
def test_an_answer_that_declares_entities_is_refused(xml: str) -> None:
    with pytest.raises((SourceRefused, SourceUnavailable), match="x: the answer"):
        parse_xml_root("x", xml.encode(), {"a"})


def test_nothing_is_loaded_beside_it() -> None:
    assert text("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a>&alpha;-blocker &unheard;</a>") == (
        "\N{GREEK SMALL LETTER ALPHA}-blocker &unheard;"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no XML"),
        (b"<a>cut off", "no XML"),
        (b"not at all", "no XML"),
        (b"<a>\xff\xfe\xfa</a>", "no XML"),
        (b"<!DOCTYPE html><html><body>Bad gateway</body></html>", "<html> instead of <a>"),
        (b"<!DOCTYPE html><html><br>Bad gateway", "no XML"),
        (b"<error><message>down</message></error>", "<error> instead of <a>"),
    ],
)
def test_something_else_is_no_answer(content: bytes, said: str) -> None:
    with pytest.raises(SourceUnavailable, match=said):
        parse_xml_root("x", content, {"a"})


def test_other_encodings_are_read_as_they_are_declared() -> None:
    content = "<?xml version='1.0' encoding='ISO-8859-1'?><a>Müller</a>".encode("latin-1")
    assert flatten_element_text(parse_xml_root("x", content, {"a"})) == "Müller"
