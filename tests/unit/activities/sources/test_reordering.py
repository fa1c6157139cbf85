"""What orders the text around it anew is in no title and no passage of a document."""

from elcano.activities.sources.documents.document import normalised


def test_signs_that_reverse_a_text_are_left_out() -> None:
    assert (
        normalised("invoice\u202efdp.exe \u2066a\u2069 \u05e9\u05dc\u05d5\u05dd\u200f")
        == "invoicefdp.exe a \u05e9\u05dc\u05d5\u05dd"
    )
