"""Ports: whether one is free, which process listens on a taken one, and which are free now."""

import socket
from contextlib import ExitStack, suppress
from typing import Final

import psutil

from elcano.graphs.text import shorten_text

SHOWN_CHARACTERS: Final = 140
"""Maximum length of a process's description: its number and the beginning of its command."""


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. Closing connections of an earlier server do not count."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except OSError:
            return False
    return True


def free_ports(count: int) -> list[int]:
    """Return different ports that are free at this moment."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def find_listener(port: int) -> str | None:
    """Describe the process that listens on `port`; None if it cannot be determined (another user's, for example)."""
    for process in psutil.process_iter():
        # Each process by itself: on macOS only root may ask for the connections of all at once.
        with suppress(psutil.Error):  # it has ended, or is not ours to look into
            if any(one.status == psutil.CONN_LISTEN and one.laddr.port == port for one in process.net_connections()):
                return shorten_text(f"process {process.pid}: {' '.join(process.cmdline())}", SHOWN_CHARACTERS)
    return None
