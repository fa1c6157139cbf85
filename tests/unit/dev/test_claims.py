"""Ports of the embedded stack: which are free, who has the others, and which setting changes them."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from elcano.dev.claims import find_listener, free_ports, is_free
from elcano.dev.program import CannotStart
from elcano.dev.stack import list_needed_ports, require_free_ports
from elcano.settings import Settings


@contextmanager
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_is_listened_on_is_not_free_and_its_listener_is_known() -> None:
    with listening() as port:
        assert not is_free("127.0.0.1", port)
        assert f"process {os.getpid()}" in (find_listener(port) or "")
    assert is_free("127.0.0.1", port)
    assert find_listener(port) is None


def test_free_ports_are_different_and_free() -> None:
    found = free_ports(5)
    assert len(set(found)) == 5
    assert all(is_free("127.0.0.1", port) for port in found)


def test_every_taken_port_is_named_with_the_setting_that_changes_it() -> None:
    with listening() as api, listening() as ui:
        (free,) = free_ports(1)
        chosen = Settings(api_port=api, temporal_port=free, temporal_ui_port=ui)
        with pytest.raises(CannotStart) as raised:
            require_free_ports(chosen)
    text = str(raised.value)
    assert f"port {api} " in text
    assert "ELCANO_API_PORT" in text
    assert f"port {ui} " in text
    assert "ELCANO_TEMPORAL_UI_PORT" in text
    assert str(os.getpid()) in text
    assert f"port {free} " not in text


def test_an_existing_server_needs_no_ports_of_ours() -> None:
    assert set(list_needed_ports(Settings.model_validate({"TEMPORAL_ADDRESS": "there:7233"}))) == {"api_port"}
