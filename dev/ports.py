"""Ports: whether one is free, who listens on one that is not, and which are free now."""

import shutil
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

_LISTEN = "0A"
"""The state of a listening socket in Linux's `/proc/net/tcp`."""


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. Connections of an earlier server that are closing do not count."""
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
    """Different ports that nobody listens on at this moment."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def listener(port: int) -> str | None:
    """The process that listens on `port`, in words; None if it cannot be known (another user's, for example)."""
    pid = _listener_by_proc(port) if Path("/proc/net/tcp").exists() else _listener_by_lsof(port)
    if pid is None:
        return None
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    command = shown.stdout.strip()[:120]
    return f"process {pid}: {command}" if command else f"process {pid}"


def _listener_by_proc(port: int) -> int | None:
    sockets = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(descriptor.readlink()) in sockets:
                return int(descriptor.parts[2])
        except OSError:  # the process has ended, or is not ours to look into
            continue
    return None


def _listening_inodes(port: int) -> set[str]:
    inodes: set[str] = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        path = Path(table)
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            if fields[3] == _LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(fields[9])
    return inodes


def _listener_by_lsof(port: int) -> int | None:
    if shutil.which("lsof") is None:
        return None
    command = ["lsof", "-nP", "-t", f"-iTCP:{port}", "-sTCP:LISTEN"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return int(found[0]) if found else None
