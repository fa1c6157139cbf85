"""Addresses that lead into private networks, each in a way that somebody has used."""

from ipaddress import IPv6Network
from typing import Final

NAT64: Final = IPv6Network("64:ff9b::/96")

PRIVATE: Final = (
    # loopback, unspecified, and this network
    *("127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::"),
    # private, of IPv4 and IPv6
    *("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255"),
    *("192.168.0.1", "fc00::1", "fd00:ec2::254", "fdff::1"),
    # link-local, with what clouds answer there; a carrier's; site-local
    *("169.254.169.254", "169.254.170.2", "169.254.0.1"),
    *("fe80::1", "100.64.0.1", "100.100.100.200", "100.127.255.255"),
    *("fec0::1", "168.63.129.16", "192.0.0.192"),
    # reserved, documentation, benchmarks, relays
    *("192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "192.88.99.1"),
    *("240.0.0.1", "255.255.255.255", "2001:db8::1", "3fff::1"),
    *("2001:2::1", "2001:10::1", "100::1", "5f00::1", "4000::1"),
    # multicast
    *("224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"),
    # one address within another
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"),
    *("::ffff:7f00:1", "::127.0.0.1", "::ffff:0:127.0.0.1"),
    *("64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe"),
    *("64:ff9b::10.0.0.1", "64:ff9b:1::1", "64:ff9b:1:ffff::127.0.0.1"),
    *("2002:7f00:1::1", "2002:a00:1::", "2002:a9fe:a9fe::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001::1"),
)
"""As numbers, in the usual spelling."""

PUBLIC: Final = (
    *("1.1.1.1", "8.8.8.8", "93.184.216.34", "9.255.255.255"),
    *("11.0.0.0", "172.15.255.255", "172.32.0.0", "100.63.255.255"),
    *("100.128.0.0", "169.253.255.255", "169.255.0.0"),
    *("126.255.255.255", "128.0.0.0", "192.167.255.255", "192.169.0.0"),
    *("198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15", "168.63.129.17"),
    *("2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "2003::1", "2001:200::1"),
    *("64:ff9b::8.8.8.8", "::ffff:8.8.8.8"),
)

SPELLED: Final = (
    # 127.0.0.1 and 169.254.169.254 as browsers and libraries once took them
    *("2130706433", "0x7f000001", "0x7f.0.0.1", "0X7F.0x0.0x0.0x1"),
    *("0177.0.0.1", "017700000001", "127.1", "127.0.1"),
    *("2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"),
    *("0x7f.1", "127.0.0.0x1", "127.0.0.01", "1"),
    *("0", "00000177.0.0.1", "127.0.0.1.", "2130706433."),
    *("4294967296", "256.256.256.256", "127.0.0.1.0", "0x", "0x.0x"),
    # letters that are digits or dots to some
    *("127\u30020\u30020\u30021", "\uff11\uff12\uff17.0.0.1", "\u2460\u2461\u2466.0.0.1", "127\uff0e0\uff0e0\uff0e1"),
    *("127\uff610\uff610\uff611", "\U0001d7cf\U0001d7d0\U0001d7d5.0.0.1", "\u24dbocalhost", "loca\uff4chost"),
    # brackets, zones, escapes
    *("[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%lo]"),
    *("[127.0.0.1]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]"),
    *("[0:0:0:0:0:ffff:7f00:0001]", "%31%32%37.0.0.1", "127%2e0.0.1"),
    *("%6c%6f%63%61%6c%68%6f%73%74", "[::]", "[v1.a]"),
)
"""As hosts of an address, in other spellings."""

NAMES: Final = (
    *("localhost", "LOCALHOST", "localhost.", "a.localhost"),
    *("localhost.localdomain", "metadata", "searxng", "printer.local"),
    *("metadata.google.internal", "db.corp", "router.home.arpa"),
    *("nas.lan", "wiki.intranet", "x.onion", "a..example.com"),
    *("-.example.com", "a b.example.com", "*.example.com"),
    *("ex|ample.com", "a" * 64 + ".com", "a.b" * 100 + ".com", "."),
)
"""Hosts that no public name is."""

ADDRESSES: Final = (
    *("ftp://example.com/", "file:///etc/passwd"),
    *("gopher://example.com/", "data:text/html,x", "javascript:alert(1)"),
    *("dict://example.com:11211/stat", "ldap://example.com/"),
    *("unix:///var/run/docker.sock", "//example.com/", "example.com"),
    *("", "http:", "http://", "http:///x"),
    *("https://:443/", "http://?x", "http://#", "http:/example.com", "http:example.com"),
    *("http://user@example.com/", "http://user:password@example.com/"),
    *("http://example.com@127.0.0.1/", "http://:x@example.com"),
    *(
        "http://127.0.0.1\\@example.com/",
        "http://example.com\\@127.0.0.1/",
    ),
    *("http://example.com:22/", "http://example.com:8080/"),
    *("http://example.com:0/", "http://example.com:65536/"),
    *("http://example.com:99999999999/", "http://example.com:-80/"),
    *("http://example.com:80a/"),
    *("http://[::1/", "http://::1/", "http://[]/"),
    *("http://exa\nmple.com/", "http://exa\tmple.com", "http://\x00.com/"),
    *("http://ex\u00adample\u2028.com/", "http://\ud800.com/", "http://" + "a" * 70_000),
)
"""Whole addresses that are not read; some of them lead to a public host in another reading."""
