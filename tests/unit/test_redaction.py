"""No key leaves a process: neither by its value, whatever its shape, nor by its shape, and nothing else is torn out."""

import io
import json
import logging
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic_ai.exceptions import ModelAuthenticationError
from pydantic_ai.models import infer_model

from elcano.activities.calls.models import resolve_model
from elcano.activities.calls.retry_classification import classify_failure
from elcano.graphs.errors import ModelRefused
from elcano.graphs.frozen import Json
from elcano.graphs.model_names import ModelChoice
from elcano.redaction import SafeFormatter, json_without_values, log_to_stderr, without_secrets
from elcano.settings import Settings

HEX = "0123456789abcdef0123456789abcdef"
VARIABLES = [
    *("OPENAI_API_KEY", "MISTRAL_API_KEY", "HF_TOKEN", "HEROKU_INFERENCE_KEY", "AWS_SECRET_ACCESS_KEY"),
    *("AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "TEMPORAL_API_KEY", "SOME_CLIENT_SECRET", "POSTGRES_PASSWORD"),
    *("CO_API_KEY", "COPILOT_GITHUB_TOKEN", "VERCEL_OIDC_TOKEN", "OPENAI_API_KEY_2", "openrouter_api_key"),
]


@pytest.mark.parametrize("variable", VARIABLES)
def test_the_value_of_a_key_is_removed_wherever_it_stands(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, HEX)
    failure = classify_failure(ModelAuthenticationError("m", f"the key {HEX}, also written x{HEX}x, is not known"))
    assert HEX not in failure.message
    assert "the key [removed], also written x[removed]x, is not known" in failure.message


def test_a_value_is_removed_as_addresses_and_json_write_it(monkeypatch: pytest.MonkeyPatch) -> None:
    value = 'a/b+c "d" \n 0123'
    monkeypatch.setenv("MISTRAL_API_KEY", value)
    for written in (value, quote(value, safe=""), 'a/b+c \\"d\\" \\n 0123', "a%2Fb%2Bc+%22d%22+%0A+0123"):
        assert without_secrets(f"<{written}>") == "<[removed]>"


def test_a_key_within_a_longer_one_does_not_leave_the_rest_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", HEX)
    monkeypatch.setenv("GROQ_API_KEY", f"{HEX}rest")
    assert without_secrets(f"<{HEX}rest> <{HEX}>") == "<[removed]> <[removed]>"


def test_short_values_and_other_variables_tear_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    monkeypatch.setenv("GROQ_API_KEY", "")
    monkeypatch.setenv("HF_TOKEN", "model")
    monkeypatch.setenv("MAX_TOKENS", "a hundred")
    monkeypatch.setenv("KEYBOARD", "a hundred")
    text = "a model of a hundred answered nothing"
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Set the `OPENAI_API_KEY` environment variable or pass it via `OpenAIProvider(api_key=...)` to use OpenAI.",
        "WriterOutput is not valid: key_findings.0.citations.2: field required",
        "Bearer authentication is needed; max_tokens=4000 is too much; key-value stores 2024",
        "the key of the task is missing; the token bucket is empty",
    ],
)
def test_what_is_no_key_stays_as_it_is(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize("provider", ["openai", "openai-chat", "deepseek", "openrouter", "ollama"])
def test_a_missing_key_is_named_in_whole(monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    for name in ("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "OPENROUTER_API_KEY", "OLLAMA_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelRefused) as refused:
        resolve_model(ModelChoice(default=f"{provider}:some-model-of-today"), "writer", Settings())
    assert classify_failure(refused.value).message == str(refused.value)
    with pytest.raises(Exception, match="environment variable") as said:
        infer_model(f"{provider}:some-model-of-today")
    assert str(said.value) in classify_failure(refused.value).message


def test_logs_hold_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", HEX)
    shown = io.StringIO()
    handler = logging.StreamHandler(shown)
    handler.setFormatter(SafeFormatter("%(message)s"))
    log = logging.Logger("test")
    log.addHandler(handler)
    try:
        raise ValueError(f"refused: {HEX}")
    except ValueError:
        log.exception("the key %s was refused", HEX)
    assert HEX not in shown.getvalue()
    assert "ValueError: refused: [removed]" in shown.getvalue()


def test_programs_log_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.RootLogger(logging.WARNING)
    monkeypatch.setattr(logging, "root", root)
    log_to_stderr("info")
    assert root.level == logging.INFO
    assert [type(handler.formatter) for handler in root.handlers] == [SafeFormatter]


@pytest.mark.parametrize("client", ["httpx", "httpx2"])
@pytest.mark.parametrize(("level", "told"), [("info", logging.WARNING), ("debug", logging.NOTSET)])
def test_addresses_of_requests_are_logged_for_debugging_alone(
    monkeypatch: pytest.MonkeyPatch, level: str, told: int, client: str
) -> None:
    monkeypatch.setattr(logging, "root", logging.RootLogger(logging.WARNING))
    log = logging.getLogger(client)
    before = log.level
    try:
        log_to_stderr(level)
        assert log.level == told
    finally:
        log.setLevel(before)


SERVERS = {
    "tickets": {
        "command": "tickets",
        "args": ["--region", "north-west-1", "--api-key", "given-after-an-option", "--token=given-with-an-option"],
        "environment": {"LOGIN": "given-as-it-is", "OTHER": "${TICKETS_LOGIN}", "TZ": "Europe/Berlin"},
        "public": ["TZ"],
    },
    "wiki": {
        "url": "https://wiki.example.org/mcp?wikiApiKey=given-in-an-address",
        "headers": {"Authorization": "Bearer given-as-a-header"},
    },
}
ENV_FILE = f"""
ELCANO_STORE_URL=postgresql://elcano:store%20password@db.example.org/elcano
ELCANO_DATABASES={{"sales": "postgresql://reader:sales-password@db.example.org/sales"}}
ELCANO_MCP_SERVERS='{json.dumps(SERVERS)}'
TICKETS_LOGIN=from-the-env-file
PGPASSWORD=password-of-postgres
OPENAI_API_KEY=key-of-the-provider-in-words
SEARCH_SERVICE=https://someone:search-password@search.example.org
"""
OF_THE_FILE = [
    *("store%20password", "store password", "sales-password", "from-the-env-file", "password-of-postgres"),
    *("key-of-the-provider-in-words", "search-password", "given-after-an-option", "given-with-an-option"),
    *("given-as-it-is", "given-in-an-address", "given-as-a-header"),
]


@pytest.mark.parametrize("secret", OF_THE_FILE)
def test_what_the_env_file_holds_is_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, secret: str) -> None:
    """Passwords in addresses, keys by their names, and what MCP servers are given, in any variable or header."""
    monkeypatch.chdir(tmp_path)
    assert without_secrets(f"refused: {secret}!") == f"refused: {secret}!"
    (tmp_path / ".env").write_text(ENV_FILE)
    assert without_secrets(f"refused: {secret}!") == "refused: [removed]!"
    assert without_secrets("Europe/Berlin, north-west-1") == "Europe/Berlin, north-west-1"


@pytest.mark.parametrize(
    "gap",
    [" ", "\n", "\r\n    ", "\x1b[0m\n\x1b[1;31m", "\x1b]0;title\x07", "\u200b", "\0", "\\n", "\\u001b[31m"],
)
def test_a_key_in_two_halves_is_removed(monkeypatch: pytest.MonkeyPatch, gap: str) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", HEX)
    for border in (1, 16, 31):
        text = f"a b\n{gap}<{HEX[:border]}{gap}{HEX[border:]}> {HEX}{gap}c"
        assert without_secrets(text) == f"a b\n{gap}<[removed]> [removed]{gap}c"
    assert without_secrets(gap.join(HEX)) == "[removed]"


@pytest.mark.parametrize(("secret", "shown"), [("forever12345", "[removed]"), ("forever1234", "forever\n1234")])
def test_from_twelve_characters_on_a_secret_is_found_in_pieces(
    monkeypatch: pytest.MonkeyPatch, secret: str, shown: str
) -> None:
    monkeypatch.setenv("SOME_PASSWORD", secret)
    assert without_secrets(f"{secret[:7]}\n{secret[7:]}") == shown


def test_a_secret_that_overlaps_itself_leaves_no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_PASSWORD", "abcdefgh-abcdefgh")
    assert without_secrets("<abcdefgh-abcdefgh-abcdefgh>") == "<[removed]>"


def test_words_that_make_a_short_secret_together_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_PASSWORD", "forever1")
    assert without_secrets("for ever1, forever1") == "for ever1, [removed]"


def test_json_is_cleaned_in_names_strings_and_numbers() -> None:
    said: dict[str, Json] = {"a 12345678": ["12345678", 12345678, {"b": "x12345678"}], "c": [1, 2.5, True, None]}
    assert json_without_values(said, ("12345678",)) == {
        "a [removed]": ["[removed]", "[removed]", {"b": "x[removed]"}],
        "c": [1, 2.5, True, None],
    }


def test_programs_begin_with_the_secrets_that_are_too_short(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SOME_PASSWORD", "abc")
    log_to_stderr("info")
    assert "SOME_PASSWORD is not removed from logs and reports: it has fewer than 8 characters" in caplog.messages
    assert "abc" not in caplog.text


@pytest.mark.parametrize("text", ["sk-proj-SECRETsecret1234", "Bearer SECRETsecret1234", "//me:SECRETsecret1234@host"])
def test_what_looks_like_a_key_is_removed_though_no_setting_holds_it(text: str) -> None:
    assert "SECRETsecret1234" not in without_secrets(f"refused: https:{text}")
