"""What orders the text around it anew is in no title and no passage of a document."""

from elcano.activities.passages.document import normalize_text


def test_signs_that_reverse_a_text_are_left_out() -> None:
    hebrew = "\u05e9\u05dc\u05d5\u05dd"
    assert normalize_text(f"invoice\u202efdp.exe \u2066a\u2069 {hebrew}\u200f") == f"invoicefdp.exe a {hebrew}"
