"""Bold text in scripts without spaces, as models write it."""

import pytest

from elcano.text.prose.markdown_parser import parse_markdown
from elcano.text.prose.markdown_writer import render_markdown

SHOWN = {"strong_open": "<b>", "strong_close": "</b>", "em_open": "<i>", "em_close": "</i>"}


def show(text: str) -> str:
    (inline,) = [token for token in parse_markdown(text) if token.children]
    return "".join(SHOWN.get(one.type, one.content) for one in inline.children or ())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("重点是**“速度”**的变化。", "重点是<b>“速度”</b>的变化。"),
        ("**注意：**这里不同", "<b>注意：</b>这里不同"),
        ("これは**「増加」**です。", "これは<b>「増加」</b>です。"),
        ("日本の**GDP（名目）**は伸びた", "日本の<b>GDP（名目）</b>は伸びた"),
        ("결과는 **증가(12%)**입니다.", "결과는 <b>증가(12%)</b>입니다."),
        ("เป็น**“คำ”**ที่", "เป็น<b>“คำ”</b>ที่"),
        ("***「全部」***は", "<i><b>「全部」</b></i>は"),
        ("**甲**和**“乙”**及**丙**", "<b>甲</b>和<b>“乙”</b>及<b>丙</b>"),
    ],
)
def test_bold_may_stand_next_to_punctuation(text: str, shown: str) -> None:
    assert show(text) == shown
    assert render_markdown(parse_markdown(text), lambda _: "", text) == text


@pytest.mark.parametrize(
    "text",
    ["価格*（税込）と送料*（別）", "a**(b)**c", "2**(x)**3", "甲 ** 乙 ** 丙", "甲** 乙 **丙", "甲の__（一）__は"],
)
def test_what_commonmark_leaves_as_it_is_elsewhere_stays(text: str) -> None:
    tokens = [one for token in parse_markdown(text) for one in token.children or ()]
    assert "".join(one.content for one in tokens) == text
