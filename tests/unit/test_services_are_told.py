"""What services are told of who asks: an address and a key, where there are any."""

import pytest

from elcano.settings import Settings


@pytest.mark.parametrize(
    ("contact", "email"),
    [
        (" someone@example.org ", "someone@example.org"),
        ("https://example.org/@someone", ""),
        ("someone@example", ""),
        ("", ""),
    ],
)
def test_a_contact_may_be_an_address_for_mail(contact: str, email: str) -> None:
    assert Settings(_env_file=None, contact=contact).email == email


def test_a_key_is_read_without_the_line_end_that_a_file_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "abc\n")
    monkeypatch.delenv("OTHER_API_KEY", raising=False)
    chosen = Settings(_env_file=None)
    assert (chosen.key("SOME_API_KEY"), chosen.key("OTHER_API_KEY"), chosen.key("")) == ("abc", "", "")
