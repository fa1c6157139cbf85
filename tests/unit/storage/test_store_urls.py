"""URLs of the store: what cannot be one is refused, what is one says no password, and doctor tries it."""

import asyncio
import errno
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from elcano.dev import external_checks
from elcano.redaction import without_secrets
from elcano.settings import Settings, SettingsInvalid, get_settings, list_secrets
from elcano.storage.sql.dialect import explain_database_error
from elcano.storage.store import open_store


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("ELCANO_STORE_URL", "mysql://u:very-secret@h/d", "neither `sqlite:///path` nor `postgresql://"),
        ("ELCANO_STORE_URL", "postgresql+asyncpg://u:very-secret@h/d", "neither"),
        ("ELCANO_STORE_URL", "postgresql:u:very-secret@h/d", "neither"),
        ("ELCANO_STORE_URL", "sqlite://", "neither"),
        ("ELCANO_STORE_URL", "sqlite:///", "names no file"),
        ("ELCANO_OBJECTS_URL", "s3://", "neither `s3://bucket/prefix` nor `file:///path`"),
        ("ELCANO_OBJECTS_URL", "file://host/path", "neither"),
        ("ELCANO_OBJECTS_URL", "folder", "neither"),
    ],
)
def test_what_is_no_url_of_a_store_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, fault: str
) -> None:
    monkeypatch.setenv(name, value)
    get_settings.cache_clear()
    with pytest.raises(SettingsInvalid, match=f"{name} is .*{fault}") as refused:
        get_settings()
    assert "://u:very-secret" not in str(refused.value)


def test_its_password_is_a_secret_however_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_STORE_URL", "postgresql://somebody:a%40long%20word@host/database")
    monkeypatch.setenv("PGPASSWORD", "another long word")
    assert {"a%40long%20word", "a@long word", "another long word"} <= set(list_secrets())
    assert "word" not in without_secrets("of a@long word, a%40long%20word and another long word")
    assert "long" not in repr(Settings(_env_file=None))


def test_doctor_says_whether_the_store_can_be_written(tmp_path: Path) -> None:
    (file := tmp_path / "file").write_text("no folder")
    url = f"sqlite:///{tmp_path}/runs.db"
    chosen = {"data_dir": tmp_path, "store_url": url}
    (finding,) = external_checks.check_store(Settings.model_validate(chosen))
    assert (finding.grade, finding.text) == ("note", f"ELCANO_STORE_URL: {url} answers, without tables yet")
    asyncio.run(_make(tmp_path, url))
    (finding,) = external_checks.check_store(Settings.model_validate(chosen))
    assert (finding.grade, finding.text) == ("good", f"ELCANO_STORE_URL: {url} can be written")
    (finding,) = external_checks.check_store(
        Settings.model_validate({**chosen, "store_url": f"sqlite:///{file}/runs.db"})
    )
    assert finding.grade == "fault"
    assert str(errno.ENOTDIR) in finding.text or "exists" in finding.text
    assert (
        list(
            external_checks.check_store(
                Settings.model_validate({"data_dir": tmp_path, "store_url": "", "objects_url": ""})
            )
        )
        == []
    )


def test_doctor_says_which_of_the_two_is_away_and_hides_passwords(tmp_path: Path) -> None:
    chosen = Settings.model_validate(
        {
            "data_dir": tmp_path,
            "store_url": "postgresql://elcano:very-secret@127.0.0.1:1/elcano",
            "objects_url": f"file://{tmp_path}/objects",
        }
    )
    database, objects = external_checks.check_store(chosen)
    assert (database.grade, objects.grade) == ("fault", "good")
    assert "its server does not answer: see that it runs and can be reached" in database.text
    assert "very-secret" not in str(database)
    assert objects.text == f"ELCANO_OBJECTS_URL: file://{tmp_path}/objects can be written"


async def _make(folder: Path, url: str) -> None:
    async with open_store(folder, database=url):
        pass


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("sorry, too many clients already", "no room for this: see its connections"),
        ("remaining connection slots are reserved for roles with the SUPERUSER attribute", "see its connections"),
        ('too many connections for role "elcano"', "see its connections"),
        ("the database system is starting up", "was stopped or gave up: try again"),
        ("the database system is shutting down", "was stopped or gave up: try again"),
        ('database "elcano" does not exist', "has no such database"),
        ('password authentication failed for user "elcano"', "refuses the user or the password"),
        ("Connection refused", "its server does not answer"),
    ],
)
def test_what_a_server_says_while_one_connects_is_told_as_it_is(said: str, told: str) -> None:
    """The messages are those of PostgreSQL's postmaster; psycopg gives none of them a state."""
    refused = psycopg.OperationalError(f'connection to server at "127.0.0.1", port 5432 failed: FATAL:  {said}')
    assert told in (explain_database_error(OperationalError("", {}, refused)) or "")
