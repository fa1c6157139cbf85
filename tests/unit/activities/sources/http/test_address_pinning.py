"""TLS checks the name, not the number that is connected to; behind a proxy, what can be told beforehand is refused."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from elcano.activities.sources.http.address_pinning import build_pinned_transport, build_tls_context
from elcano.activities.sources.http.fetching import Fetcher
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from tests.internet import PUBLIC, Internet
from tests.loopback import Reply, loopback
from tests.unit.activities.sources.http import hostile
from tests.unit.activities.sources.http.raw import Speaking, speaking
from tests.unit.activities.sources.http.reading import chosen, fetching


def certificate(folder: Path, *names: str) -> Path:
    """A file with a key and a certificate for `names`, which is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(who, who, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "certificate.pem"
    file.write_bytes(private + made.public_bytes(pem))
    return file


@asynccontextmanager
async def secure(
    file: Path, asked_for: list[str | None], believing: ssl.SSLContext | None = None
) -> AsyncIterator[httpx.AsyncBaseTransport]:
    """A transport to a service with that certificate, which notes the names that it is asked for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    context.sni_callback = lambda connection, name, own: asked_for.append(name)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nread")
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    internet = Internet(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    by = build_pinned_transport(internet.network, tls=believing or ssl.create_default_context(cafile=file))
    try:
        yield by
    finally:
        await by.aclose()
        server.close()


async def test_the_certificate_has_to_be_the_names(tmp_path: Path) -> None:
    asked_for: list[str | None] = []
    async with secure(certificate(tmp_path, "example.com", "example.org"), asked_for) as by:
        for address in ("https://example.com/", "https://example.com/again", "https://example.org/"):
            answer = await by.handle_async_request(httpx.Request("GET", address))
            assert await answer.aread() == b"read"
            await answer.aclose()
        for wrong in ("https://www.example.com/", "https://example.net/", f"https://{PUBLIC}/"):
            with pytest.raises(httpx.TransportError, match="certificate"):
                await by.handle_async_request(httpx.Request("GET", wrong))
    assert asked_for[:3] == ["example.com", "example.org", "www.example.com"]


async def test_an_unknown_authority_is_not_believed(tmp_path: Path) -> None:
    async with secure(certificate(tmp_path, "example.com"), [], build_tls_context()) as by:
        with pytest.raises(httpx.TransportError, match="certificate verify failed"):
            await by.handle_async_request(httpx.Request("GET", "https://example.com/"))


def proxying(asked: list[str]) -> Speaking:
    """A proxy that answers itself what it is asked for, and lets nobody through."""

    async def speak(head: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(head.decode())
        status = b"403 Forbidden" if head.startswith(b"CONNECT") else b"200 OK"
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 4\r\n\r\nread")

    return speak


async def test_a_proxy_is_asked_for_everything_outside() -> None:
    asked: list[str] = []
    async with speaking(proxying(asked)) as url:
        internet = Internet(url, names={"example.com": [["10.0.0.1"]]})
        fetcher = Fetcher(chosen(proxy=url.replace("://", "://me:secret@")), internet.network)
        assert (await fetcher.fetch("test", "http://example.com/x")).text == "read"
        with pytest.raises(SourceUnavailable, match="ProxyError: 403 Forbidden"):
            await fetcher.fetch("test", "https://example.com/x")
        await fetcher.close()
    assert [head.split("\r\n")[0] for head in asked] == [
        "GET http://example.com/x HTTP/1.1",
        "CONNECT example.com:443 HTTP/1.1",
    ]
    who = base64.b64encode(b"me:secret").decode()
    assert all(f"Proxy-Authorization: Basic {who}" in head for head in asked)
    assert internet.resolved == []


PRIVATE = (
    *(f"http://[{address}]/" if ":" in address else f"http://{address}/" for address in hostile.PRIVATE),
    *(f"http://{spelled}/" for spelled in (*hostile.SPELLED, *hostile.NAMES)),
    *hostile.ADDRESSES,
)


async def test_a_proxy_is_not_asked_for_what_is_private_by_its_spelling(subtests: pytest.Subtests) -> None:
    fetcher = Fetcher(chosen(proxy="http://127.0.0.1:9"))
    for url in PRIVATE:
        with subtests.test(url=url), pytest.raises(SourceRefused):
            await fetcher.fetch("test", url)
    await fetcher.close()


async def test_a_trusted_address_is_not_asked_for_by_a_proxy() -> None:
    with loopback(lambda asked: Reply("read")) as running:
        async with fetching(running.url, proxy="http://127.0.0.1:9") as fetcher:
            assert (await fetcher.fetch("test", running.url, trusted=True)).text == "read"


async def test_a_connection_of_a_trusted_address_is_nobody_elses() -> None:
    async def speak(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nread")

    async with speaking(speak) as url:
        internet = Internet(url, names={"example.com": [["10.0.0.1"]]})
        fetcher = Fetcher(chosen(), internet.network)
        for _ in range(2):
            await fetcher.fetch("test", "http://example.com/", trusted=True)
        assert internet.connected == [("10.0.0.1", 80)]  # it is kept open
        with pytest.raises(SourceRefused, match="private"):
            await fetcher.fetch("test", "http://example.com/")
        await fetcher.close()
