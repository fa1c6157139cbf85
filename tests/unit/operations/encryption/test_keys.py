"""Keys come from the setting, a file or a function; what cannot be used is named, and no key is."""

from base64 import b64encode
from pathlib import Path

import pytest

from elcano.graphs.errors import SealedDataUnreadable
from elcano.operations.encryption.keys import INDEX, check_keys, make_key, open_cipher, parse_keys
from elcano.settings import Settings
from elcano.settings.plugins import SettingsInvalid

KEY = b64encode(bytes(range(32))).decode()
GOOD = f"2026:{KEY},index:{KEY}"


def serve_keys() -> str:
    """What a key service would answer."""
    return f"# from the service\nkms:{KEY}\n\nindex:{KEY}\n"


def fail() -> str:
    raise OSError("the service is away")


def serve_nothing() -> None:
    return None


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.chdir(tmp_path)
    return Settings(_env_file=None, data_dir=tmp_path)


def test_nothing_is_encrypted_unless_it_is_asked_for(settings: Settings) -> None:
    assert open_cipher(settings) is None
    assert list(check_keys(settings)) == []


def test_keys_come_from_three_places(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my keys").write_text(f"file:{KEY}\nindex:{KEY}\n")
    sealed = parse_keys(GOOD).seal(b"data", "row")
    for said, active in {
        GOOD: "2026",
        f"file://{tmp_path}/my%20keys": "file",
        f"call:{__name__}:serve_keys": "kms",
    }.items():
        monkeypatch.setenv("ELCANO_ENCRYPTION_KEYS", said)
        ring = open_cipher(settings)
        assert ring is not None
        assert ring.active == active
        (finding,) = check_keys(settings)
        assert (finding.grade, active in finding.text) == ("good", True)
    with pytest.raises(SealedDataUnreadable, match="'2026'"):
        parse_keys(serve_keys()).unseal(sealed, "row")


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (f"2026:{KEY}", "lacks the key `index`"),
        (f"index:{KEY}", "lacks a key besides `index`"),
        (KEY, "key 1 has no name"),
        (f"{GOOD},:{KEY}", "key 3 has no name"),
        (f"A B:{KEY}", "key 1 has no name"),
        (f"{GOOD},2026:{KEY}", "two keys called '2026'"),
        ("2026:short,index:short", "'2026' is no base64"),
        (f"2026:{b64encode(bytes(16)).decode()}", "'2026' has 16 bytes, not 32"),
        ("file:///nowhere/keys", "file:///nowhere/keys cannot be read"),
        (f"call:{__name__}:fail", r"failed \(OSError: the service is away\)"),
        (f"call:{__name__}:serve_nothing", "returned NoneType"),
        ("call:no.such:thing", "failed"),
    ],
)
def test_what_cannot_be_used_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, said: str, wrong: str
) -> None:
    monkeypatch.setenv("ELCANO_ENCRYPTION_KEYS", said)
    with pytest.raises(SettingsInvalid, match=wrong) as refused:
        open_cipher(settings)
    assert KEY not in str(refused.value)
    (finding,) = check_keys(settings)
    assert finding.grade == "fault"


def test_a_graph_in_apache_age_cannot_be_encrypted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_ENCRYPTION_KEYS", GOOD)
    with pytest.raises(SettingsInvalid, match="ELCANO_KNOWLEDGE names a graph in Apache AGE"):
        open_cipher(settings.model_copy(update={"knowledge": "postgresql://me@host/db"}))


def test_made_keys_can_be_used() -> None:
    lines = [make_key(), make_key(INDEX), make_key("next")]
    ring = parse_keys("\n".join(lines))
    assert len({line.partition(":")[2] for line in lines}) == 3
    assert ring.unseal(ring.seal(b"data", "row"), "row") == b"data"
